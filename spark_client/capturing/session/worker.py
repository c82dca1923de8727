"""Thread that reads executions beside the job: extracts, merges and emits writes, and counts failures."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeAlias, TypeVar

from spark_client.capturing.jvm.executions import LISTENER
from spark_client.capturing.jvm.items import Lost, Unread
from spark_client.capturing.model import (
    Ended,
    Failure,
    Over,
    Q,
    Read,
    StreamEnd,
    StreamProgress,
    StreamReport,
    StreamStart,
    UnknownTarget,
    Write,
)
from spark_client.capturing.session.counts import Counts
from spark_client.capturing.session.write_merger import Part, WriteMerger

if TYPE_CHECKING:
    from spark_client.capturing.datasets.versions import Versions

# The thread's sleep in the JVM while nothing happens.
_POLL_S = 0.2
# After so many failures in a row the JVM counts as out of reach, and reading ends.
_FAILURES_MAX = 3
# Reads of an application with events, each of its own lineage.
_READS_MAX = 1_000
# Longest wait for the source, which is read between two waits; and waiting's part of a flush's time.
_DRAIN_S = 0.1
_FOR_DRAINING = 0.5


# Item of a source with writes: an execution of the driver, or a command of a client.
P_co = TypeVar("P_co", bound=Part, covariant=True)
P = TypeVar("P", bound=Part)
T = TypeVar("T")
R = TypeVar("R")
# Start, progress or end of a streaming query.
Moment: TypeAlias = StreamStart[Q] | StreamProgress | StreamEnd
# Calls a reader with an item; returns None and counts it if the reader fails.
Guarded: TypeAlias = Callable[[Callable[[Any], Any], Any], Any]


class Source(Protocol[P_co, Q]):
    """Source of executions (`jvm.Executions`, `connect.CommandSource`)."""

    @property
    def dropped(self) -> int:
        """Number of executions lost at its full queue."""

    def next(self, timeout_s: float) -> P_co | Moment[Q] | Over | Unread | Lost | Ended | None:
        """Take the next item; None after so many seconds without an item."""

    def drain(self, timeout_s: float) -> bool:
        """Wait until `next` can return all items so far; return False after the time-out."""

    def close(self) -> None:
        """Stop listening."""


class StreamReader(Protocol[Q]):
    """Reader of streaming queries."""

    def read_stream(self, start: StreamStart[Q]) -> Write | None:
        """Read the write of a query into its sink; None for a sink without a dataset."""

    def locate(self, versions: Mapping[str, str | None]) -> Versions:
        """Name the datasets of versions by path."""


class StreamRuns(Protocol):
    """Runs of an application's streaming queries (`streams.runs`); each method returns the events to emit."""

    def take(self, moment: Moment[Q], reader: StreamReader[Q], guarded: Guarded) -> list[StreamReport]:
        """Follow a query; `guarded` calls the reader, and catches its errors."""

    def add(self, writes: Sequence[Write]) -> tuple[list[StreamReport], list[Write]]:
        """Take the writes of batches; return the writes without a stream, too."""

    def flush(self) -> list[StreamReport]:
        """Render all writes so far."""

    def close(self, failure: Failure | None, at_ms: int) -> list[StreamReport]:
        """End all runs as the application ends."""


@dataclass(frozen=True)
class Origin(Generic[P, Q]):
    """Origin of a capture's reports: a source of executions, and their reader.

    Attributes:
        read: returns the writes of an execution, or its reads.
        streams: reads streaming queries.
        self_test: names the failed checks of this Spark's plans.
    """

    source: Source[P, Q]
    read: Callable[[P], Sequence[Read]]
    streams: StreamReader[Q]
    self_test: Callable[[], Sequence[str]] = tuple


@dataclass(eq=False)
class _Flush:
    """Request to emit everything so far.

    Attributes:
        until_s: end of the wait for the source, by the monotonic clock.
        drained: True if the source was drained by then; None before the first wait.
    """

    until_s: float
    drained: bool | None = None
    finished: threading.Event = field(default_factory=threading.Event)


class Worker(Generic[P, Q]):
    """Reader of a source to its end, in a thread of its own: no other thread waits for a JVM out of reach.

    Args:
        origin: the executions, and their reader.
        emit: takes a complete write, or a read; returns False if its events did not fit into the queue.
        counts: of writes, reads and losses.
        ended: called in this thread at the application's end.
        runs: runs of streaming queries; `emit_stream` takes their events.
        prepare: called in this thread before the first execution is read; Spark's analyzer is warm by then.
    """

    def __init__(
        self,
        origin: Origin[P, Q],
        emit: Callable[[Read], bool],
        counts: Counts,
        ended: Callable[[Ended], None],
        runs: StreamRuns,
        emit_stream: Callable[[StreamReport], bool],
        prepare: Callable[[], None] | None = None,
    ) -> None:
        self._prepare = prepare
        self._runs, self._emit_stream = runs, emit_stream
        self._source = origin.source
        self._origin = origin
        self._emit = emit
        self._counts = counts
        self._ended = ended
        self._merger = WriteMerger()
        self._lineages: set[int] = set()
        self._lock = threading.Lock()
        self._flushes: list[_Flush] = []
        self._has_ended = False
        self._stopping = threading.Event()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="headwater-capture-reader", daemon=True)
        self._thread.start()

    def flush(self, timeout_s: float) -> bool:
        """Wait until everything so far is emitted, unfinished writes too; return False after the time-out."""
        request = _Flush(time.monotonic() + timeout_s * _FOR_DRAINING)
        with self._lock:
            if self._stopped.is_set():
                return True
            self._flushes.append(request)
        return request.finished.wait(max(0.0, timeout_s)) and (bool(request.drained) or self._has_ended)

    def stop(self, timeout_s: float) -> bool:
        """Emit everything so far, and end; return False after the time-out. Unfinished flushes may be cut short."""
        self._stopping.set()
        flushed = self.flush(timeout_s)
        self._stopped.set()
        return flushed

    def _run(self) -> None:
        try:
            self._read_all()
            self._emit_all(self._merger.release())
        finally:
            self._let_go()
            with self._lock:
                self._stopped.set()
            self._finish(list(self._flushes))

    def _read_all(self) -> None:
        failures = 0
        while not self._stopped.is_set() and failures < _FAILURES_MAX:
            with self._lock:
                flushes = list(self._flushes)
            try:
                item = self._source.next(0 if flushes else _POLL_S)
                finished = self._drained(flushes) if item is None else []
            except Exception as error:  # noqa: BLE001 - py4j raises what the JVM does; the job must live
                failures += 1
                self._unreachable(error)
                time.sleep(_POLL_S)
                continue
            failures = 0
            # After the application's end no inner write can follow.
            if isinstance(item, Ended):
                self._has_ended = True
                self._emit_all(self._merger.release())
                self._let_go()
                self._ended(item)
                return
            self._take(item)
            if finished and self._stopping.is_set():
                return
            if finished:
                self._emit_all(self._merger.release())
                self._report(self._runs.flush())
                self._finish(finished)

    def _drained(self, flushes: Sequence[_Flush]) -> Sequence[_Flush]:
        """List the flushes with a drained or overdue source; without such a flush, drain the source now."""
        late_s = time.monotonic()
        done = [flush for flush in flushes if flush.drained or (flush.drained is False and flush.until_s <= late_s)]
        if flushes and not done:
            drained = self._source.drain(_DRAIN_S)
            for flush in flushes:
                flush.drained = drained
        return done

    def _finish(self, flushes: Sequence[_Flush]) -> None:
        with self._lock:
            self._flushes = [flush for flush in self._flushes if flush not in flushes]
        for flush in flushes:
            flush.finished.set()

    def _let_go(self) -> None:
        try:
            self._counts.put("not_seen", self._source.dropped)
            self._source.close()
        except Exception as error:  # noqa: BLE001 - as above
            self._unreachable(error)

    def _unreachable(self, error: Exception) -> None:
        self._counts.warn("source", f"Spark cannot be reached: {type(error).__name__}: {error}")

    def _take(self, item: P | Moment[Q] | Over | Unread | Lost | None) -> None:
        if item is not None and self._prepare is not None:
            self._prepare()
            self._prepare = None
        if isinstance(item, (StreamStart, StreamProgress, StreamEnd)):
            self._report(self._runs.take(item, self._origin.streams, self._guarded))
        elif isinstance(item, Unread):
            self._counts.add("not_read")
            self._counts.warn("unread", f"an execution could not be read: {item.reason}")
        elif isinstance(item, Lost):
            what = "capture is off" if item.part == LISTENER else f"{item.part} does not work with this Spark"
            self._counts.warn(f"lost {item.part}", f"{what}: {item.reason}")
        elif isinstance(item, Over):
            self._emit_all(self._merger.over(item.id))
        elif item is None:
            self._emit_all(self._merger.overdue())
        else:
            reads = self._guarded(self._origin.read, item) or ()
            self._emit_reads([read for read in reads if not isinstance(read, Write)])
            self._emit_all(self._merger.add(item, [write for write in reads if isinstance(write, Write)]))

    def _guarded(self, read: Callable[[T], R], item: T) -> R | None:
        """Read an item; count a failure, and return None."""
        try:
            return read(item)
        except UnknownTarget as error:
            self._counts.add("not_read")
            self._counts.warn(f"read {error}", f"a write could not be read: {error}")
            self._emit_reads([error.read] if error.read.inputs else [])
        except Exception as error:  # noqa: BLE001 - any plan may fail to be read, and the job must live
            self._counts.add("not_read")
            kind = type(error).__name__
            self._counts.warn(f"read {kind}", f"a write could not be read: {kind}: {error}")
        return None

    def _report(self, reports: Sequence[StreamReport]) -> None:
        for report in reports:
            self._count(self._emit_stream, report, None if report.phase in ("START", "RUNNING") else "writes")

    def _emit_all(self, writes: Sequence[Write]) -> None:
        reports, writes = self._runs.add(writes)
        self._report(reports)
        for write in writes:
            self._count(self._emit, write, "writes")

    def _emit_reads(self, reads: Sequence[Read]) -> None:
        for read in reads:
            lineage = hash((read.command, frozenset(read.inputs), read.failure is None, read.unknown_output))
            if lineage in self._lineages or len(self._lineages) >= _READS_MAX:
                self._counts.add("repeated")
                continue
            self._lineages.add(lineage)
            self._count(self._emit, read, "reads")

    def _count(self, emit: Callable[[T], bool], item: T, ended: Literal["writes", "reads"] | None) -> None:
        try:
            emitted = emit(item)
        except Exception as error:  # noqa: BLE001 - as above
            self._counts.add("not_reported")
            kind = type(error).__name__
            self._counts.warn(f"emit {kind}", f"a write could not be emitted: {kind}: {error}")
            return
        if not emitted:
            self._counts.add("not_queued")
            self._counts.warn("dropped", "events are made faster than they are sent: some writes are not emitted")
        elif ended:
            self._counts.add(ended)
