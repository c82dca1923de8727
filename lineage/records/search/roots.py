"""Which roots may have records that are not published yet, in the order of their ids' SHA-256, a window at a time.

They are those with a mark on a day after the last published one, or on that day or the one before (a late load's), and
those with an object of a later day: a trace on demand cleans the marks of days before its own. Marks are read before
objects, so that a root that is traced in between is seen by one or the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice

from lineage.records.dirty_roots import Mark, Marks
from lineage.records.pointers import Pointers
from lineage.times import days_between, shift
from lineage_model.ids import SHARDS

# Marks that are done are kept as long; roots that nobody compacted for longer are not looked for.
KEPT_DAYS = 40
# How far compaction looks back for marks when there was none before: what is older was marked again as it expired.
_UNCOMPACTED_DAYS = 8
# After every SHA-256 of a shard.
_END = "g"


@dataclass(frozen=True, slots=True)
class Days:
    """The days whose marks and whose objects tell of roots; `late`: only marks that are dirty count."""

    late: Sequence[str]
    marked: Sequence[str]
    archived: Sequence[str]


def unpublished_days(last: str | None, *, today: str, sealed_first: str | None = None) -> Days:
    """The days to look at when everything up to `last` is published (None: nothing is).

    Traces and marks may be of tomorrow, if today is sealed already. Without a published day, `sealed_first` is the
    first sealed one of those that are kept.
    """
    tomorrow = shift(today, 1)
    if last is None:
        first = shift(min(sealed_first or today, today), -_UNCOMPACTED_DAYS)
        return Days([], days_between(first, tomorrow), days_between(first, tomorrow))
    first = max(shift(last, 1), shift(today, -KEPT_DAYS))
    later = days_between(first, tomorrow) if first <= tomorrow else []
    return Days([shift(last, -1), last], later, later)


@dataclass(frozen=True, slots=True)
class Window:
    """Some roots by the SHA-256 of their ids, in its order, with their ids where known; the next are after `upto`."""

    roots: Mapping[str, str | None]
    upto: str


@dataclass(frozen=True, slots=True)
class Roots:
    """Where roots are listed by day."""

    marks: Marks
    pointers: Pointers

    def windows(self, days: Days, *, after: str, pool: ThreadPoolExecutor) -> Iterator[Window]:
        """The windows of the roots after one, at least one for each shard that is left; days are read side by side."""
        for shard in SHARDS:
            # All of a shard begin with its digit.
            after = max(after, shard)
            while after < shard + _END:
                window = self._window(days, shard, after, pool)
                yield window
                after = window.upto

    def _window(self, days: Days, shard: str, after: str, pool: ThreadPoolExecutor) -> Window:
        every = [(day, True) for day in days.late] + [(day, False) for day in days.marked]
        pages = list(pool.map(lambda one: self._marked(one[0], shard, after), every))
        upto = min((page[-1][0] for page, more in pages if more), default=shard + _END)
        archived = pool.map(lambda day: list(self.pointers.roots_on(day, shard, after=after, upto=upto)), days.archived)
        found: dict[str, str | None] = {sha: None for some in archived for sha in some}
        for (_, late), (page, _) in zip(every, pages, strict=True):
            found |= {sha: mark.root_id for sha, mark in page if sha <= upto and (mark.dirty or not late)}
        return Window(dict(sorted(found.items())), upto)

    def _marked(self, day: str, shard: str, after: str) -> tuple[list[tuple[str, Mark]], bool]:
        """The first marks after a place, and whether there may be more."""
        pages = list(islice(self.marks.marks_on(day, shard, after=after), 2))
        return [one for page in pages for one in page], len(pages) == 2
