"""The objects of the archive against the digests: a merge of two listings, both sorted by key, in bounded memory."""

from __future__ import annotations

import hashlib
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import takewhile

from lineage.errors import NotFound
from lineage.records.archive import prefix_of
from lineage.records.pointers import ArchiveObject
from lineage.records.verify.chain import Days
from lineage.records.verify.findings import Finding, Kind
from lineage.records.verify.sealed_day import SealedDay, day_of_key, objects_of
from lineage.records.verify.stores import Listed, Store, Unreadable

_OBJECTS = "traces/"
# Objects under way at once.
_WINDOW = 256


@dataclass(frozen=True, slots=True)
class Outcome:
    """An object that was compared: what was found, if anything; `size_bytes` are those that the digest names."""

    day: str
    key: str
    size_bytes: int
    finding: Finding | None


class Stopped(Exception):
    """Nobody waits for the answer any more."""


@dataclass(frozen=True, slots=True)
class ObjectCheck:
    """Compares the objects of a range of days with its digests.

    `sealed` are the digests, oldest first; `last` is the last day that is sealed, whether or not its digest is there.
    """

    store: Store
    days: Days
    sealed: Sequence[SealedDay]
    last: str
    jobs: int = 1
    _stop: threading.Event = field(default_factory=threading.Event)

    def outcomes(self, after: str = "") -> Iterator[Outcome]:
        """What comes of every object whose key comes after this one, in the order of the keys.

        Objects of days that are not sealed yet are counted at the end, a note for each day.
        """
        after = max(after, _before(self.days.first))
        faults = {one.day: one.fault for one in self.sealed}
        pairs = _merged(self._said(after), self._found(after))
        unsealed: dict[str, int] = {}
        works = self._works(pairs, faults, unsealed)
        yield from in_order(works, self.jobs, self._stop)
        for day, objects in unsealed.items():
            told = f"objects that are not sealed yet: {objects:,}"
            yield Outcome(day, prefix_of(day), 0, Finding(day, prefix_of(day), Kind.NOTE, told))

    def _works(
        self,
        pairs: Iterator[tuple[ArchiveObject | None, Listed | None]],
        faults: Mapping[str, str],
        unsealed: dict[str, int],
    ) -> Iterator[Callable[[], Outcome]]:
        for said, found in pairs:
            if said is not None:
                yield partial(self._compare, said, found)
            elif found is not None:
                day = day_of_key(found.key)
                if day is not None and day > self.last:
                    unsealed[day] = unsealed.get(day, 0) + 1
                else:
                    yield partial(_extra, found, day, faults)

    def _said(self, after: str) -> Iterator[ArchiveObject]:
        """What the digests list, those of no use left out."""
        for one in self.sealed:
            if not one.fault and prefix_of(one.day) + "~" > after:
                yield from (said for said in objects_of(self.store, one) if said.key > after)

    def _found(self, after: str) -> Iterator[Listed]:
        found = self.store.listed(_OBJECTS, after)
        if not self.days.last:
            return found
        # A slash is followed by a zero: up to there are the keys of the last day.
        end = f"{prefix_of(self.days.last)[:-1]}0"
        return takewhile(lambda one: one.key < end, found)

    def _compare(self, said: ArchiveObject, found: Listed | None) -> Outcome:
        """An object that is listed in a digest."""
        day = day_of_key(said.key) or ""
        kind, told = self._difference(said, found)
        finding = Finding(day, said.key, kind, told) if kind else None
        return Outcome(day, said.key, said.size_bytes, finding)

    def _difference(self, said: ArchiveObject, found: Listed | None) -> tuple[Kind | None, str]:
        if found is None:
            return Kind.REMOVED, "the digest lists it"
        if found.size_bytes != said.size_bytes:
            return Kind.CHANGED, f"it has {found.size_bytes} bytes, the digest says {said.size_bytes}"
        try:
            sha256 = self._sha256(said.key)
        except NotFound:
            return Kind.REMOVED, "the digest lists it"
        except Unreadable as error:
            return Kind.UNREADABLE, str(error)
        if sha256 != said.sha256:
            return Kind.CHANGED, f"sha256 is {sha256}, the digest says {said.sha256}"
        return None, ""

    def _sha256(self, key: str) -> str:
        sha256 = hashlib.sha256()
        for chunk in self.store.chunks(key):
            if self._stop.is_set():
                raise Stopped
            sha256.update(chunk)
        return sha256.hexdigest()


def _before(first: str) -> str:
    """A key before all of this day and after all of the day before."""
    return prefix_of(first)[:-1] if first else ""


def _extra(found: Listed, day: str | None, faults: Mapping[str, str]) -> Outcome:
    """An object that no digest lists."""
    fault = faults.get(day or "")
    if day is None:
        kind, told = Kind.ADDED, "no object of the archive has such a key"
    elif fault is None:
        kind, told = Kind.NOT_COVERED, "its day has no digest"
    elif fault:
        kind, told = Kind.NOT_COVERED, "its day's digest cannot be used"
    else:
        kind, told = Kind.ADDED, "the digest does not list it"
    return Outcome(day or "", found.key, 0, Finding(day or "", found.key, kind, told))


def _merged(
    said: Iterator[ArchiveObject], found: Iterator[Listed]
) -> Iterator[tuple[ArchiveObject | None, Listed | None]]:
    """What both have, and what one has alone, in the order of the keys."""
    one, other = next(said, None), next(found, None)
    while one is not None or other is not None:
        if other is None or (one is not None and one.key < other.key):
            yield one, None
            one = next(said, None)
        elif one is None or other.key < one.key:
            yield None, other
            other = next(found, None)
        else:
            yield one, other
            one, other = next(said, None), next(found, None)


def in_order(works: Iterator[Callable[[], Outcome]], jobs: int, stop: threading.Event) -> Iterator[Outcome]:
    """Do the works, that many at a time, and yield what comes of them in their order.

    Whoever stops asking stops the works that are under way, by `stop`.
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
