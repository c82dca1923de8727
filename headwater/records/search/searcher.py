"""A search from its start, or from the cursor of an earlier response, to its end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from headwater.aws.items import GET_KEYS_MAX
from headwater.records.archive_state import ArchiveState
from headwater.records.expired import MARGIN_S
from headwater.records.publications import Publications
from headwater.records.search.archive import ArchiveSearch
from headwater.records.search.criteria import (
    ArchiveCursor,
    Horizon,
    LiveCursor,
    SearchCriteria,
    SearchCursor,
    SearchStep,
)
from headwater.records.search.live import KEPT_DAYS, LiveSearch, UnpublishedDays, unpublished_days
from headwater.times import day_of, days_between, shift
from headwater_model.record_requests import AHEAD_MAX_S

# A request's time may be a day ahead of the clock, and a root is traced for the day before.
_DAYS_EARLIER = 2


@dataclass(frozen=True, slots=True)
class Searcher:
    """The parts of a search; `now_s` is the clock, in seconds since 1970."""

    live: LiveSearch
    archive: ArchiveSearch
    archive_state: ArchiveState
    publications: Publications
    now_s: Callable[[], int]

    def horizon(self, criteria: SearchCriteria) -> Horizon | None:
        """Read the published days, None without any; a search uses them from its first page to its last."""
        last = self.publications.last()
        if last is None:
            return None
        return Horizon(last, self.archive_state.seals([last])[last].sealed_at, self._first_day(criteria.start_s, last))

    def steps(
        self, criteria: SearchCriteria, horizon: Horizon | None, place: SearchCursor
    ) -> Iterator[SearchStep[LiveCursor] | SearchStep[ArchiveCursor]]:
        """Yield the records after a cursor, in no order, each once, and a cursor now and then.

        Raises:
            StaleCursor, Invalid, Unavailable: see `ArchiveSearch.steps`.
        """
        truncated = place.truncated
        if isinstance(place, LiveCursor):
            for step in self.live.steps(criteria, horizon, place, self._days(horizon)):
                truncated = step.place.truncated
                yield step
            place = ArchiveCursor(truncated=truncated)
        if horizon is not None and (horizon.first is None or horizon.first <= horizon.day):
            yield SearchStep(place)
            yield from self.archive.steps(criteria, horizon, place)

    def _days(self, horizon: Horizon | None) -> UnpublishedDays:
        today = day_of(self.now_s())
        if horizon is not None:
            return unpublished_days(horizon.day, today=today)
        sealed = self.archive_state.seals(days_between(shift(today, -KEPT_DAYS), today))
        return unpublished_days(None, today=today, sealed_first=min(sealed, default=None))

    def _first_day(self, start_s: int | None, last: str) -> str | None:
        """Find the first archived day that may hold records of `start_s` or later.

        A day sealed long after its end may hold later records, but never records after its sealing.
        """
        if start_s is None:
            return None
        first = shift(day_of(start_s), -_DAYS_EARLIER)
        before = days_between(shift(first, -GET_KEYS_MAX), shift(first, -1))
        late = [
            day
            for day, seal in self.archive_state.seals([day for day in before if day <= last]).items()
            if seal.sealed_at + AHEAD_MAX_S + MARGIN_S >= start_s
        ]
        return min([first, *late])
