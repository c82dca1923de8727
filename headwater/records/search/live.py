"""The unpublished part of a search: records outside the objects of published days.

Roots with unpublished records are read in the order of their ids' SHA-256, a page at a time. They were marked dirty
after the last published day, or on it or the day before (a late load), or have an object of a later day. A trace on
demand cleans roots of earlier days. Dirty roots are read before objects: a root traced in between is seen in one of the
two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from headwater.aws.clients import READ_CONCURRENCY
from headwater.aws.items import chunks
from headwater.records.dirty_roots import DirtyRoot, DirtyRoots
from headwater.records.pointers import Pointers
from headwater.records.root_records import RecordSources
from headwater.records.search.criteria import Horizon, LiveCursor, SearchCriteria, SearchRecord, SearchStep
from headwater.records.search.root import RECORDS_MAX, RECORDS_MAX_ALONE, RootSearch
from headwater.records.table import expiry_of, parse_item
from headwater.times import days_between, shift
from headwater_model.ids import SHARDS

if TYPE_CHECKING:
    from headwater.aws.items import Item


# Days with rows of clean roots; roots that were not compacted for longer are not searched.
KEPT_DAYS = 40
# The days of a first compaction's search for dirty roots: older roots were marked again as records expired.
_UNCOMPACTED_DAYS = 8
# After every SHA-256 of a shard.
_END = "g"
_NODES_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class UnpublishedDays:
    """The days of dirty roots and objects to read; on the `late` days only roots that are still dirty count."""

    late: Sequence[str]
    marked: Sequence[str]
    archived: Sequence[str]


def unpublished_days(last: str | None, *, today: str, sealed_first: str | None = None) -> UnpublishedDays:
    """Choose the days to read if all days up to `last` are published (None: no day).

    Traces and dirty roots may be of tomorrow, if today is sealed already. Without a published day, `sealed_first` is
    the first sealed day of the last `KEPT_DAYS`.
    """
    tomorrow = shift(today, 1)
    if last is None:
        first = shift(min(sealed_first or today, today), -_UNCOMPACTED_DAYS)
        return UnpublishedDays([], days_between(first, tomorrow), days_between(first, tomorrow))
    first = max(shift(last, 1), shift(today, -KEPT_DAYS))
    later = days_between(first, tomorrow) if first <= tomorrow else []
    return UnpublishedDays([shift(last, -1), last], later, later)


@dataclass(frozen=True, slots=True)
class RootPage:
    """A page of roots by the SHA-256 of their ids, with the known ids; the next page is after `upto`."""

    roots: Mapping[str, str | None]
    upto: str


@dataclass(frozen=True, slots=True)
class Roots:
    """The lists of roots by day."""

    dirty_roots: DirtyRoots
    pointers: Pointers

    def pages(self, days: UnpublishedDays, *, after: str, pool: ThreadPoolExecutor) -> Iterator[RootPage]:
        """Yield the pages of roots after `after`, at least one for each remaining shard; days are read in parallel."""
        for shard in SHARDS:
            # All SHA-256 of a shard begin with its digit.
            after = max(after, shard)
            while after < shard + _END:
                window = self._page(days, shard, after, pool)
                yield window
                after = window.upto

    def _page(self, days: UnpublishedDays, shard: str, after: str, pool: ThreadPoolExecutor) -> RootPage:
        marked_days = [(day, True) for day in days.late] + [(day, False) for day in days.marked]
        pages = list(pool.map(lambda entry: self._read_marked(entry[0], shard, after), marked_days))
        upto = min((page[-1][0] for page, more in pages if more), default=shard + _END)
        archived = pool.map(lambda day: list(self.pointers.roots_on(day, shard, after=after, upto=upto)), days.archived)
        roots: dict[str, str | None] = {sha: None for shas in archived for sha in shas}
        for (_, late), (page, _) in zip(marked_days, pages, strict=True):
            roots |= {sha: mark.root_id for sha, mark in page if sha <= upto and (mark.is_dirty or not late)}
        return RootPage(dict(sorted(roots.items())), upto)

    def _read_marked(self, day: str, shard: str, after: str) -> tuple[list[tuple[str, DirtyRoot]], bool]:
        """Read the first dirty roots after a SHA-256, and True if there may be more."""
        pages = list(islice(self.dirty_roots.pages_on(day, shard, after=after), 2))
        return [root for page in pages for root in page], len(pages) == 2


@dataclass(frozen=True, slots=True)
class LiveSearch:
    """The unpublished part of a search; its stores."""

    sources: RecordSources
    roots: Roots

    def steps(
        self, criteria: SearchCriteria, horizon: Horizon | None, place: LiveCursor, days: UnpublishedDays
    ) -> Iterator[SearchStep[LiveCursor]]:
        """Yield the unpublished records, each node of a root once; yield a cursor now and then, and at the end."""
        if criteria.root is not None:
            return self._root(criteria, horizon, criteria.root, RECORDS_MAX_ALONE).steps(place)
        if criteria.node is not None:
            return self._of_node(criteria, criteria.node, horizon, place)
        return self._of_all(criteria, horizon, place, days)

    def _root(
        self, criteria: SearchCriteria, horizon: Horizon | None, root_id: str, records_max: int = RECORDS_MAX
    ) -> RootSearch:
        return RootSearch(self.sources, criteria, horizon, root_id, records_max=records_max)

    def _of_node(
        self, criteria: SearchCriteria, node_id: str, horizon: Horizon | None, place: LiveCursor
    ) -> Iterator[SearchStep[LiveCursor]]:
        """Search by the index of nodes, without the records that left the table."""
        start: Item | None = {"node_id": {"S": node_id}, "root_id": {"S": place.node}} if place.node else None
        while True:
            page = self.sources.table.page_of_node(node_id, start=start, limit=_NODES_AT_ONCE)
            for item in page.items:
                record = parse_item(item)
                root = self._root(criteria, horizon, record.root_id)
                if criteria.matches(record) and not root.is_published(item):
                    yield SearchStep(replace(place, node=record.root_id), SearchRecord(record, expiry_of(item), None))
            start = page.last_key
            if start is None:
                return
            yield SearchStep(replace(place, node=start["root_id"]["S"]))

    def _of_all(
        self, criteria: SearchCriteria, horizon: Horizon | None, place: LiveCursor, days: UnpublishedDays
    ) -> Iterator[SearchStep[LiveCursor]]:
        """Search root by root, in the order of the SHA-256 of their ids."""
        # A root under way is among the roots after its SHA-256 without the last digit.
        after = place.root_sha if place.part == "done" else place.root_sha[:-1]
        with ThreadPoolExecutor(READ_CONCURRENCY) as pool:
            for window in self.roots.pages(days, after=after, pool=pool):
                for batch in chunks(list(window.roots.items()), READ_CONCURRENCY):
                    searches = self._searches(criteria, horizon, place, dict(batch))
                    for step in _side_by_side(searches, pool):
                        # Roots are begun in parallel: `truncated` of earlier roots is added here.
                        place = replace(step.place, truncated=step.place.truncated or place.truncated)
                        yield SearchStep(place, step.found)
                place = LiveCursor(window.upto, "done", truncated=place.truncated)
                yield SearchStep(place)

    def _searches(
        self, criteria: SearchCriteria, horizon: Horizon | None, place: LiveCursor, roots: Mapping[str, str | None]
    ) -> list[Iterator[SearchStep[LiveCursor]]]:
        """Build the search of each unfinished root, from its beginning or from the cursor in it."""
        named = self.sources.pointers.find_by_sha([sha for sha, root_id in roots.items() if root_id is None])
        begun = place if place.part != "done" else None
        return [
            self._root(criteria, horizon, root_id or named[sha][0]).steps(
                begun if begun and sha == begun.root_sha else LiveCursor()
            )
            for sha, root_id in roots.items()
            if sha >= place.root_sha and (root_id or sha in named)
        ]


def _side_by_side(
    searches: Sequence[Iterator[SearchStep[LiveCursor]]], pool: ThreadPoolExecutor
) -> Iterator[SearchStep[LiveCursor]]:
    """Yield all steps of search after search; each search is begun at once."""
    for begun, search in zip(pool.map(_begin, searches), searches, strict=True):
        yield from begun
        yield from search


def _begin(steps: Iterator[SearchStep[LiveCursor]]) -> list[SearchStep[LiveCursor]]:
    """Take the steps up to the first step without a record."""
    begun: list[SearchStep[LiveCursor]] = []
    for step in steps:
        begun.append(step)
        if step.found is None:
            break
    return begun
