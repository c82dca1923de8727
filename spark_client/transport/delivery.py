"""Delivery to the service: within a job's time limits, counted, and raising only for strict clients."""

from __future__ import annotations

import logging
import math
import os
import threading
from typing import TYPE_CHECKING, Protocol

from spark_client.errors import LineageError, Misconfigured, Refused, Undelivered
from spark_client.record_requests import DeliveryCounts
from spark_client.redaction import redact
from spark_client.transport.breaker import CircuitBreaker, Permit
from spark_client.transport.choose import choose_destination, open_transport
from spark_client.transport.destination import Destination, Json, Transport
from spark_client.transport.retry import PROBE_S, Clock, RetryPolicy, retry

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_client.record_requests import Request

_log = logging.getLogger("headwater.client")
# Limit of the remembered reasons; each reason is logged once.
_WARNED_MAX = 100


class Payload(Protocol):
    """Content of a call: a request, an event, or several events."""

    def send(self, transport: Transport, timeout_s: float) -> Json:
        """Send the payload, or its rest; raises as the transport does."""

    def count(self, *, delivered: bool) -> DeliveryCounts:
        """Count the arrived and the lost parts; `delivered` if all arrived."""

    def describe(self, count: int) -> str:
        """Describe so many parts for a log: enough to find the payload, no content."""


class RequestPayload:
    """Lineage request."""

    def __init__(self, request: Request, now_s: float) -> None:
        self._request = request
        self._now_s = now_s

    def send(self, transport: Transport, timeout_s: float) -> Json:
        """Send the request; an invalid request is not sent but `Refused`."""
        self._request.check(self._now_s)
        return transport.send(self._request.body, timeout_s)

    def count(self, *, delivered: bool) -> DeliveryCounts:
        """Count all of its records as sent, or all as failed."""
        records = len(self._request.records)
        return DeliveryCounts(records, 0) if delivered else DeliveryCounts(0, records)

    def describe(self, count: int) -> str:
        """Describe the number of records and their action."""
        return f"{count} records of {self._request.action.action_taken}"


class Delivery:
    """Delivery of payloads to one destination; usable by many threads, and in the closure of a Spark task.

    Attributes:
        sent: records and events accepted by the service.
        failed: records and events not accepted.
        not_tried: records and events of `failed` never sent: the destination rested after a slow failure.
        destination: None if no argument or variable names it: lineage is off.
        retry: time limits of a payload.
    """

    def __init__(self, given: Destination, *, strict: bool, retry: RetryPolicy | None, clock: Clock | None) -> None:
        self.sent = 0
        self.failed = 0
        self.not_tried = 0
        self._hurry = threading.Event()
        # Without a clock of a test's, a pause ends when a hurry begins.
        self._has_clock = clock is not None
        self.clock = clock or Clock(sleep=self._hurry.wait)
        self._strict = strict
        self.retry = retry or RetryPolicy()
        self._lock = threading.Lock()
        self._breaker = CircuitBreaker(self.clock.monotonic)
        self._last_reason = ""
        self._warned: set[str] = set()
        self._transport: Transport | None = None
        self._pid = os.getpid()
        self.destination = self._chosen(given)

    def deliver(self, payload: Payload) -> Json | None:
        """Send a payload with its retries and count it; return the response, None if a part was not delivered.

        Every error is caught here alone: lineage must not end the described job.
        """
        permit = self._breaker.permit()
        if permit is None:
            self._skip(payload)
            return None
        # After a failure of the endpoint, or at the job's end, an attempt has no retries.
        attempts = _Attempts(lambda timeout_s: payload.send(self._connected(), timeout_s), permit, self.clock)
        try:
            response = retry(
                attempts.make,
                self.retry,
                self.clock,
                once=lambda: permit is not Permit.WITH_RETRIES or self._hurry.is_set(),
            )
        except Exception as error:
            counts = payload.count(delivered=False)
            self._count(counts)
            self._note(payload.describe(counts.failed), error, attempts.last_s)
            if self._strict:
                raise
            return None
        finally:
            self._breaker.end(permit)
        self._count(payload.count(delivered=True))
        self._responded()
        return response

    @property
    def last_failure(self) -> str:
        """Reason of the last failure, without secrets; empty before the first."""
        return self._last_reason

    def hurry(self) -> None:
        """Limit each payload to a single further attempt, also payloads under way, until `close`: the program ends."""
        self._hurry.set()

    def close(self) -> None:
        """Close the connections; the next payload connects again."""
        self._hurry.clear()
        with self._lock:
            transport, self._transport = self._transport, None
        if transport is not None:
            transport.close()

    def __getstate__(self) -> dict[str, object]:
        """Copy the state for a Spark task: the destination and the rules, not the connections and the counts."""
        return {
            **vars(self),
            "sent": 0,
            "failed": 0,
            "not_tried": 0,
            "_lock": None,
            "_transport": None,
            "_breaker": self._breaker.is_doubtful,
            "_hurry": None,
            "clock": self.clock if self._has_clock else None,
        }

    def __setstate__(self, state: dict[str, object]) -> None:
        vars(self).update(state, _lock=threading.Lock(), _hurry=threading.Event())
        if not self._has_clock:
            self.clock = Clock(sleep=self._hurry.wait)
        self._breaker = CircuitBreaker(self.clock.monotonic, is_doubtful=bool(state["_breaker"]))

    def _chosen(self, given: Destination) -> Destination | None:
        try:
            return choose_destination(given, os.environ)
        except Misconfigured as error:
            if self._strict:
                raise
            self._breaker.fail(0.0)
            _log.warning("lineage is off: %s", redact(str(error)))
            return None

    def _connected(self) -> Transport:
        with self._lock:
            if self.destination is None:
                raise Misconfigured("nowhere to send lineage to")
            if self._transport is None or self._pid != os.getpid():  # a fork's connections are its parent's
                self._transport = open_transport(self.destination, self.retry)
                self._pid = os.getpid()
            return self._transport

    def _count(self, counts: DeliveryCounts) -> None:
        with self._lock:
            self.sent += counts.sent
            self.failed += counts.failed

    def _skip(self, payload: Payload) -> None:
        """Count a payload as not tried: the destination rests."""
        counts = payload.count(delivered=False)
        self._count(counts)
        with self._lock:
            self.not_tried += counts.failed
        if self._strict:
            raise Undelivered(f"not tried so soon after the last failure: {self._last_reason}")
        _log.debug("%s not recorded: not tried", payload.describe(counts.failed))

    def _responded(self) -> None:
        if self._breaker.succeed():
            _log.info("lineage is recorded again")

    def _note(self, what: str, error: Exception, attempt_s: float) -> None:
        """Log a warning for an outage, and a warning for each reason and kind of payload; note the outage."""
        was_out = self._breaker.is_doubtful
        reason = redact(str(error) if isinstance(error, LineageError) else f"{type(error).__name__}: {error}")
        rest = ""
        is_outage = isinstance(error, (Undelivered, Misconfigured))
        self._last_reason = reason
        if is_outage:
            rest_s = self._breaker.fail(attempt_s)
            rest = f"; nothing is tried for {rest_s:.0f} s" if rest_s >= 1 else ""
        elif isinstance(error, Refused) and error.responded:
            self._responded()
        if self._strict:
            return
        kind = f"{what.partition(' ')[2]}: {reason}"
        level = logging.DEBUG if (is_outage and was_out) or kind in self._warned else logging.WARNING
        if len(self._warned) < _WARNED_MAX:
            self._warned.add(kind)
        _log.log(level, "%s not recorded: %s%s", what, reason, rest)


class _Attempts:
    """Attempts of a payload, with the seconds of the last attempt."""

    def __init__(self, send: Callable[[float], Json], permit: Permit, clock: Clock) -> None:
        self._send = send
        self._limit_s = PROBE_S if permit is Permit.PROBE else math.inf
        self._clock = clock
        self.last_s = 0.0

    def make(self, timeout_s: float) -> Json:
        """Make an attempt; a probe has less time."""
        started_s = self._clock.monotonic()
        try:
            return self._send(min(timeout_s, self._limit_s))
        finally:
            self.last_s = self._clock.monotonic() - started_s
