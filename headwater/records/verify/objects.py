"""The objects of the archive against the digests: a merge of two listings, both sorted by key, in bounded memory.

Digests cover two parts: traces by their day, events by the day of their arrival.
"""

from __future__ import annotations

import hashlib
import threading
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterator, Sequence, Set
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, takewhile
from typing import TypeAlias

from headwater.records.archive import prefix_of
from headwater.records.event_objects import EventObject, event_prefix_of
from headwater.records.pointers import ArchiveObject
from headwater.records.verify.chain import DayRange, Finding, Kind
from headwater.records.verify.sealed_day import SealedDay, entries_of
from headwater.records.verify.stores import Listed, Store, Unreadable
from headwater.settings import EVENTS_PREFIX
from headwater.times import day_of_key, end_of_folder
from headwater_model.errors import NotFound

# A digest's day and its entry of an object.
Entry: TypeAlias = "tuple[str, ArchiveObject | EventObject]"
TRACES = "traces/"
# Bodies are copies from the objects of batches, under `events/bodies/`: they have no day, and no replay reads them.
_BODIES_END = f"{EVENTS_PREFIX}bodies0"
# Objects under way at once.
_WINDOW = 256


@dataclass(frozen=True, slots=True)
class Part:
    """A prefix of the archive, with its entries in the digests of a range of days.

    Keys of the range come after `first` and before `end` (empty: no bound); `last` is the last covered day. `entry` is
    the kind of a digest's entries, `fault_of` the fault of a day's digest: empty if it is good, None for a day without
    a digest.
    """

    prefix: str
    entry: type[ArchiveObject] | type[EventObject]
    first: str
    end: str
    last: str
    prefix_of: Callable[[str], str]
    fault_of: Callable[[str], str | None]


def traces_part(days: DayRange, sealed: Sequence[SealedDay], last: str) -> Part:
    """Build the part of the range's traces; `last` is the last sealed day."""
    faults = {sealed_day.day: sealed_day.fault for sealed_day in sealed}
    return Part(
        prefix=TRACES,
        entry=ArchiveObject,
        # After all keys of the day before.
        first=prefix_of(days.first)[:-1] if days.first else "",
        end=end_of_folder(prefix_of(days.last)) if days.last else "",
        last=last,
        prefix_of=prefix_of,
        fault_of=faults.get,
    )


def events_part(days: DayRange, sealed: Sequence[SealedDay], last: str) -> Part:
    """Build the part of the range's events, under `events/`: a digest covers more days than its own, or none."""
    covering = [sealed_day for sealed_day in sealed if sealed_day.events.to]
    ends = [sealed_day.events.to for sealed_day in covering]
    # The digest of the last day names the last covered day: a day sealed by hand before its end is not covered yet.
    newest = sealed[-1].events.to if sealed and sealed[-1].day == last and sealed[-1].head else last

    def fault_of(day: str) -> str | None:
        place = bisect_left(ends, day)
        holds = place < len(ends) and covering[place].events.after < day
        return covering[place].fault if holds else None

    return Part(
        prefix=EVENTS_PREFIX,
        entry=EventObject,
        first=max(_BODIES_END, _first_event(days, covering)),
        end=end_of_folder(event_prefix_of(ends[-1] if ends else days.last)) if days.last else "",
        last=newest,
        prefix_of=event_prefix_of,
        fault_of=fault_of,
    )


def _first_event(days: DayRange, covering: Sequence[SealedDay]) -> str:
    """Choose a key between the events before the range and in the range."""
    if not days.first:
        return ""
    if not covering:
        return event_prefix_of(days.first)[:-1]
    after = covering[0].events.after
    return end_of_folder(event_prefix_of(after)) if after else ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A compared object, with its finding, if any; `size_bytes` is the digest's number.

    `day` is the day of the object's digest.
    """

    day: str
    key: str
    size_bytes: int
    finding: Finding | None


class Stopped(Exception):
    """A check stopped by its caller."""


@dataclass(frozen=True, slots=True)
class ObjectCheck:
    """A comparison of a range's objects with its digests.

    `sealed` are the digests, oldest first; `last` is the last sealed day, with or without a digest. The objects of
    `removed` may be missing, and events that arrived before the day `events_from`.
    """

    store: Store
    days: DayRange
    sealed: Sequence[SealedDay]
    last: str
    jobs: int = 1
    removed: Set[str] = frozenset()
    events_from: str = ""
    _stop: threading.Event = field(default_factory=threading.Event)

    def outcomes(self) -> Iterator[Outcome]:
        """Yield the outcome of every object, part by part, in the order of keys.

        Unsealed objects are counted at the end, in a note for each day of each part.
        """
        parts = (events_part(self.days, self.sealed, self.last), traces_part(self.days, self.sealed, self.last))
        unsealed: dict[tuple[str, str], int] = {}
        yield from in_order(
            chain.from_iterable(self._works(part, unsealed) for part in parts),
            self.jobs,
            self._stop,
        )
        for (day, prefix), objects in unsealed.items():
            message = f"objects that are not sealed yet: {objects:,}"
            yield Outcome(day, prefix, 0, Finding(day, prefix, Kind.NOTE, message))

    def _works(self, part: Part, unsealed: dict[tuple[str, str], int]) -> Iterator[Callable[[], Outcome]]:
        present = takewhile(
            lambda candidate: not part.end or candidate.key < part.end, self.store.list_objects(part.prefix, part.first)
        )
        for entry, listed in _merge(self._entries(part), present):
            if entry is not None and listed is None and self._may_miss(entry[1]):
                continue
            if entry is not None:
                yield partial(self._compare, *entry, listed)
            elif listed is not None:
                day = day_of_key(listed.key)
                if day > part.last:
                    noted = day, part.prefix_of(day)
                    unsealed[noted] = unsealed.get(noted, 0) + 1
                else:
                    yield partial(_extra, listed, day, part)

    def _may_miss(self, entry: ArchiveObject | EventObject) -> bool:
        has_expired = isinstance(entry, EventObject) and day_of_key(entry.key) < self.events_from
        return has_expired or entry.key in self.removed

    def _entries(self, part: Part) -> Iterator[Entry]:
        """Yield the part's entries in the usable digests."""
        for sealed_day in self.sealed:
            if not sealed_day.fault:
                listed = (entry for entry in entries_of(self.store, sealed_day) if isinstance(entry, part.entry))
                yield from ((sealed_day.day, entry) for entry in listed if entry.key > part.first)

    def _compare(self, day: str, entry: ArchiveObject | EventObject, listed: Listed | None) -> Outcome:
        """Compare an object that the digest of a day lists."""
        kind, message = self._difference(entry, listed)
        finding = Finding(day_of_key(entry.key), entry.key, kind, message) if kind else None
        return Outcome(day, entry.key, entry.size_bytes, finding)

    def _difference(self, entry: ArchiveObject | EventObject, listed: Listed | None) -> tuple[Kind | None, str]:
        if listed is None:
            return Kind.REMOVED, "the digest lists it"
        if listed.size_bytes != entry.size_bytes:
            return Kind.CHANGED, f"it has {listed.size_bytes} bytes, the digest says {entry.size_bytes}"
        try:
            sha256 = self._sha256(entry.key)
        except NotFound:
            return Kind.REMOVED, "the digest lists it"
        except Unreadable as error:
            return Kind.UNREADABLE, str(error)
        if sha256 != entry.sha256:
            return Kind.CHANGED, f"sha256 is {sha256}, the digest says {entry.sha256}"
        return None, ""

    def _sha256(self, key: str) -> str:
        sha256 = hashlib.sha256()
        for chunk in self.store.chunks(key):
            if self._stop.is_set():
                raise Stopped
            sha256.update(chunk)
        return sha256.hexdigest()


def _extra(listed: Listed, day: str, part: Part) -> Outcome:
    """Report an object without an entry."""
    fault = part.fault_of(day)
    if not day:
        kind, message = Kind.ADDED, "no object of the archive has such a key"
    elif fault is None:
        kind, message = Kind.NOT_COVERED, "its day has no digest"
    elif fault:
        kind, message = Kind.NOT_COVERED, "its day's digest cannot be used"
    else:
        kind, message = Kind.ADDED, "the digest does not list it"
    return Outcome(day, listed.key, 0, Finding(day, listed.key, kind, message))


def _merge(entries: Iterator[Entry], objects: Iterator[Listed]) -> Iterator[tuple[Entry | None, Listed | None]]:
    """Yield pairs of entry and object by key, with None for a missing side."""
    entry, listed = next(entries, None), next(objects, None)
    while entry is not None or listed is not None:
        if listed is None or (entry is not None and entry[1].key < listed.key):
            yield entry, None
            entry = next(entries, None)
        elif entry is None or listed.key < entry[1].key:
            yield None, listed
            listed = next(objects, None)
        else:
            yield entry, listed
            entry, listed = next(entries, None), next(objects, None)


def in_order(works: Iterator[Callable[[], Outcome]], jobs: int, stop: threading.Event) -> Iterator[Outcome]:
    """Do the works, `jobs` at a time, and yield the outcomes in their order.

    A caller that closes the iterator stops the works under way, by `stop`.
    """
    if jobs == 1:
        yield from (work() for work in works)
        return
    with ThreadPoolExecutor(jobs) as pool:
        under_way: deque[Future[Outcome]] = deque()
        try:
            for work in works:
                under_way.append(pool.submit(work))
                if len(under_way) == _WINDOW:
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)
