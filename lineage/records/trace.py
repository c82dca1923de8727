"""Tracing a root: all that is known of it becomes one archive object, and its marks become clean.

The order makes it safe at every crash: marks are read before records, the object is uploaded before its pointer is
committed, and marks and staged images are settled last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile
from typing import IO, cast

from lineage.records.archive import compress_lines, prefix_of
from lineage.records.archive_state import Calendar
from lineage.records.dead_letters import DeadLetters
from lineage.records.dirty_roots import Marks
from lineage.records.lines import Compaction
from lineage.records.pointers import ArchiveObject, DaySealed, Overtaken, Pointer
from lineage.records.root_records import Gathered, Sources, find_all
from lineage.records.trace_request import TraceRequest
from lineage.times import day_of, days_between, shift
from lineage_model.errors import TooLarge, Unavailable

# Marks of days further back are found by compaction, which names them in its message.
_LOOK_BACK_DAYS = 3
# A round is lost to a trace of the same root that committed first, or to a day that was sealed meanwhile.
_ROUNDS = 6
# Most objects are small: they never touch the disk.
_SPOOLED_BYTES = 16 * 1024 * 1024
# What must be left of the function's time to compress the rest, upload and commit.
_RESERVE_S = 60.0


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one function takes on: records of one root, and the seconds it has left."""

    records_max: int
    remaining_s: Callable[[], float]

    def check(self) -> None:
        """`TooLarge` when there is no time left to finish the root in this function."""
        if self.remaining_s() < _RESERVE_S:
            raise TooLarge("the function's time is nearly over")

    def gather(self, root_id: str, sources: Sources) -> Gathered:
        """All that is known of the root, in this function's memory; `TooLarge` beyond the limits."""
        return find_all(root_id, sources, records_max=self.records_max, check=self.check)


@dataclass(frozen=True, slots=True)
class Tracer:
    """What a trace reads, writes and asks; `now_s` is the clock, in seconds since 1970.

    `gather` reads all that is known of a root, in a function's memory or on Spark; it may raise `TooLarge`.
    """

    sources: Sources
    marks: Marks
    calendar: Calendar
    dead_letters: DeadLetters
    now_s: Callable[[], int]
    gather: Callable[[str, Sources], Gathered]


@dataclass(frozen=True, slots=True)
class Traced:
    """What a trace came to.

    `pointer` is None when there was nothing new, or when the root was left to the Spark tracer (`left` says why).
    """

    pointer: Pointer | None
    displaced: int = 0
    left: str | None = None


def trace(request: TraceRequest, tracer: Tracer) -> Traced:
    """Archive all that is known of the root and settle its marks; asking twice changes nothing.

    A root that is too large to gather stays dirty, marked as left. `Unavailable` when others kept overtaking.
    """
    today = day_of(tracer.now_s())
    dirty = [mark for mark in tracer.marks.marks_of(request.root_id, _days(request, today)) if mark.dirty]
    if request.marked and not dirty:
        return Traced(None)
    try:
        gathered, pointer = _archive(request, tracer)
    except TooLarge as error:
        for mark in dirty:
            tracer.marks.leave(mark)
        return Traced(None, left=str(error))
    for mark in dirty:
        tracer.marks.finish(mark, now_s=tracer.now_s())
    tracer.sources.staged.unstage(request.root_id, gathered.staged)
    return Traced(pointer, len(gathered.displaced))


def _archive(request: TraceRequest, tracer: Tracer) -> tuple[Gathered, Pointer | None]:
    """Read, write and commit until no other trace got in between; no pointer if nothing is known of the root.

    A root's objects never go back in days, so that each holds everything of those of earlier days.
    """
    day = _open_day(request.day, tracer)
    for _ in range(_ROUNDS):
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
        pointer = Pointer(day, read_from, read_to, uploaded)
        try:
            tracer.sources.pointers.commit(request.root_id, pointer)
        except DaySealed:
            _withdraw(uploaded, tracer)
            day = max(shift(day, 1), day_of(tracer.now_s()))
        except Overtaken:
            # Another trace may be about to commit an equal object: sealing the day removes what none has committed.
            continue
        else:
            return gathered, pointer
    raise Unavailable(f"root {request.root_id!r} was traced by others in each of {_ROUNDS} rounds")


def _open_day(day: str, tracer: Tracer) -> str:
    """The day asked for, or the first after it that a digest can still cover; `commit` refuses one just sealed."""
    today = day_of(tracer.now_s())
    if day >= today:
        return day
    last = tracer.calendar.last()
    return max(day, shift(last.day, 1) if last else shift(today, -_LOOK_BACK_DAYS))


def _withdraw(uploaded: ArchiveObject, tracer: Tracer) -> None:
    """Remove an object that came too late for its day. Nothing is committed to a sealed day, so none can follow."""
    if tracer.sources.pointers.find_object(uploaded.key) is None:
        tracer.sources.archive.remove(uploaded.key)


def _upload(request: TraceRequest, day: str, gathered: Gathered, tracer: Tracer) -> ArchiveObject:
    archive, before = tracer.sources.archive, gathered.pointer
    # The object's name holds its content's hash: the step can only say under which prefix it lies.
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
    """The days whose marks the trace settles."""
    if request.marked:
        return request.marked
    return sorted({request.day, *days_between(shift(today, -_LOOK_BACK_DAYS), today)})
