"""Sending events beside the job: a queue with two bounds, a thread, and a transport that may do as it likes."""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

from spark_client.capturing.session.counts import Counts
from spark_client.requests import Tally

Event: TypeAlias = Mapping[str, Any]

# At most so many events, and bytes but for the last one, are handed over at once.
_BATCH_MAX = 200
_BATCH_MAX_BYTES = 2_000_000


class Outlet(Protocol):
    """A place that takes events; used by one thread."""

    def send(self, events: Sequence[Event]) -> Tally:
        """Hand over events in their order, and tell how many were taken; it may raise what it likes."""

    def close(self, timeout_s: float) -> bool:
        """Wait for what it keeps itself; whether nothing is left."""


class _Bundle(NamedTuple):
    """Events that go together or not at all, as JSON: that is small, and of a size that is known."""

    lines: Sequence[bytes]

    @property
    def size_bytes(self) -> int:
        """Of all of them."""
        return sum(map(len, self.lines))


class Sender:
    """Hands events over to an outlet, in their order, by a thread of its own.

    The queue holds `events_max` events and `max_bytes` bytes of them, as JSON; what does not fit is refused at once, so
    nobody waits for the outlet. Usable by many threads.
    """

    def __init__(self, outlet: Outlet, counts: Counts, *, events_max: int, max_bytes: int) -> None:
        self._outlet = outlet
        self._counts = counts
        self._events_max = events_max
        self._max_bytes = max_bytes
        self._changed = threading.Condition()
        self._queue: deque[_Bundle] = deque()
        # Of what waits and what is under way.
        self._events = 0
        self._bytes = 0
        threading.Thread(target=self._run, name="headwater-capture-sender", daemon=True).start()

    @property
    def left(self) -> int:
        """Events that are not handed over yet."""
        return self._events

    def put(self, events: Sequence[Event], *, always: bool = False) -> bool:
        """Queue events that go together; False if there is no room for them, unless `always`."""
        bundle = _Bundle([json.dumps(event, default=str).encode() for event in events])
        with self._changed:
            events_after, bytes_after = self._events + len(events), self._bytes + bundle.size_bytes
            if not always and (events_after > self._events_max or bytes_after > self._max_bytes):
                return False
            self._queue.append(bundle)
            self._count(len(events), bundle.size_bytes)
        return True

    def flush(self, timeout_s: float) -> bool:
        """Wait until all is handed over, taken or not; whether it is."""
        with self._changed:
            return self._changed.wait_for(lambda: self._events == 0, max(0.0, timeout_s))

    def close(self, timeout_s: float) -> bool:
        """Wait for what the outlet keeps itself; whether nothing is left. A failure of it is told, not raised."""
        try:
            return self._outlet.close(max(0.0, timeout_s))
        except Exception as error:  # noqa: BLE001 - the outlet is anybody's, and the job must live
            self._counts.warn("transport", f"the transport could not be closed: {type(error).__name__}: {error}")
            return False

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: bool(self._queue))
                bundles = self._batch()
            lines = [line for bundle in bundles for line in bundle.lines]
            self._send([json.loads(line) for line in lines])
            with self._changed:
                self._count(-len(lines), -sum(map(len, lines)))

    def _batch(self) -> list[_Bundle]:
        bundles: list[_Bundle] = []
        events = size_bytes = 0
        while self._queue and events < _BATCH_MAX and size_bytes < _BATCH_MAX_BYTES:
            bundles.append(self._queue.popleft())
            events += len(bundles[-1].lines)
            size_bytes += bundles[-1].size_bytes
        return bundles

    def _send(self, events: Sequence[Event]) -> None:
        try:
            tally = self._outlet.send(events)
        except Exception as error:  # noqa: BLE001 - the outlet is anybody's, and the job must live
            tally = Tally(0, len(events))
            self._counts.warn("transport", f"events are not sent: {type(error).__name__}: {error}")
        self._counts.add("sent", tally.sent)
        self._counts.add("unsent", tally.failed)

    def _count(self, events: int, size_bytes: int) -> None:
        self._events += events
        self._bytes += size_bytes
        self._changed.notify_all()
