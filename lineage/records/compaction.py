"""The steps of the daily compaction: lease the archive, enqueue dirty roots, wait for them, seal the day, publish it.

The state machine (`infra/compaction.asl.json`) keeps only cursors and counters; every step may be run again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from lineage.aws.items import GET_KEYS_MAX, chunks
from lineage.aws.queues import Message, send_all
from lineage.records.archive_state import Calendar, Link, Seal
from lineage.records.digest import Head
from lineage.records.digests import Digest, Digests
from lineage.records.dirty_roots import Mark, Marks
from lineage.records.event_objects import ArrivalDays
from lineage.records.expired import MARGIN_S
from lineage.records.pointers import Pointers
from lineage.records.publications import Publications
from lineage.records.trace_request import TraceRequest, render_trace_request
from lineage.times import day_of, days_between, shift
from lineage_model.errors import Invalid
from lineage_model.ids import SHARDS

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

    from lineage.records.signatures import Signatures

# How long a day's roots are waited for: the rest is listed in the digest and carried over.
DEADLINE_S = 6 * 3600
# A lease outlives the deadline by this, so that sealing is not disturbed.
_LEASE_EXTRA_S = 3600
# Marks on days that nobody compacted are looked for as far back; what is older was staged and marked when it expired.
_LOOK_BACK_DAYS = 7
# What one root may take on Spark, the longest that the state machine waits for it (its task's TimeoutSeconds).
LEFT_ROOT_S = 45 * 60
_LEFT_AT_ONCE = 5
_LEFT_MAX = 20
# Days that one execution publishes; the next one goes on.
_PUBLISHED_MAX = 31


@dataclass(frozen=True, slots=True)
class Plan:
    """A day (YYYY-MM-DD) to compact and when it must be sealed at the latest (seconds since 1970)."""

    day: str
    deadline: int


@dataclass(frozen=True, slots=True)
class Slice:
    """How far a shard has been enqueued: the place to go on from (None: all done), and the roots so far."""

    cursor: str | None
    enqueued: int


@dataclass(frozen=True, slots=True)
class DayToPublish:
    """A sealed day whose tables are to be made; without objects it has none, and needs no Spark."""

    day: str
    objects: bool


@dataclass(frozen=True, slots=True)
class Compactor:
    """What the steps read, write and send to; `signatures` is None where digests are not signed."""

    calendar: Calendar
    marks: Marks
    pointers: Pointers
    digests: Digests
    publications: Publications
    sqs: SQSClient
    trace_queue_url: str
    signatures: Signatures | None = None

    def plan(self, day: object, *, execution: str, started_at: int, now_s: int) -> Plan:
        """Lease the archive and settle the day: the one asked for, else the day before `started_at`.

        Raises `Invalid` for a day that is none, or is not over and later than today, or precedes the chain's end
        unsealed; `Conflict` when another execution holds the lease.
        """
        chosen = shift(day_of(started_at), -1) if day is None else _parse_day(day, today=day_of(started_at))
        last = self.calendar.last()
        if last is not None and chosen < last.day and not self.calendar.seals([chosen]):
            raise Invalid.because("day", chosen, f"must not precede {last.day}, which is sealed already")
        deadline = started_at + DEADLINE_S
        self.calendar.lease(execution, now_s=now_s, until_s=deadline + _LEASE_EXTRA_S)
        return Plan(chosen, deadline)

    def enqueue(
        self, day: str, shard: int, so_far: Slice, *, execution: str, started_at: int, in_time: Callable[[], bool]
    ) -> Slice:
        """Send the shard's dirty roots to the trace queue, from the cursor on, a page at a time while `in_time()`."""
        first, _, after = (so_far.cursor or "").partition("|")
        enqueued = so_far.enqueued
        for marked_on in self._days(day):
            if marked_on < first:
                continue
            pages = self.marks.marks_on(marked_on, SHARDS[shard], after=after if after and marked_on == first else None)
            for page in pages:
                waiting = (mark for _, mark in page if mark.waiting)
                enqueued += send_all(
                    self.sqs, self.trace_queue_url, (_message(mark, day, execution, started_at) for mark in waiting)
                )
                if page and not in_time():
                    return Slice(f"{marked_on}|{page[-1][0]}", enqueued)
        return Slice(None, enqueued)

    def settled_up_to(self, day: str, shard: int) -> int:
        """The first shard, from this one on, that still waits for a root; `len(SHARDS)` when none does."""
        for number in range(shard, len(SHARDS)):
            if any(mark.waiting for mark in self._marks(day, SHARDS[number])):
                return number
        return len(SHARDS)

    def left(self, day: str, *, deadline: int, now_s: int) -> list[Mark]:
        """The marks of roots that are left to the Spark tracer: as many as it can take on before the lease is over."""
        rounds = max(1, (deadline + LEFT_ROOT_S - now_s) // LEFT_ROOT_S)
        left = (mark for shard in SHARDS for mark in self._marks(day, shard) if mark.dirty and not mark.waiting)
        return list(islice(left, min(_LEFT_MAX, rounds * _LEFT_AT_ONCE)))

    def unpublished(self, day: str, *, again: bool) -> list[DayToPublish]:
        """The sealed days up to this one that are not published yet, oldest first; with `again`, this one anyhow."""
        last = self.publications.last() or shift(self.digests.first_day() or day, -1)
        days = days_between(shift(last, 1), day)
        sealed = [one for some in chunks(days, GET_KEYS_MAX) for one in sorted(self.calendar.seals(some))]
        if again and day not in sealed:
            sealed = [*sealed, day]
        return [DayToPublish(one, self._has_objects(one)) for one in sealed[:_PUBLISHED_MAX]]

    def seal(self, day: str, *, execution: str, now_s: int) -> Digest:
        """Close the day, and every earlier one left open, and write the digests; what is dirty is carried over."""
        last = self.calendar.last()
        for earlier in self._open_days(day, last):
            last = self._seal(earlier, Seal(execution, now_s), last, []).link
        dirty = [mark for shard in SHARDS for mark in self._marks(day, shard) if mark.dirty]
        digest = self._seal(day, Seal(execution, now_s), last, sorted({mark.root_id for mark in dirty}))
        # Only now: until the digest names them, their marks are what tells of them.
        for mark in dirty:
            self._carry_over(mark, shift(day, 1), now_s)
        self.calendar.release(execution)
        return digest

    def _seal(self, day: str, seal: Seal, previous: Link | None, missing: list[str]) -> Digest:
        if previous is not None and day <= previous.day:
            return self.digests.get(day)
        counted = self.calendar.seal(day, seal)
        self.digests.remove_orphans(day, self.pointers.objects_of(day))
        events = _arrival_days(day, counted, self.calendar.events_to())
        head = Head(day, counted, previous, events)
        digest = self.digests.put(head, self.pointers.objects_of(day), missing, self.digests.events_of(events))
        if self.signatures is not None:
            self.signatures.put(digest.link)
        self.calendar.put_last(digest.link, events.to)
        return digest

    def _open_days(self, day: str, last: Link | None) -> list[str]:
        """Days before this one that need a digest: all since the last; before a first one, those with objects."""
        if last is not None:
            return days_between(shift(last.day, 1), shift(day, -1))
        return [earlier for earlier in self._days(day)[:-1] if self._has_objects(earlier)]

    def _has_objects(self, day: str) -> bool:
        return next(self.pointers.objects_of(day), None) is not None

    def _carry_over(self, mark: Mark, day: str, now_s: int) -> None:
        self.marks.mark(mark.root_id, day)
        if not mark.waiting:
            for carried in self.marks.marks_of(mark.root_id, [day]):
                self.marks.leave(carried)
        self.marks.finish(mark, now_s=now_s)

    def _marks(self, day: str, shard: str) -> Iterator[Mark]:
        for marked_on in self._days(day):
            for page in self.marks.marks_on(marked_on, shard):
                yield from (mark for _, mark in page)

    def _days(self, day: str) -> list[str]:
        """The days whose marks count: those since the last sealed one, which may have got late ones, and this."""
        earliest = shift(day, -_LOOK_BACK_DAYS)
        last = self.calendar.last()
        first = max(earliest, shift(last.day, -1)) if last else earliest
        return days_between(min(first, day), day)


def _arrival_days(day: str, seal: Seal, covered: str) -> ArrivalDays:
    """Return the days of arrival that the day's digest covers: those since the covered ones that are over.

    Loaders write under the day that it is. Once that is over, and a margin with it, nothing is added to it: a day that
    is sealed by hand before its end leaves its events to the next digest.

    >>> _arrival_days("2026-11-20", Seal("nightly", 1_795_221_000), "2026-11-19")
    ArrivalDays(after='2026-11-19', to='2026-11-20')
    >>> _arrival_days("2026-11-21", Seal("by hand", 1_795_221_000), "2026-11-20")
    ArrivalDays(after='2026-11-20', to='2026-11-20')
    """
    over = shift(day_of(seal.sealed_at - MARGIN_S), -1)
    return ArrivalDays(covered, max(covered, min(day, over)))


def _parse_day(day: object, *, today: str) -> str:
    try:
        parsed = shift(day, 0) if isinstance(day, str) else None
    except ValueError:
        parsed = None
    if parsed is None or parsed > today:
        raise Invalid.because("day", day, f"must be a day as YYYY-MM-DD, at the latest {today}")
    return parsed


def _message(mark: Mark, day: str, execution: str, started_at: int) -> Message:
    return Message(render_trace_request(TraceRequest(mark.root_id, day, execution, started_at, marked=(mark.day,))))
