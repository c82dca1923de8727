"""Bringing things to the service: within a job's patience, counted, and never an exception unless asked for."""

from __future__ import annotations

import logging
import os
import threading
from typing import TYPE_CHECKING, Protocol

from spark_client.errors import LineageError, Misconfigured, Undelivered
from spark_client.redaction import redact
from spark_client.requests import Tally
from spark_client.transport.choose import choose_destination, open_transport
from spark_client.transport.destination import Destination, Json, Transport
from spark_client.transport.retry import Patience, Timing, persist

if TYPE_CHECKING:
    from spark_client.requests import Request

_log = logging.getLogger("headwater.client")
# Reasons that are remembered, so that each is told once.
_WARNED_MAX = 100


class Parcel(Protocol):
    """What is sent at once: a request, an event, or several events."""

    def send(self, transport: Transport, timeout_s: float) -> Json:
        """Hand it over, or what is left of it; raises as the transport does."""

    def tally(self, *, delivered: bool) -> Tally:
        """How much of it arrived, and how much did not; `delivered` if it all did."""

    def describe(self, count: int) -> str:
        """So many of what is in it, for a log: nothing of the payload but what a person needs to find it."""


class RequestParcel:
    """A lineage request."""

    def __init__(self, request: Request) -> None:
        self._request = request

    def send(self, transport: Transport, timeout_s: float) -> Json:
        """Hand over the request."""
        return transport.send(self._request.body, timeout_s)

    def tally(self, *, delivered: bool) -> Tally:
        """All of its records or none."""
        count = len(self._request.records)
        return Tally(count, 0) if delivered else Tally(0, count)

    def describe(self, count: int) -> str:
        """Records and their action."""
        return f"{count} records of {self._request.action.action_taken}"


class Delivery:
    """Brings parcels to one destination; usable by many threads, and in the closure of a Spark task.

    Attributes:
        sent: records and events that the service took.
        failed: records and events that it did not.
        destination: where to; None if nothing says so, and lineage is off.
        patience: how long a parcel may take.
    """

    def __init__(self, given: Destination, *, strict: bool, patience: Patience | None, timing: Timing | None) -> None:
        self.sent = 0
        self.failed = 0
        self.timing = timing or Timing()
        self._strict = strict
        self.patience = patience or Patience()
        self._lock = threading.Lock()
        self._given_up = False
        self._warned: set[str] = set()
        self._transport: Transport | None = None
        self._pid = os.getpid()
        self.destination = self._chosen(given)

    def deliver(self, parcel: Parcel) -> Json | None:
        """Send a parcel to its end and count it; None in the place of the answer if not all of it arrived.

        This is the one place where everything is caught: lineage must not end the job that it describes.
        """
        try:
            answer = persist(
                lambda timeout_s: parcel.send(self._connected(), timeout_s),
                self.patience,
                self.timing,
                once=self._given_up,
            )
        except Exception as error:
            tally = parcel.tally(delivered=False)
            self._count(tally)
            if self._strict:
                raise
            self._warn(parcel.describe(tally.failed), error)
            return None
        self._count(parcel.tally(delivered=True))
        self._given_up = False
        return answer

    def close(self) -> None:
        """Let go of connections; the next parcel opens new ones."""
        with self._lock:
            transport, self._transport = self._transport, None
        if transport is not None:
            transport.close()

    def __getstate__(self) -> dict[str, object]:
        """What a Spark task gets: the destination and the rules, not the connections and the counts."""
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
                self._transport = open_transport(self.destination, self.patience)
                self._pid = os.getpid()
            return self._transport

    def _count(self, tally: Tally) -> None:
        with self._lock:
            self.sent += tally.sent
            self.failed += tally.failed

    def _warn(self, what: str, error: Exception) -> None:
        """One warning for a parcel; for an outage, one in all, and for one reason, one for each kind of parcel."""
        outage = isinstance(error, (Undelivered, Misconfigured))
        reason = redact(str(error) if isinstance(error, LineageError) else f"{type(error).__name__}: {error}")
        kind = f"{what.partition(' ')[2]}: {reason}"
        level = logging.DEBUG if (outage and self._given_up) or kind in self._warned else logging.WARNING
        self._given_up = self._given_up or outage
        if len(self._warned) < _WARNED_MAX:
            self._warned.add(kind)
        _log.log(level, "%s not recorded: %s", what, reason)
