"""The roots that may have unpublished records, in the order of their ids' SHA-256, a page at a time.

They are the roots marked dirty on a day after the last published one, or on that day or the day before (a late load),
and the roots with an object of a later day: a trace on demand cleans roots of days before its own. Dirty roots are read
before objects, so that a root that is traced in between is seen in one or the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice

from headwater.records.dirty_roots import DirtyRoot, DirtyRoots
from headwater.records.pointers import Pointers
from headwater.times import days_between, shift
from headwater_model.ids import SHARDS

# The rows of clean roots stay as long; roots that were not compacted for longer are not searched.
KEPT_DAYS = 40
# The days that a first compaction looks back for dirty roots: older roots were marked again as records expired.
_UNCOMPACTED_DAYS = 8
# After every SHA-256 of a shard.
_END = "g"


@dataclass(frozen=True, slots=True)
class UnpublishedDays:
    """The days whose dirty roots and objects are read; of the `late` days only roots that are still dirty count."""

    late: Sequence[str]
    marked: Sequence[str]
    archived: Sequence[str]


def unpublished_days(last: str | None, *, today: str, sealed_first: str | None = None) -> UnpublishedDays:
    """Return the days to read when all days up to `last` are published (None: no day is).

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
    """A page of roots in the order of their ids' SHA-256, with the ids where known; the next page is after `upto`."""

    roots: Mapping[str, str | None]
    upto: str


@dataclass(frozen=True, slots=True)
class Roots:
    """The lists of roots by day."""

    dirty_roots: DirtyRoots
    pointers: Pointers

    def pages(self, days: UnpublishedDays, *, after: str, pool: ThreadPoolExecutor) -> Iterator[RootPage]:
        """Yield the pages of roots after `after`, at least one for each shard left; days are read in parallel."""
        for shard in SHARDS:
            # All SHA-256 of a shard begin with its digit.
            after = max(after, shard)
            while after < shard + _END:
                window = self._page(days, shard, after, pool)
                yield window
                after = window.upto

    def _page(self, days: UnpublishedDays, shard: str, after: str, pool: ThreadPoolExecutor) -> RootPage:
        marked_days = [(day, True) for day in days.late] + [(day, False) for day in days.marked]
        pages = list(pool.map(lambda entry: self._marked(entry[0], shard, after), marked_days))
        upto = min((page[-1][0] for page, more in pages if more), default=shard + _END)
        archived = pool.map(lambda day: list(self.pointers.roots_on(day, shard, after=after, upto=upto)), days.archived)
        roots: dict[str, str | None] = {sha: None for shas in archived for sha in shas}
        for (_, late), (page, _) in zip(marked_days, pages, strict=True):
            roots |= {sha: mark.root_id for sha, mark in page if sha <= upto and (mark.is_dirty or not late)}
        return RootPage(dict(sorted(roots.items())), upto)

    def _marked(self, day: str, shard: str, after: str) -> tuple[list[tuple[str, DirtyRoot]], bool]:
        """Return the first dirty roots after a SHA-256, and True if there may be more."""
        pages = list(islice(self.dirty_roots.pages_on(day, shard, after=after), 2))
        return [root for page in pages for root in page], len(pages) == 2
