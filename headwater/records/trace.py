"""Tracing of a root: all its records become one archive object, and the root becomes clean.

The order is safe at every crash: dirty roots are read before records, and the object is uploaded before its pointer is
committed. Last, the root is marked traced and staged images are removed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from tempfile import SpooledTemporaryFile
from typing import IO, cast

from botocore.exceptions import BotoCoreError, ClientError

from headwater.attempts import attempts
from headwater.aws.clients import CONCURRENCY
from headwater.aws.queues import QueuedMessage
from headwater.aws.retries import is_passing
from headwater.records.archive import compress_lines, prefix_of
from headwater.records.archive_state import ArchiveState
from headwater.records.dirty_roots import DirtyRoots
from headwater.records.lines import Compaction
from headwater.records.pointers import ArchiveObject, DaySealed, LastArchive, Overtaken
from headwater.records.queues import DeadLetters
from headwater.records.root_records import Gathered, RecordSources, TooManySteps, read_root
from headwater.records.trace_message import TraceRequest, parse_trace_request
from headwater.times import day_of, days_between, shift
from headwater_model.errors import HeadwaterError, Invalid, TooLarge, Unavailable

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
# Half of a function's time: with less, a root after others waits for a further function.
_LARGE_ROOT_S = 450
_FAILURES = (HeadwaterError, BotoCoreError, ClientError)


@dataclass(frozen=True, slots=True)
class Limits:
    """The bounds of a function: records of all roots read at once, the seconds left, and the number of these roots.

    A further root begins with `least_s` seconds or more.
    """

    records_max: int
    remaining_s: Callable[[], float]
    shares: int = 1
    least_s: float = 0

    def begin(self) -> None:
        """Raise `Unavailable` with too little time left for a further root."""
        if self.remaining_s() < self.least_s:
            raise Unavailable(f"less than {self.least_s} seconds are left for a further root")

    def check(self) -> None:
        """Raise `TooLarge` with too little time left to finish the root in this function."""
        if self.remaining_s() < _RESERVE_S:
            raise TooLarge("the function's time is nearly over")

    def gather(self, root_id: str, sources: RecordSources) -> Gathered:
        """Read all records of the root into its share of the function's memory; raise `TooLarge` beyond the limits."""
        records_max, steps_max = self.records_max // self.shares, _STEPS_MAX // self.shares
        return read_root(root_id, sources, records_max=records_max, check=self.check, steps_max=steps_max)


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
    root = _RootTrace(request, tracer)
    if root.is_clean:
        return TraceResult(None)
    try:
        _archive(root, tracer)
    except TooManySteps as error:
        for mark in root.dirty:
            tracer.dirty_roots.refuse(mark)
        return TraceResult(None, refused=str(error))
    except TooLarge as error:
        for mark in root.dirty:
            tracer.dirty_roots.defer(mark)
        return TraceResult(None, deferred=str(error))
    return root.finish()


@dataclass(slots=True)
class TracedBatch:
    """The result of a batch of messages: the error of each message to try again, and the traces.

    `passing` are failed messages without a fault of their own: AWS refused them for now.
    """

    failed: dict[str, str] = field(default_factory=dict)
    passing: set[str] = field(default_factory=set)
    traces: list[TraceResult] = field(default_factory=list)

    def fail(self, message_id: str, error: Exception) -> None:
        """Leave a message for another try."""
        self.failed[message_id] = type(error).__name__
        if is_passing(error):
            self.passing.add(message_id)


def trace_batch(
    messages: Iterable[QueuedMessage],
    limits: Limits,
    tracer_of: Callable[[Limits], Tracer],
    finish: Callable[[Collection[str]], object],
) -> TracedBatch:
    """Trace the roots of up to 40 messages: all at once, with a single commit, then each remaining root alone.

    A root remains if it is too large for its share, or failed, or if a neighbour's commit failed. Before that, `finish`
    gets the ids of the finished messages: a large root may kill the function.
    """
    batch, requests = TracedBatch(), dict[str, TraceRequest]()
    for message in messages:
        try:
            requests[message.message_id] = parse_trace_request(message)
        except Invalid as error:
            batch.fail(message.message_id, error)
    results: dict[TraceRequest, TraceResult] = {}
    if len(requests) > 1:
        results = _trace_together(requests.values(), tracer_of(replace(limits, shares=CONCURRENCY)))
        done = [message_id for message_id, request in requests.items() if request in results]
        if len(done) < len(requests):
            finish(done)
            limits = replace(limits, least_s=_LARGE_ROOT_S)
    for message_id, request in requests.items():
        try:
            if request not in results:
                limits.begin()
                results[request] = trace(request, tracer_of(limits))
        except _FAILURES as error:
            batch.fail(message_id, error)
    batch.traces.extend(results.values())
    return batch


def _trace_together(requests: Iterable[TraceRequest], tracer: Tracer) -> dict[TraceRequest, TraceResult]:
    """Trace roots at once; return the results of the finished traces."""

    def begin(request: TraceRequest) -> _RootTrace | None:
        with suppress(*_FAILURES):
            root = _RootTrace(request, tracer)
            if not root.is_clean:
                root.upload(max(request.day, first_day))
            return root
        return None

    def finish(root: _RootTrace) -> TraceResult | None:
        with suppress(*_FAILURES):
            return root.finish()
        return None

    with suppress(*_FAILURES), ThreadPoolExecutor(CONCURRENCY) as pool:
        first_day = _first_open_day(tracer)
        # A second request for a root waits: a transaction writes a row once.
        roots = list(filter(None, pool.map(begin, {request.root_id: request for request in requests}.values())))
        if pointers := {root.request.root_id: root.pointer for root in roots if root.pointer}:
            tracer.sources.pointers.commit(pointers)
        return {root.request: result for root, result in zip(roots, pool.map(finish, roots), strict=True) if result}
    return {}


class _RootTrace:
    """The trace of a root under way: its dirty marks, read before its records, then its uploaded object."""

    def __init__(self, request: TraceRequest, tracer: Tracer) -> None:
        self.request, self._tracer = request, tracer
        self._read_at = tracer.dirty_roots.now_ms()
        days = _days(request, day_of(tracer.now_s()))
        self.dirty = [mark for mark in tracer.dirty_roots.find_on(request.root_id, days) if mark.is_dirty]
        self.pointer: LastArchive | None = None
        self._displaced = 0
        self._staged: Sequence[str] = ()

    @property
    def is_clean(self) -> bool:
        """True if an earlier trace has read everything that the compaction found marked."""
        return bool(self.request.marked) and not self.dirty

    def upload(self, day: str) -> None:
        """Read all records, and upload them as an object of the day; a root without records has no object.

        A root's objects never go back in days: each holds all records of the objects of earlier days.
        """
        tracer, root_id = self._tracer, self.request.root_id
        self.pointer = None
        read_from = tracer.now_s()
        gathered = tracer.gather(root_id, tracer.sources)
        read_to = tracer.now_s()
        self._displaced, self._staged = len(gathered.displaced), gathered.staged
        if not gathered.count:
            return
        if gathered.displaced:
            tracer.dead_letters.put_displaced(gathered.displaced)
        if gathered.pointer is not None:
            day = max(day, gathered.pointer.day)
        self.pointer = LastArchive(day, read_from, read_to, _upload(self.request, day, gathered, tracer))

    def finish(self) -> TraceResult:
        """Mark the root traced and drop its staged images, after the commit."""
        for mark in self.dirty:
            self._tracer.dirty_roots.mark_traced(mark, read_at=self._read_at)
        self._tracer.sources.staged.unstage(self.request.root_id, self._staged)
        return TraceResult(self.pointer, self._displaced)


def _archive(root: _RootTrace, tracer: Tracer) -> None:
    """Read, write and commit until no foreign commit comes between."""
    request = root.request
    day = max(request.day, _first_open_day(tracer))
    for _ in attempts(_ROUNDS, tracer.sleep):
        root.upload(day)
        if root.pointer is None:
            return
        try:
            tracer.sources.pointers.commit({request.root_id: root.pointer})
        except DaySealed:
            # The next compaction removes the object: it came too late for its day.
            day = max(shift(root.pointer.day, 1), day_of(tracer.now_s()))
        except Overtaken:
            # A competing trace may be about to commit an equal object: sealing the day removes uncommitted objects.
            continue
        else:
            return
    raise Unavailable(f"root {request.root_id!r} was traced by others in each of {_ROUNDS} rounds")


def _first_open_day(tracer: Tracer) -> str:
    """Find the first day that a digest can still cover; `commit` refuses a sealed day."""
    last = tracer.archive_state.last()
    return shift(last.day, 1) if last else shift(day_of(tracer.now_s()), -_LOOK_BACK_DAYS)


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
