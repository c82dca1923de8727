"""The index of run events by their time, with counts: any page of the list costs a few requests.

    EVENTS                    YEAR#<year>#<shard>     months: the numbers of its events by month; swapped by version
                              MONTH#<month>#<shard>   days: the numbers of its events by day
    EVENTS#<day>#<shard>      HOURS                   hours: by hour and type, the events of the types in `COUNTED`
                              MINUTES#<HH>            minutes: the numbers of the events of the hour by minute
                              EVENT#<time>#<hash>     an event
    EVENTS                    COUNTED#<year>#<shard>#<hash>    events: digits of counted events without rows yet

A transaction counts events, with a note of them; their rows follow, and the note goes. If the loader dies between, the
next loader of the events writes the rows. Few events need no note: their rows are in the transaction. Years, months and
days are parts of the events' times. A page is located from the years down, so its cost does not grow with the number of
days.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from copy import deepcopy
from dataclasses import dataclass, field, replace
from heapq import merge
from itertools import chain
from typing import TYPE_CHECKING, Any

from headwater.attempts import attempts
from headwater.aws.items import chunks
from headwater.facts.result_page import ResultPage
from headwater.facts.table import QUERY_ROWS_MAX, SIDES_MAX, Key, Row, RowPage, RowQuery, Swap
from headwater.times import LATEST
from headwater_model.errors import Unavailable

if TYPE_CHECKING:
    from headwater.facts.table import GraphReader, GraphTable

_COUNTS = "EVENTS"
# Loaders of the same year compete for its row in each shard. More shards cost each page more queries.
_SHARDS = 4
_TRIES = 30
# Events put together. Each try writes at least 32 events of a year in each shard: about eight tries for a batch.
_PUT_MAX = 1_000
# A note costs as much as the rows of so many events in the transaction.
_WITHOUT_NOTE_MAX = 3
# Rows of months at either end of a list, read with the rows of years: three months in all shards, a read unit.
_END_ROWS = 12
# Types of events counted by the hour, as Marquez's page shows them.
COUNTED = ("START", "COMPLETE", "FAIL", "ABORT")
_TO_YEAR, _TO_MONTH, _TO_DAY = len("2026"), len("2026-11"), len("2026-11-20")
_TO_HOUR, _TO_MINUTE = len("2026-11-20T12"), len("2026-11-20T12:00")


@dataclass(frozen=True, slots=True)
class IndexedEvent:
    """An event of the index."""

    time: str
    hash: str
    data: Mapping[str, Any] = field(default_factory=dict)
    # In upper case; the index counts by it.
    type: str | None = field(default=None, compare=False)

    @property
    def shard(self) -> int:
        """The shard in which the event is counted."""
        return int(self.hash[0], 16) % _SHARDS

    @property
    def digits(self) -> str:
        """Its name in a note."""
        return self.hash[:16]

    @property
    def year_key(self) -> Key:
        """The key of the counts of its year."""
        return _COUNTS, f"YEAR#{self.time[:_TO_YEAR]}#{self.shard}"

    @property
    def row(self) -> Row:
        """The row of the event."""
        return Row(_pk(self.time[:_TO_DAY], self.shard), f"EVENT#{self.time}#{self.hash}", self.data)

    @property
    def counts(self) -> Iterator[tuple[Key, Sequence[str]]]:
        """The rows that count the event, each with its counter: `EVENTS#2026-11-20#0`, `HOURS`, `hours/12/START`."""
        day, hour = self.time[:_TO_DAY], self.time[_TO_DAY + 1 : _TO_HOUR]
        yield _month_key(self.time[:_TO_MONTH], self.shard), ("days", day[_TO_MONTH + 1 :])
        yield (_pk(day, self.shard), f"MINUTES#{hour}"), ("minutes", self.time[_TO_HOUR + 1 : _TO_MINUTE])
        if self.type in COUNTED:
            yield _hours_key(day, self.shard), ("hours", hour, self.type)


def read_hours(days: Iterable[str], table: GraphReader) -> dict[str, dict[str, int]]:
    """Count the events of days by hour and type; a request for 25 days.

    `{"2026-11-20T12": {"START": 3, "COMPLETE": 2}}`
    """
    day_of = {_hours_key(day, shard): day for day in days for shard in range(_SHARDS)}
    hours: dict[str, dict[str, int]] = {}
    for key, row in table.get(day_of).items():
        for hour, of_hour in row.data["hours"].items():
            for kind, number in of_hour.items():
                _add(hours.setdefault(f"{day_of[key]}T{hour}", {}), kind, number)
    return hours


@dataclass(frozen=True, slots=True)
class EventIndex:
    """The index in the graph table."""

    table: GraphTable

    def put(self, events: Iterable[IndexedEvent]) -> None:
        """Add the events that are missing in the index.

        Raises:
            Unavailable: further writers changed the same years at each try.
        """
        once = {event.hash: event for event in events}
        for batch in chunks(sorted(once.values(), key=lambda event: event.time), _PUT_MAX):
            pending: Sequence[IndexedEvent] = batch
            for _ in attempts(_TRIES, self.table.sleep, longest_s=1):
                pending = self._put_round(pending)
                if not pending:
                    break
            else:
                raise Unavailable(f"{len(pending)} events could not be listed: other writers kept changing their years")

    def _put_round(self, events: Sequence[IndexedEvent]) -> list[IndexedEvent]:
        """Try once; return the events that lost to another writer or did not fit in the transaction."""
        groups: dict[Key, list[IndexedEvent]] = defaultdict(list)
        for event in events:
            groups[event.year_key].append(event)
        # Years first: if a year's swap succeeds, the notes and the rows read after it are unchanged, too. Notes before
        # rows: a note goes after its rows have come.
        years = self.table.get(groups)
        pages = self.table.query([RowQuery(_COUNTS, prefix=_note_prefix(key)) for key in groups])
        notes = {key: list(page.rows) for key, page in zip(groups, pages, strict=True)}
        stored = self.table.get(key for event in events for key in (event.row.key, *(key for key, _ in event.counts)))
        swaps: dict[Key, Swap] = {}
        rows: dict[Key, list[Row]] = {}
        pending: list[IndexedEvent] = []
        for key, group in groups.items():
            missing = [event for event in group if event.row.key not in stored]
            counted = {digits for note in notes[key] for digits in note.data["events"]}
            rows[key] = [event.row for event in missing if event.digits in counted]
            new = [event for event in missing if event.digits not in counted]
            taken = new[: _fitting(new)]
            pending += new[len(taken) :]
            puts = [event.row for event in taken]
            if len(taken) > _WITHOUT_NOTE_MAX:
                rows[key] += puts
                puts = [
                    Row(_COUNTS, _note_prefix(key) + taken[0].digits, {"events": [event.digits for event in taken]})
                ]
                notes[key] += puts
            if taken:
                swaps[key] = _swap(years.get(key, Row(*key)), taken, stored, puts)
        written = self.table.swap(list(swaps.values())) if swaps else []
        lost = {key for key, done in zip(swaps, written, strict=True) if not done}
        self.table.put(row for key in groups.keys() - lost for row in rows[key])
        left = [event for event in pending if event.year_key not in lost]
        left += [event for key in lost for event in groups[key]]
        self._clear(notes, {event.digits for event in events} - {event.digits for event in left})
        return left

    def _clear(self, notes: Mapping[Key, Sequence[Row]], listed: Set[str]) -> None:
        """Remove the events with rows from the notes."""
        changed = [note for of_year in notes.values() for note in of_year if not listed.isdisjoint(note.data["events"])]
        rest = {note.key: [digits for digits in note.data["events"] if digits not in listed] for note in changed}
        self.table.put(Row(*key, {"events": events}) for key, events in rest.items() if events)
        self.table.remove(key for key, events in rest.items() if not events)

    def page(self, *, low: str, high: str, newest_first: bool, limit: int, offset: int) -> ResultPage[IndexedEvent]:
        """List the events with `low` <= time < `high` after the first `offset`, and count all within the bounds.

        Where a bound cuts a minute, at most 40,000 events of the minute are counted.
        """
        if low >= high:
            return ResultPage([], 0)
        months, known = self._counts(low, high, newest_first)
        total = sum(months.values())
        if not limit:
            return ResultPage([], total)
        month_ranges, skip = _ranges(sorted(months, reverse=newest_first), months, limit, offset)
        days = self._days(month_ranges, known)
        ranges, skip = _ranges(sorted(days, reverse=newest_first), days, limit, skip)
        if ranges and skip > limit:
            # Many events of the first day are skipped: the counts of minutes say where the page begins.
            ranges, skip = self._narrow(ranges, skip, low, high, newest_first)
        rows = self._rows(ranges, low, high, newest_first=newest_first, most=skip + limit)
        return ResultPage([_indexed_event(row) for row in rows[skip : skip + limit]], total)

    def at_times(self, times: Sequence[str], *, low: str, high: str, newest_first: bool) -> list[IndexedEvent]:
        """List the events of exactly these times with `low` <= time < `high`, in order."""
        within = sorted({time for time in times if low <= time < high}, reverse=newest_first)
        return [_indexed_event(row) for row in self._rows(within, low, high, newest_first=newest_first, most=None)]

    def _counts(self, low: str, high: str, newest_first: bool) -> tuple[dict[str, int], dict[str, dict[str, int]]]:
        """Count the events of each month within the bounds, and of each day of the first and last months."""
        first, last = low[:_TO_MONTH], high[:_TO_MONTH]
        # The bounds may cut these months; the key True is the newest month.
        cut = {
            backwards: month for backwards, month in ((False, low and first), (True, high <= LATEST and last)) if month
        }
        years = RowQuery(_COUNTS, low=f"YEAR#{low[:_TO_YEAR]}", high=f"YEAR#{high[:_TO_YEAR]}#~")
        ends = [
            RowQuery(_COUNTS, low=f"MONTH#{first}", high=f"MONTH#{last}#~", newest_first=backwards, limit=_END_ROWS)
            for backwards in sorted({newest_first, *cut})
        ]
        page, *pages = self.table.query([years, *ends])
        months: dict[str, int] = {}
        for row in self._all(years, page):
            year = row.sk.split("#")[1]
            for month, number in row.data["months"].items():
                if first <= f"{year}-{month}" <= last:
                    _add(months, f"{year}-{month}", number)
        known = {month: days for page in pages for month, days in _whole_months(page).items()}
        for month in {*cut.values()} & months.keys():
            # A month whose first event came between the two reads is not in the list yet.
            known[month] = self._within(known.get(month, {}), low, high)
            months[month] = sum(known[month].values())
        return {month: number for month, number in months.items() if number}, known

    def _within(self, days: Mapping[str, int], low: str, high: str) -> dict[str, int]:
        """Count the events within the bounds, by the days of a month."""
        counts = {day: count for day, count in days.items() if low[:_TO_DAY] <= day <= high[:_TO_DAY]}
        for day in {low[:_TO_DAY], high[:_TO_DAY]} & counts.keys():
            counts[day] = sum(self._minutes(day, low, high).values())
        return {day: count for day, count in counts.items() if count}

    def _days(self, months: Sequence[str], known: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
        """Count the events of each day of these months; unknown months are read."""
        unknown = [_month_key(month, shard) for month in months if month not in known for shard in range(_SHARDS)]
        read = _by_month(self.table.get(unknown).values()) if unknown else {}
        return {day: number for month in months for day, number in (known.get(month) or read[month]).items()}

    def _minutes(self, day: str, low: str, high: str) -> dict[str, int]:
        """Count the events within the bounds, by the minutes of a day."""
        counts: dict[str, int] = {}
        pages = self.table.query([RowQuery(_pk(day, shard), prefix="MINUTES#") for shard in range(_SHARDS)])
        for row in chain.from_iterable(page.rows for page in pages):
            for minute, number in row.data["minutes"].items():
                _add(counts, f"{day}T{row.sk.removeprefix('MINUTES#')}:{minute}", number)
        within = {minute: count for minute, count in counts.items() if low[:_TO_MINUTE] <= minute <= high}
        for edge in {low[:_TO_MINUTE], high[:_TO_MINUTE]} & within.keys():
            within[edge] = len(self._rows([edge], low, high, newest_first=False, most=None))
        return within

    def _narrow(
        self, ranges: Sequence[str], skip: int, low: str, high: str, newest_first: bool
    ) -> tuple[list[str], int]:
        """Cut the first day to begin at the page's first minute; return the ranges and the events to skip in it."""
        day, *later = ranges
        minutes = self._minutes(day, low, high)
        ordered = sorted(minutes, reverse=newest_first)
        while ordered and skip >= minutes[ordered[0]]:
            skip -= minutes[ordered.pop(0)]
        begins = ordered[0] if ordered else day
        # A range is a prefix of times, or the part of a day on the far side of `begins`.
        bound = f">{begins}" if not newest_first else f"<{begins}"
        return [bound, *later], skip

    def _rows(self, ranges: Sequence[str], low: str, high: str, *, newest_first: bool, most: int | None) -> list[Row]:
        """Read the rows in these ranges of time (each within a day), in order; at most `most` of each shard."""
        limit = QUERY_ROWS_MAX if most is None else most
        queries = [
            RowQuery(
                _pk(range_.lstrip("<>")[:_TO_DAY], shard), low=first, high=last, newest_first=newest_first, limit=limit
            )
            for range_ in ranges
            for first, last in [_range(range_, low, high)]
            for shard in range(_SHARDS)
        ]
        pages = self.table.query(queries) if queries else []
        stored = chain.from_iterable(
            merge(*(page.rows for page in of_range), key=lambda row: row.sk, reverse=newest_first)
            for of_range in chunks(pages, _SHARDS)
        )
        return list(stored)

    def _all(self, query: RowQuery, page: RowPage) -> Iterator[Row]:
        """Yield all rows of a query, after its first page was read."""
        yield from page.rows
        while page.more:
            [page] = self.table.query([replace(query, low=page.rows[-1].sk + "\0")])
            yield from page.rows


def _by_month(rows: Iterable[Row]) -> dict[str, dict[str, int]]:
    """Add up rows of months: `{"2026-11": {"2026-11-20": 7}}`."""
    months: dict[str, dict[str, int]] = {}
    for row in rows:
        month = row.sk.split("#")[1]
        for day, number in row.data["days"].items():
            _add(months.setdefault(month, {}), f"{month}-{day}", number)
    return months


def _whole_months(page: RowPage) -> dict[str, dict[str, int]]:
    """Add up the months of a page as `_by_month` does, without a month cut by the page's end."""
    months = _by_month(page.rows)
    if page.more:
        months.pop(page.rows[-1].sk.split("#")[1])
    return months


def _fitting(events: Sequence[IndexedEvent]) -> int:
    """Count the first events whose counts fit in a transaction with a note, or with few rows."""
    keys: set[Key] = set()
    for number, event in enumerate(events):
        keys |= {key for key, _ in event.counts}
        if len(keys) > SIDES_MAX - _WITHOUT_NOTE_MAX:
            return number
    return len(events)


def _swap(year: Row, new: Sequence[IndexedEvent], stored: Mapping[Key, Row], puts: Sequence[Row]) -> Swap:
    """Make the swap that counts these events, with further rows, if the year's row is unchanged."""
    months = dict(year.data.get("months", {}))
    counts: dict[Key, dict[str, Any]] = {}
    for event in new:
        _add(months, event.time[_TO_YEAR + 1 : _TO_MONTH])
        for key, (*outer, name) in event.counts:
            of_row = counts.setdefault(key, deepcopy(dict(stored[key].data)) if key in stored else {})
            for inner in outer:
                of_row = of_row.setdefault(inner, {})
            _add(of_row, name)
    rows = (Row(*key, data) for key, data in counts.items())
    return Swap(Row(*year.key, {"months": months}, year.version), puts=(*puts, *rows))


def _note_prefix(year: Key) -> str:
    return year[1].replace("YEAR", "COUNTED") + "#"


def _add(counts: dict[str, int], name: str, number: int = 1) -> None:
    counts[name] = counts.get(name, 0) + number


def _ranges(days: Sequence[str], counts: Mapping[str, int], limit: int, offset: int) -> tuple[list[str], int]:
    """Select the days of a page, and count the events to skip in the first.

    >>> _ranges(["d1", "d2", "d3"], {"d1": 2, "d2": 2, "d3": 2}, limit=2, offset=3)
    (['d2', 'd3'], 1)
    """
    ranges: list[str] = []
    covered = 0
    for day in days:
        if not ranges and offset >= counts[day]:
            offset -= counts[day]
            continue
        ranges.append(day)
        covered += counts[day]
        if covered >= offset + limit:
            break
    return ranges, offset


def _range(range_: str, low: str, high: str) -> tuple[str, str]:
    """Make the sort keys of a range within the bounds: a day, a minute, or a day from `>` or up to `<` a minute."""
    begins = range_.lstrip("<>")
    first = begins[:_TO_DAY] if range_.startswith("<") else begins
    last = begins[:_TO_DAY] if range_.startswith(">") else begins
    # "~" is greater than every character of a time or a hash; a time equal to `high` is greater than `high`'s key.
    return f"EVENT#{max(first, low)}", f"EVENT#{min(f'{last}~', high)}"


def _indexed_event(row: Row) -> IndexedEvent:
    _, time, sha = row.sk.split("#")
    return IndexedEvent(time, sha, row.data)


def _pk(day: str, shard: int) -> str:
    return f"{_COUNTS}#{day}#{shard}"


def _month_key(month: str, shard: int) -> Key:
    return _COUNTS, f"MONTH#{month}#{shard}"


def _hours_key(day: str, shard: int) -> Key:
    return _pk(day, shard), "HOURS"
