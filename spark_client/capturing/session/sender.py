"""Sender of events beside the job: a queue with two bounds, a thread, and any transport."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Sequence
from typing import Protocol

from spark_client.capturing.session.counts import Counts
from spark_client.event_payloads import Event, EventJson
from spark_client.record_requests import DeliveryCounts

# Bounds of the events in a call of the transport; the last event may exceed the bound in bytes.
_BATCH_MAX = 200
_BATCH_MAX_BYTES = 2_000_000


class EventTransport(Protocol):
    """Transport of events, used by a single thread."""

    @property
    def place(self) -> str:
        """Destination, for a person."""

    def send(self, events: Sequence[EventJson]) -> DeliveryCounts:
        """Send the events in their order and count accepted and failed events; may raise any exception."""

    def hurry(self) -> None:
        """Stop retries soon: the program ends."""

    def close(self, timeout_s: float) -> bool:
        """Wait for events in a queue of its own; return True if none is left."""


class Sender:
    """Sender of events to a transport, in their order, by a thread of its own.

    The queue holds `events_max` events and `max_bytes` bytes of JSON. Further events are refused at once: no thread
    waits for the transport. Usable by many threads.
    """

    def __init__(self, transport: EventTransport, counts: Counts, *, events_max: int, max_bytes: int) -> None:
        self._transport = transport
        self._counts = counts
        self._events_max = events_max
        self._max_bytes = max_bytes
        self._changed = threading.Condition()
        self._queue: deque[EventJson] = deque()
        # Events and bytes in the queue and under way.
        self._events = 0
        self._bytes = 0
        # The thread ends with an empty queue after `finish`; a later event begins a new thread.
        self._thread: threading.Thread | None = None
        self._is_finishing = False

    @property
    def left(self) -> int:
        """Number of events in the queue and under way."""
        return self._events

    def put(self, events: Sequence[Event], *, always: bool = False) -> bool:
        """Queue events together; return False if they do not fit, unless `always`."""
        queued = [event.json for event in events]
        size_bytes = sum(map(len, queued))
        with self._changed:
            events_after, bytes_after = self._events + len(queued), self._bytes + size_bytes
            if not always and (events_after > self._events_max or bytes_after > self._max_bytes):
                return False
            self._queue += queued
            self._count(len(queued), size_bytes)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="headwater-capture-sender", daemon=True)
                self._thread.start()
        return True

    def flush(self, timeout_s: float) -> bool:
        """Wait until all events are sent, accepted or not; return False after the time-out."""
        with self._changed:
            return self._changed.wait_for(lambda: self._events == 0, max(0.0, timeout_s))

    def finish(self, timeout_s: float, stall_s: float = math.inf) -> bool:
        """Send the rest in a hurry, while some events leave each `stall_s`, then close; return True if all were sent.

        A failure of the transport is a warning.
        """
        end_s = time.monotonic() + timeout_s
        self._transport.hurry()
        with self._changed:
            self._is_finishing = True
            self._changed.notify_all()
            while left := self._events:
                wait_s = min(stall_s, end_s - time.monotonic())
                if not self._changed.wait_for(lambda: self._events != left, max(0.0, wait_s)):
                    return False
        try:
            return self._transport.close(max(0.0, end_s - time.monotonic()))
        except Exception as error:  # noqa: BLE001 - any transport may fail, and the job must live
            self._counts.warn("transport", f"the transport could not be closed: {type(error).__name__}: {error}")
            return False

    def _run(self) -> None:
        while events := self._next():
            self._send(events)
            with self._changed:
                self._count(-len(events), -sum(map(len, events)))

    def _next(self) -> list[EventJson]:
        """Wait for events; return none when the thread ends."""
        with self._changed:
            self._changed.wait_for(lambda: bool(self._queue) or self._is_finishing)
            if not self._queue:
                self._thread = None
            return self._batch()

    def _batch(self) -> list[EventJson]:
        events: list[EventJson] = []
        size_bytes = 0
        while self._queue and len(events) < _BATCH_MAX and size_bytes < _BATCH_MAX_BYTES:
            events.append(self._queue.popleft())
            size_bytes += len(events[-1])
        return events

    def _send(self, events: Sequence[EventJson]) -> None:
        try:
            delivered = self._transport.send(events)
        except Exception as error:  # noqa: BLE001 - any transport may fail, and the job must live
            delivered = DeliveryCounts(0, len(events))
            self._counts.warn_of_loss(f"{type(error).__name__}: {error}")
        self._counts.add("sent", delivered.sent)
        self._counts.add("not_sent", delivered.failed)

    def _count(self, events: int, size_bytes: int) -> None:
        self._events += events
        self._bytes += size_bytes
        self._changed.notify_all()
