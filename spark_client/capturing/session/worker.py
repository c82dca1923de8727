"""The thread that reads executions, beside the job: understood, joined, told; what goes wrong is counted."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from spark_client.capturing.extract import NotUnderstood
from spark_client.capturing.jvm.executions import Unread
from spark_client.capturing.model import Ended, Over, Write
from spark_client.capturing.session.counts import Counts
from spark_client.capturing.session.write_merger import Joining, Part

# How long the thread sleeps in the JVM while nothing happens.
_POLL_S = 0.2
# After so many failures in a row the JVM is out of reach, and reading ends.
_FAILURES_MAX = 3
# How long the source is waited for at once, so that it is read meanwhile; and of the time of a flush, in all.
_DRAIN_S = 0.1
_FOR_DRAINING = 0.5


# What a source tells of a write: an execution in the driver, or a command that a client sent.
P_co = TypeVar("P_co", bound=Part, covariant=True)
P = TypeVar("P", bound=Part)


class Source(Protocol[P_co]):
    """Where executions come from (`jvm.Executions`, `connect.Commands`)."""

    @property
    def dropped(self) -> int:
        """Executions that it did not keep, for there were too many."""

    def next(self, timeout_s: float) -> P_co | Over | Unread | Ended | None:
        """The next one; None if there is none within so many seconds."""

    def drain(self, timeout_s: float) -> bool:
        """Wait until all that happened so far can be had by `next`; whether it can."""

    def close(self) -> None:
        """Listen no longer."""


@dataclass(eq=False)
class _Flush:
    """Somebody waits until all that happened so far was told.

    Attributes:
        until_s: as long the source is waited for, of the monotonic clock.
        drained: whether it told all by then; None before it was waited for at all.
    """

    until_s: float
    drained: bool | None = None
    answered: threading.Event = field(default_factory=threading.Event)


class Worker(Generic[P]):
    """Reads a source to its end, by a thread of its own: nobody else asks the source, for its JVM may never answer.

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
        self._asked: list[_Flush] = []
        self._has_ended = False
        self._stopping = threading.Event()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="headwater-capture-reader", daemon=True)
        self._thread.start()

    def flush(self, timeout_s: float) -> bool:
        """Wait until all that happened by now was told, also what waits for more to come; whether it was."""
        asked = _Flush(time.monotonic() + timeout_s * _FOR_DRAINING)
        with self._lock:
            if self._stopped.is_set():
                return True
            self._asked.append(asked)
        return asked.answered.wait(max(0.0, timeout_s)) and (bool(asked.drained) or self._has_ended)

    def stop(self, timeout_s: float) -> bool:
        """Tell all that happened by now, and end; whether it is over. What was asked of it may be cut short."""
        self._stopping.set()
        flushed = self.flush(timeout_s)
        self._stopped.set()
        return flushed

    def _run(self) -> None:
        try:
            self._read_all()
            self._tell_all(self._joining.release())
        finally:
            self._let_go()
            with self._lock:
                self._stopped.set()
            self._answer(list(self._asked))

    def _read_all(self) -> None:
        failures = 0
        while not self._stopped.is_set() and failures < _FAILURES_MAX:
            with self._lock:
                asked = list(self._asked)
            try:
                told = self._source.next(0 if asked else _POLL_S)
                answered = self._drained(asked) if told is None else []
            except Exception as error:  # noqa: BLE001 - py4j raises what the JVM does; the job must live
                failures += 1
                self._unreachable(error)
                time.sleep(_POLL_S)
                continue
            failures = 0
            if isinstance(told, Ended):
                self._has_ended = True
                self._tell_all(self._joining.release())
                self._let_go()
                self._ended(told.at_ms)
                return
            self._take(told)
            if answered and self._stopping.is_set():
                return
            if answered:
                self._tell_all(self._joining.release())
                self._answer(answered)

    def _drained(self, asked: Sequence[_Flush]) -> Sequence[_Flush]:
        """Those for whom the source was waited for, and nothing is left of what it told; else it is waited for now."""
        late_s = time.monotonic()
        done = [one for one in asked if one.drained or (one.drained is False and one.until_s <= late_s)]
        if asked and not done:
            drained = self._source.drain(_DRAIN_S)
            for one in asked:
                one.drained = drained
        return done

    def _answer(self, asked: Sequence[_Flush]) -> None:
        with self._lock:
            self._asked = [one for one in self._asked if one not in asked]
        for one in asked:
            one.answered.set()

    def _let_go(self) -> None:
        try:
            self._counts.put("unheard", self._source.dropped)
            self._source.close()
        except Exception as error:  # noqa: BLE001 - as above
            self._unreachable(error)

    def _unreachable(self, error: Exception) -> None:
        self._counts.warn("source", f"Spark cannot be reached: {type(error).__name__}: {error}")

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
