"""The steps of the daily compaction: lease the archive, enqueue dirty roots, wait for them, seal the day, publish it.

The state machine (`infra/compaction.asl.json`) keeps only cursors and counters; every step may be run again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from headwater.aws.clients import CONCURRENCY
from headwater.aws.items import GET_KEYS_MAX, chunks
from headwater.aws.queues import Message, send_all
from headwater.records.archive_state import ArchiveState, ChainLost, DigestRef, Seal
from headwater.records.digest import Digest, Digests, Head
from headwater.records.dirty_roots import DirtyRoot, DirtyRoots
from headwater.records.event_objects import ArrivalDays
from headwater.records.expired import MARGIN_S
from headwater.records.pointers import Pointers
from headwater.records.publications import Publications
from headwater.records.trace_message import TraceRequest, render_trace_request
from headwater.times import day_of, days_between, is_day, shift
from headwater_model.errors import Invalid
from headwater_model.ids import SHARDS

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

    from headwater.records.signatures import Signatures

# Seconds to wait for a day's roots. The digest lists the rest as missing, and the next day gets them.
DEADLINE_S = 6 * 3600
# A lease ends so long after the deadline: sealing is not disturbed.
_LEASE_EXTRA_S = 3600
# Days before the compacted day that are searched for dirty roots. Older records expired meanwhile: they were staged,
# and their roots marked.
_LOOK_BACK_DAYS = 7
# The earliest day that may begin a chain of digests: each later day gets a digest.
_FIRST_DAYS_MAX = 366
# The cursor of a seal before the day's digest is written.
_CLEANED = "cleaned"
# The time of one root on Spark: the state machine waits as long (its task's TimeoutSeconds).
LEFT_ROOT_S = 45 * 60
_LEFT_AT_ONCE = 5
_LEFT_MAX = 20
# Days published by an execution; the next execution continues.
_PUBLISHED_MAX = 31


@dataclass(frozen=True, slots=True)
class Plan:
    """A day (YYYY-MM-DD) to compact, and the latest time to seal it (seconds since 1970)."""

    day: str
    deadline: int


@dataclass(frozen=True, slots=True)
class Slice:
    """The progress of enqueuing a shard: the next cursor (None: done), and the roots so far."""

    cursor: str | None
    enqueued: int


@dataclass(frozen=True, slots=True)
class Sealing:
    """The progress of a seal: the next cursor (None: done), and the day's digest once it is written."""

    cursor: str | None
    digest: Digest | None


@dataclass(frozen=True, slots=True)
class DayToPublish:
    """A sealed day to publish; a day without objects has no tables and needs no Spark."""

    day: str
    objects: bool


@dataclass(frozen=True, slots=True)
class Compactor:
    """The stores and queues of the steps; `signatures` is None if digests are not signed."""

    archive_state: ArchiveState
    dirty_roots: DirtyRoots
    pointers: Pointers
    digests: Digests
    publications: Publications
    sqs: SQSClient
    trace_queue_url: str
    signatures: Signatures | None = None

    def plan(self, day: object, *, execution: str, started_at: int, now_s: int) -> Plan:
        """Lease the archive and choose the day: the requested one, else the day before `started_at`.

        Raises `Invalid` for a malformed day, a day later than today, and an unsealed day before the chain's end or more
        than a year ago; `Conflict` while another execution holds the lease; `ChainLost` for a digest in the bucket
        without a row in the table.
        """
        today = day_of(started_at)
        chosen = shift(today, -1) if day is None else parse_day(day, today=today)
        last = self._known_end()
        if not self.archive_state.seals([chosen]):
            if last is not None and chosen < last.day:
                raise Invalid.because("day", chosen, f"must not precede {last.day}, which is sealed already")
            if last is None and chosen < shift(today, -_FIRST_DAYS_MAX):
                rule = f"must not precede {shift(today, -_FIRST_DAYS_MAX)}: every day since gets a digest"
                raise Invalid.because("day", chosen, rule)
        deadline = started_at + DEADLINE_S
        self.archive_state.lease(execution, now_s=now_s, until_s=deadline + _LEASE_EXTRA_S)
        return Plan(chosen, deadline)

    def enqueue(
        self, day: str, shard: int, so_far: Slice, *, execution: str, started_at: int, in_time: Callable[[], bool]
    ) -> Slice:
        """Send the shard's dirty roots to the trace queue, from the cursor on, a page at a time while `in_time()`."""
        enqueued = so_far.enqueued
        for behind, page in self._pages(day, SHARDS[shard], so_far.cursor):
            requests = (
                TraceRequest(mark.root_id, day, execution, started_at, marked=(mark.day,))
                for mark in page
                if mark.is_pending
            )
            messages = (Message(render_trace_request(request)) for request in requests)
            enqueued += send_all(self.sqs, self.trace_queue_url, messages)
            if not in_time():
                return Slice(behind, enqueued)
        return Slice(None, enqueued)

    def first_pending_shard(self, day: str, shard: int, *, started_ms: int) -> int:
        """Find the first shard from `shard` on with a root to wait for; `len(SHARDS)` if there is none.

        Records of today arrive all the time: marks made after the start (milliseconds since 1970) do not count.
        """
        for number in range(shard, len(SHARDS)):
            marks = self._dirty_roots(day, SHARDS[number])
            if any(mark.is_pending and mark.since <= started_ms for mark in marks):
                return number
        return len(SHARDS)

    def find_deferred(self, day: str, *, deadline: int, now_s: int) -> list[DirtyRoot]:
        """List the roots deferred to the Spark tracer: as many as it can trace before the lease is over."""
        rounds = max(1, (deadline + LEFT_ROOT_S - now_s) // LEFT_ROOT_S)
        left = (mark for shard in SHARDS for mark in self._dirty_roots(day, shard) if mark.is_deferred)
        return list(islice(left, min(_LEFT_MAX, rounds * _LEFT_AT_ONCE)))

    def find_unpublished(self, day: str, *, again: bool) -> list[DayToPublish]:
        """List up to 31 unpublished sealed days until `day`, oldest first; with `again`, `day` too."""
        last = self.publications.last() or shift(self.digests.first_day() or day, -1)
        days = days_between(shift(last, 1), day)
        sealed = [
            sealed_day for batch in chunks(days, GET_KEYS_MAX) for sealed_day in sorted(self.archive_state.seals(batch))
        ]
        if again and day not in sealed:
            sealed = [*sealed, day]
        return [DayToPublish(sealed_day, self._has_objects(sealed_day)) for sealed_day in sealed[:_PUBLISHED_MAX]]

    def seal(
        self, day: str, *, execution: str, now_s: int, cursor: str | None = None, in_time: Callable[[], bool]
    ) -> Sealing:
        """Close the day and every earlier open day, write the digests, and carry dirty roots over, while `in_time()`.

        A call continues at the cursor of the previous call, and does a piece at least. Raises `ChainLost`, as `plan`
        does.
        """
        last = self._known_end()
        if cursor is None:
            if last is not None:
                # A slow trace uploads after the seal, too: objects outside the digest are removed.
                self.digests.remove_orphans(last.day, self.digests.objects_of(last.day))
            if not in_time():
                return Sealing(_CLEANED, None)
        for earlier in self._open_days(day, last):
            last = self._seal(earlier, Seal(execution, now_s), last, frozenset()).link
            if not in_time():
                return Sealing(_CLEANED, None)
        # Missing roots are counted once, for the digest: an existing digest stays as it is.
        is_sealed = last is not None and day <= last.day
        missing = frozenset() if is_sealed else self._missing(day)
        digest = self._seal(day, Seal(execution, now_s), last, missing)
        # Only now: the digest names the dirty roots, so their old marks may go.
        after = self._carry_over(day, None if cursor in (None, _CLEANED) else cursor, in_time)
        if after is None:
            self.archive_state.release(execution)
        return Sealing(after, digest)

    def _missing(self, day: str) -> frozenset[str]:
        """Collect the dirty roots; a refused root is missing on the day of its records alone."""
        marks = (mark for shard in SHARDS for mark in self._dirty_roots(day, shard) if mark.is_dirty)
        return frozenset(mark.root_id for mark in marks if mark.day == day or not mark.is_refused)

    def _known_end(self) -> DigestRef | None:
        """Read the end of the chain. A seal that broke off may have written the next digest, of a closed day."""
        last = self.archive_state.last()
        later = list(islice(self.digests.days(last.day if last else ""), 2))
        if later and (len(later) > 1 or not self.archive_state.seals(later)):
            end = last.day if last else "none"
            raise ChainLost(
                f"the bucket has a digest of {later[0]}, the end of the chain in the graph table is {end}: "
                "rebuild the table's rows by the command `replay`"
            )
        return last

    def _seal(self, day: str, seal: Seal, previous: DigestRef | None, missing: Set[str]) -> Digest:
        if previous is not None and day <= previous.day:
            return self.digests.get(day)
        counted = self.archive_state.seal(day, seal)
        self.digests.remove_orphans(day, self.pointers.objects_of(day))
        events = _arrival_days(day, counted, self.archive_state.events_to())
        removed = self.digests.removed(self._sealed_at(previous) - MARGIN_S)
        head = Head(day, counted, previous, events, len(removed))
        arrived = self.digests.events_of(events)
        digest = self.digests.put(head, self.pointers.objects_of(day), missing, arrived, removed)
        if self.signatures is not None:
            self.signatures.put(digest.link)
        self.archive_state.put_last(digest.link, events.to)
        return digest

    def _sealed_at(self, digest: DigestRef | None) -> int:
        """Read the time of the digest's seal; before the first digest, the earliest time."""
        seal = self.archive_state.seals([digest.day]).get(digest.day) if digest else None
        return seal.sealed_at if seal else 0

    def _open_days(self, day: str, last: DigestRef | None) -> list[str]:
        """List the earlier days to seal: all since the last digest; without a digest, the days with objects."""
        if last is not None:
            return days_between(shift(last.day, 1), shift(day, -1))
        return [earlier for earlier in self._days(day)[:-1] if self._has_objects(earlier)]

    def _has_objects(self, day: str) -> bool:
        return next(self.pointers.objects_of(day), None) is not None

    def _carry_over(self, day: str, cursor: str | None, in_time: Callable[[], bool]) -> str | None:
        """Mark the dirty roots on the next day, from the cursor on; return the next cursor, or None at the end.

        A root with records behind the cursor stays marked on its day, and the next compaction finds it there. A refused
        root is tried again only with new records.
        """
        with ThreadPoolExecutor(CONCURRENCY) as pool:
            for behind, page in self._pages(day, SHARDS, cursor):
                dirty = [mark for mark in page if mark.is_dirty and not mark.is_refused]
                deque(pool.map(lambda mark: self._carry(mark, shift(day, 1)), dirty), maxlen=0)
                if dirty and not in_time():
                    return behind
        return None

    def _carry(self, mark: DirtyRoot, day: str) -> None:
        read_at = self.dirty_roots.now_ms()
        self.dirty_roots.mark(mark.root_id, day)
        if not mark.is_pending:
            for carried in self.dirty_roots.find_on(mark.root_id, [day]):
                self.dirty_roots.defer(carried)
        self.dirty_roots.mark_traced(mark, read_at=read_at)

    def _dirty_roots(self, day: str, shard: str) -> Iterator[DirtyRoot]:
        return (mark for _, page in self._pages(day, shard, None) for mark in page)

    def _pages(self, day: str, shards: Sequence[str], cursor: str | None) -> Iterator[tuple[str, list[DirtyRoot]]]:
        """Yield the marks after a cursor, a page at a time, with the cursor behind: `2026-11-20|<SHA-256>`."""
        first, _, after = (cursor or "").partition("|")
        for place in ((marked_on, shard) for marked_on in self._days(day) for shard in shards):
            if place >= (first, after[:1]):
                start = after if place == (first, after[:1]) else None
                for page in filter(None, self.dirty_roots.pages_on(*place, after=start)):
                    yield f"{place[0]}|{page[-1][0]}", [mark for _, mark in page]

    def _days(self, day: str) -> list[str]:
        """List the days with marks to read: late records mark roots of sealed days, too."""
        return days_between(shift(day, -_LOOK_BACK_DAYS), day)


def _arrival_days(day: str, seal: Seal, covered: str) -> ArrivalDays:
    """Compute the days of arrival for the day's digest: all days after `covered` that are over.

    Loaders write under the current day, so a day gets no more events once it and a margin are over. A day sealed by
    hand before its end leaves its events to the next digest.

    >>> _arrival_days("2026-11-20", Seal("nightly", 1_795_221_000), "2026-11-19")
    ArrivalDays(after='2026-11-19', to='2026-11-20')
    >>> _arrival_days("2026-11-21", Seal("by hand", 1_795_221_000), "2026-11-20")
    ArrivalDays(after='2026-11-20', to='2026-11-20')
    """
    over = shift(day_of(seal.sealed_at - MARGIN_S), -1)
    return ArrivalDays(covered, max(covered, min(day, over)))


def parse_day(day: object, *, today: str) -> str:
    """Check a day to compact. Raises `Invalid` for other text, and for a day later than today."""
    if not isinstance(day, str) or not is_day(day) or day > today:
        raise Invalid.because("day", day, f"must be a day as YYYY-MM-DD, at the latest {today}")
    return day
