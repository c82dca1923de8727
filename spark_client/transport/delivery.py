"""Delivery to the service: within a job's time limits, counted, and raising only for strict clients."""

from __future__ import annotations

import logging
import os
import threading
from typing import TYPE_CHECKING, Protocol

from spark_client.errors import LineageError, Misconfigured, Undelivered
from spark_client.redaction import redact
from spark_client.requests import DeliveryCounts
from spark_client.transport.choose import choose_destination, open_transport
from spark_client.transport.destination import Destination, Json, Transport
from spark_client.transport.retry import Clock, RetryPolicy, retry

if TYPE_CHECKING:
    from spark_client.requests import Request

_log = logging.getLogger("headwater.client")
# Reasons that are remembered, so that each is logged once.
_WARNED_MAX = 100


class Payload(Protocol):
    """Content of one call: a request, an event, or several events."""

    def send(self, transport: Transport, timeout_s: float) -> Json:
        """Send the payload, or what is left of it; raises as the transport does."""

    def count(self, *, delivered: bool) -> DeliveryCounts:
        """Return how much of it arrived, and how much did not; `delivered` if all of it did."""

    def describe(self, count: int) -> str:
        """Return so many of its parts as text for a log: enough to find it, nothing else of the payload."""


class RequestPayload:
    """Lineage request."""

    def __init__(self, request: Request) -> None:
        self._request = request

    def send(self, transport: Transport, timeout_s: float) -> Json:
        """Send the request."""
        return transport.send(self._request.body, timeout_s)

    def count(self, *, delivered: bool) -> DeliveryCounts:
        """Count all of its records as sent, or all as failed."""
        records = len(self._request.records)
        return DeliveryCounts(records, 0) if delivered else DeliveryCounts(0, records)

    def describe(self, count: int) -> str:
        """Return the number of records and their action as text."""
        return f"{count} records of {self._request.action.action_taken}"


class Delivery:
    """Delivery of payloads to one destination; usable by many threads, and in the closure of a Spark task.

    Attributes:
        sent: records and events that the service accepted.
        failed: records and events that it did not accept.
        destination: None if nothing names one, and lineage is off.
        retry: time limits of a payload.
    """

    def __init__(self, given: Destination, *, strict: bool, retry: RetryPolicy | None, clock: Clock | None) -> None:
        self.sent = 0
        self.failed = 0
        self.clock = clock or Clock()
        self._strict = strict
        self.retry = retry or RetryPolicy()
        self._lock = threading.Lock()
        self._given_up = False
        self._warned: set[str] = set()
        self._transport: Transport | None = None
        self._pid = os.getpid()
        self.destination = self._chosen(given)

    def deliver(self, payload: Payload) -> Json | None:
        """Send a payload with its retries and count it; return None instead of the response if some was not delivered.

        Every error is caught here alone: lineage must not end the job that it describes.
        """
        try:
            response = retry(
                lambda timeout_s: payload.send(self._connected(), timeout_s),
                self.retry,
                self.clock,
                once=self._given_up,
            )
        except Exception as error:
            counts = payload.count(delivered=False)
            self._count(counts)
            if self._strict:
                raise
            self._warn(payload.describe(counts.failed), error)
            return None
        self._count(payload.count(delivered=True))
        self._given_up = False
        return response

    def close(self) -> None:
        """Close the connections; the next payload opens new ones."""
        with self._lock:
            transport, self._transport = self._transport, None
        if transport is not None:
            transport.close()

    def __getstate__(self) -> dict[str, object]:
        """Return the state for a Spark task: the destination and the rules, not the connections and the counts."""
        return {**vars(self), "sent": 0, "failed": 0, "_lock": None, "_transport": None}

    def __setstate__(self, state: dict[str, object]) -> None:
        vars(self).update(state, _lock=threading.Lock())

    def _chosen(self, given: Destination) -> Destination | None:
        try:
            return choose_destination(given, os.environ)
        except Misconfigured as error:
            if self._strict:
                raise
            self._given_up = True
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

    def _warn(self, what: str, error: Exception) -> None:
        """Log one warning for an outage in all, and one for each reason and kind of payload."""
        outage = isinstance(error, (Undelivered, Misconfigured))
        reason = redact(str(error) if isinstance(error, LineageError) else f"{type(error).__name__}: {error}")
        kind = f"{what.partition(' ')[2]}: {reason}"
        level = logging.DEBUG if (outage and self._given_up) or kind in self._warned else logging.WARNING
        self._given_up = self._given_up or outage
        if len(self._warned) < _WARNED_MAX:
            self._warned.add(kind)
        _log.log(level, "%s not recorded: %s", what, reason)
