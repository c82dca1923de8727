"""Tracing of a root: all its records become one archive object, and the root becomes clean.

The order is safe at every crash: dirty roots are read before records, and the object is uploaded before its pointer is
committed. Last, the root is marked traced and staged images are removed. The trace queue carries requests as
Carbonlake's `{"root_id"}`, with optional fields.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile
from typing import IO, cast

from headwater.attempts import attempts
from headwater.aws.bodies import render_body
from headwater.records.archive import compress_lines, prefix_of
from headwater.records.archive_state import ArchiveState
from headwater.records.dirty_roots import DirtyRoots
from headwater.records.lines import Compaction
from headwater.records.pointers import ArchiveObject, DaySealed, LastArchive, Overtaken
from headwater.records.queues import DeadLetters
from headwater.records.root_records import Gathered, RecordSources, TooManySteps, read_root
from headwater.times import day_of, days_between, shift
from headwater_model.errors import TooLarge, Unavailable

# Compaction finds dirty roots of earlier days, and names the days in its message.
_LOOK_BACK_DAYS = 3
# A round is lost to an earlier commit of the same root, or to the sealing of the day.
_ROUNDS = 6
# Most objects are small: they never touch the disk.
_SPOOLED_BYTES = 16 * 1024 * 1024
# Steps of all lines that a function renders: about 17 GB of lines, and two minutes.
_STEPS_MAX = 100_000_000
# Seconds for compressing the rest, uploading and committing.
_RESERVE_S = 60.0


@dataclass(frozen=True, slots=True)
class TraceRequest:
    """A root to trace, the day of the trace (YYYY-MM-DD), and its compaction (started at seconds since 1970).

    `marked` are days of dirty marks, as compaction found them; a request by hand names no day, and always traces.
    """

    root_id: str
    day: str
    execution: str
    started_at: int
    marked: tuple[str, ...] = ()


def render_trace_request(request: TraceRequest) -> str:
    """Render the body of the request's message: `{"root_id":"file-1","day":"2026-11-20",...}`."""
    form = {
        "root_id": request.root_id,
        "day": request.day,
        "execution": request.execution,
        "started_at": request.started_at,
        "marked": request.marked,
    }
    return render_body(form)


@dataclass(frozen=True, slots=True)
class Limits:
    """The bounds of a function: records of a root, and the seconds left."""

    records_max: int
    remaining_s: Callable[[], float]

    def check(self) -> None:
        """Raise `TooLarge` with too little time left to finish the root in this function."""
        if self.remaining_s() < _RESERVE_S:
            raise TooLarge("the function's time is nearly over")

    def gather(self, root_id: str, sources: RecordSources) -> Gathered:
        """Read all records of the root into this function's memory; raise `TooLarge` beyond the limits."""
        return read_root(root_id, sources, records_max=self.records_max, check=self.check, steps_max=_STEPS_MAX)


@dataclass(frozen=True, slots=True)
class Tracer:
    """The stores and the clock of a trace; `now_s` returns seconds since 1970.

    `gather` reads all records of a root, in a function's memory or on Spark; it may raise `TooLarge`.
    """

    sources: RecordSources
    dirty_roots: DirtyRoots
    archive_state: ArchiveState
    dead_letters: DeadLetters
    now_s: Callable[[], int]
    gather: Callable[[str, RecordSources], Gathered]
    sleep: Callable[[float], None] = time.sleep


@dataclass(frozen=True, slots=True)
class TraceResult:
    """The result of a trace.

    `pointer` is None without new records, for a root deferred to the Spark tracer (`deferred` is the reason), and for a
    refused trace (`refused` is the reason).
    """

    pointer: LastArchive | None
    displaced: int = 0
    deferred: str | None = None
    refused: str | None = None


def trace(request: TraceRequest, tracer: Tracer) -> TraceResult:
    """Archive all records of the root and mark it traced; repeating the call changes nothing.

    A root too large to gather stays dirty and is deferred. A root with too many steps for any tracer stays dirty, too:
    its records stay in the table and, as they expire, become staged images. Raises `Unavailable` if foreign commits
    came first in every round.
    """
    read_at = tracer.dirty_roots.now_ms()
    days = _days(request, day_of(tracer.now_s()))
    dirty = [mark for mark in tracer.dirty_roots.find_on(request.root_id, days) if mark.is_dirty]
    if request.marked and not dirty:
        return TraceResult(None)
    try:
        gathered, pointer = _archive(request, tracer)
    except TooManySteps as error:
        for mark in dirty:
            tracer.dirty_roots.refuse(mark)
        return TraceResult(None, refused=str(error))
    except TooLarge as error:
        for mark in dirty:
            tracer.dirty_roots.defer(mark)
        return TraceResult(None, deferred=str(error))
    for mark in dirty:
        tracer.dirty_roots.mark_traced(mark, read_at=read_at)
    tracer.sources.staged.unstage(request.root_id, gathered.staged)
    return TraceResult(pointer, len(gathered.displaced))


def _archive(request: TraceRequest, tracer: Tracer) -> tuple[Gathered, LastArchive | None]:
    """Read, write and commit until no foreign commit comes between; return no pointer for a root without records.

    A root's objects never go back in days: each holds all records of the objects of earlier days.
    """
    day = _open_day(request.day, tracer)
    for _ in attempts(_ROUNDS, tracer.sleep):
        read_from = tracer.now_s()
        gathered = tracer.gather(request.root_id, tracer.sources)
        read_to = tracer.now_s()
        if not gathered.count:
            return gathered, None
        if gathered.displaced:
            tracer.dead_letters.put_displaced(gathered.displaced)
        if gathered.pointer is not None:
            day = max(day, gathered.pointer.day)
        uploaded = _upload(request, day, gathered, tracer)
        pointer = LastArchive(day, read_from, read_to, uploaded)
        try:
            tracer.sources.pointers.commit(request.root_id, pointer)
        except DaySealed:
            # The next compaction removes the object: it came too late for its day.
            day = max(shift(day, 1), day_of(tracer.now_s()))
        except Overtaken:
            # A competing trace may be about to commit an equal object: sealing the day removes uncommitted objects.
            continue
        else:
            return gathered, pointer
    raise Unavailable(f"root {request.root_id!r} was traced by others in each of {_ROUNDS} rounds")


def _open_day(day: str, tracer: Tracer) -> str:
    """Choose the requested day, or the first later day that a digest can still cover; `commit` refuses a sealed day."""
    last = tracer.archive_state.last()
    return max(day, shift(last.day, 1) if last else shift(day_of(tracer.now_s()), -_LOOK_BACK_DAYS))


def _upload(request: TraceRequest, day: str, gathered: Gathered, tracer: Tracer) -> ArchiveObject:
    archive, before = tracer.sources.archive, gathered.pointer
    # The object's name holds the hash of its content, so the step can only name the folder.
    compaction = Compaction(request.execution, request.started_at, f"s3://{archive.bucket}/{prefix_of(day)}")
    with SpooledTemporaryFile(_SPOOLED_BYTES) as spooled:
        file = cast(IO[bytes], spooled)
        written = compress_lines(gathered.lines(compaction), file)
        return archive.put(
            request.root_id,
            day,
            file,
            written,
            records=gathered.count,
            version=before.version + 1 if before else 1,
            base=before.base_of(day) if before else None,
        )


def _days(request: TraceRequest, today: str) -> Sequence[str]:
    """List the days of the marks to set traced."""
    if request.marked:
        return request.marked
    return sorted({request.day, *days_between(shift(today, -_LOOK_BACK_DAYS), today)})
