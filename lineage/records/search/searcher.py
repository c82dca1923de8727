"""A search from its start, or from a place that an answer gave, to its end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from lineage.aws.items import GET_KEYS_MAX
from lineage.records.archive_state import Calendar
from lineage.records.expired import MARGIN_S
from lineage.records.publications import Publications
from lineage.records.request import AHEAD_MAX_S
from lineage.records.search.archive import ArchiveSearch
from lineage.records.search.criteria import ArchivePlace, Horizon, LivePlace, Place, Question, Step
from lineage.records.search.live import LiveSearch
from lineage.records.search.roots import KEPT_DAYS, Days, unpublished_days
from lineage.times import day_of, days_between, shift

# A request's time may be a day ahead of the clock, and a root is traced for the day before, with what has come since.
_DAYS_EARLIER = 2


@dataclass(frozen=True, slots=True)
class Searcher:
    """What a search reads; `now_s` is the clock, in seconds since 1970."""

    live: LiveSearch
    archive: ArchiveSearch
    calendar: Calendar
    publications: Publications
    now_s: Callable[[], int]

    def horizon(self, question: Question) -> Horizon | None:
        """What is published now, None if nothing is: a search keeps to it from its first answer to its last."""
        last = self.publications.last()
        if last is None:
            return None
        return Horizon(last, self.calendar.seals([last])[last].sealed_at, self._first_day(question.start_s, last))

    def steps(
        self, question: Question, horizon: Horizon | None, place: Place
    ) -> Iterator[Step[LivePlace] | Step[ArchivePlace]]:
        """What there is after a place, in no order, each record once; and a place every so often.

        Raises:
            Stale, Invalid, Unavailable: see `ArchiveSearch.steps`.
        """
        truncated = place.truncated
        if isinstance(place, LivePlace):
            for step in self.live.steps(question, horizon, place, self._days(horizon)):
                truncated = step.place.truncated
                yield step
            place = ArchivePlace(truncated=truncated)
        if horizon is not None and (horizon.first is None or horizon.first <= horizon.day):
            yield Step(place)
            yield from self.archive.steps(question, horizon, place)

    def _days(self, horizon: Horizon | None) -> Days:
        today = day_of(self.now_s())
        if horizon is not None:
            return unpublished_days(horizon.day, today=today)
        sealed = self.calendar.seals(days_between(shift(today, -KEPT_DAYS), today))
        return unpublished_days(None, today=today, sealed_first=min(sealed, default=None))

    def _first_day(self, start_s: int | None, last: str) -> str | None:
        """The first archived day that may hold records of `start_s` or later: days may be sealed long after their end.

        Who compacts days that were missed archives what came since under them; what came after its sealing a day
        cannot hold.
        """
        if start_s is None:
            return None
        first = shift(day_of(start_s), -_DAYS_EARLIER)
        before = days_between(shift(first, -GET_KEYS_MAX), shift(first, -1))
        late = [
            day
            for day, seal in self.calendar.seals([day for day in before if day <= last]).items()
            if seal.sealed_at + AHEAD_MAX_S + MARGIN_S >= start_s
        ]
        return min([first, *late])
