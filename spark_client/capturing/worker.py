"""The thread that reads executions, beside the job: understood, joined, told; what goes wrong is counted."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

from spark_client.capturing.counts import Counts
from spark_client.capturing.executions import Ended, Over
from spark_client.capturing.joining import Joining, Part
from spark_client.capturing.jvm import Unread
from spark_client.capturing.understand import NotUnderstood
from spark_client.capturing.writes import Write

# How long the thread sleeps in the JVM while nothing happens.
_POLL_S = 0.2
# After so many failures in a row the JVM is out of reach, and reading ends.
_FAILURES_MAX = 3


# What a source tells of a write: an execution in the driver, or a command that a client sent.
P_co = TypeVar("P_co", bound=Part, covariant=True)
P = TypeVar("P", bound=Part)


class Source(Protocol[P_co]):
    """Where executions come from (`jvm.Executions`, `connect.Commands`)."""

    def next(self, timeout_s: float) -> P_co | Over | Unread | Ended | None:
        """The next one; None if there is none within so many seconds."""


class Worker(Generic[P]):
    """Reads a source to its end, by a thread of its own.

    Args:
        source: the executions.
        read: the writes of an execution.
        tell: takes a write once it is whole; False if there was no room for what it tells.
        counts: of all that this does.
        ended: is called in this thread when the application has ended, with milliseconds since 1970.
    """

    def __init__(
        self,
        source: Source[P],
        read: Callable[[P], Sequence[Write]],
        tell: Callable[[Write], bool],
        counts: Counts,
        ended: Callable[[int], None],
    ) -> None:
        self._source = source
        self._read = read
        self._tell = tell
        self._counts = counts
        self._ended = ended
        self._joining = Joining()
        self._lock = threading.Lock()
        self._asked: list[threading.Event] = []
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="headwater-capture-reader", daemon=True)
        self._thread.start()

    def flush(self, timeout_s: float) -> bool:
        """Wait until all that the source has by now was told, also what waits for more to come; whether it was."""
        answered = threading.Event()
        with self._lock:
            if self._stopped.is_set():
                return True
            self._asked.append(answered)
        return answered.wait(max(0.0, timeout_s))

    def stop(self, timeout_s: float) -> bool:
        """Tell all that the source has by now, and end; whether it is over. What was asked of it may be cut short."""
        flushed = self.flush(timeout_s)
        self._stopped.set()
        return flushed

    def _run(self) -> None:
        try:
            self._read_all()
            self._tell_all(self._joining.release())
        finally:
            with self._lock:
                self._stopped.set()
                self._answer(self._asked)

    def _read_all(self) -> None:
        failures = 0
        while not self._stopped.is_set() and failures < _FAILURES_MAX:
            with self._lock:
                asked = list(self._asked)
            try:
                told = self._source.next(0 if asked else _POLL_S)
            except Exception as error:  # noqa: BLE001 - py4j raises what the JVM does; the job must live
                failures += 1
                self._counts.warn("source", f"executions cannot be read: {type(error).__name__}: {error}")
                time.sleep(_POLL_S)
                continue
            failures = 0
            if isinstance(told, Ended):
                self._tell_all(self._joining.release())
                self._ended(told.at_ms)
                return
            self._take(told)
            if told is None and asked:
                self._tell_all(self._joining.release())
                self._answer(asked)

    def _answer(self, asked: Sequence[threading.Event]) -> None:
        for one in asked:
            one.set()
        self._asked = [one for one in self._asked if not one.is_set()]

    def _take(self, told: P | Over | Unread | None) -> None:
        if isinstance(told, Unread):
            self._counts.add("unread")
            self._counts.warn("unread", f"an execution could not be read: {told.reason}")
        elif isinstance(told, Over):
            self._tell_all(self._joining.over(told.id))
        elif told is None:
            self._tell_all(self._joining.overdue())
        else:
            self._tell_all(self._joining.add(told, self._writes(told)))

    def _writes(self, execution: P) -> Sequence[Write]:
        try:
            return self._read(execution)
        except NotUnderstood as error:
            self._counts.add("unread")
            self._counts.warn(f"read {error}", f"a write was not understood: {error}")
            return []
        except Exception as error:  # noqa: BLE001 - whatever a plan does to us, the job must live
            self._counts.add("unread")
            kind = type(error).__name__
            self._counts.warn(f"read {kind}", f"a write was not understood: {kind}: {error}")
            return []

    def _tell_all(self, writes: Sequence[Write]) -> None:
        for write in writes:
            try:
                told = self._tell(write)
            except Exception as error:  # noqa: BLE001 - as above
                self._counts.add("failed")
                kind = type(error).__name__
                self._counts.warn(f"tell {kind}", f"a write could not be told: {kind}: {error}")
                continue
            self._counts.add("writes" if told else "dropped")
            if not told:
                self._counts.warn("dropped", "events are made faster than they are sent: some writes are not told")
