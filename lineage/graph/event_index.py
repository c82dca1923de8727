"""The index of run events by their time, with counts: any page of the list costs a few requests.

    EVENTS                    <day>#<shard>         count: the events of that day in that shard; swapped by version
                                                    hours: by hour and type, the events of the types in `COUNTED`
    EVENTS#<day>#<shard>      MINUTE#<HH:MM>        count: the events of that minute
                              EVENT#<time>#<hash>   an event

The transaction that writes the row of an event counts it; the row never changes. Days are those of the events' times.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import merge
from itertools import chain
from typing import TYPE_CHECKING, Any

from lineage.attempts import attempts
from lineage.aws.items import chunks
from lineage.graph.result_page import ResultPage
from lineage.graph.table import QUERY_ROWS_MAX, Key, Row, RowQuery, Swap
from lineage_model.errors import Unavailable

if TYPE_CHECKING:
    from lineage.graph.table import GraphTable

_DAYS = "EVENTS"
# Loaders that write to one day meet at its rows; more shards cost each page more queries.
_SHARDS = 4
# A transaction holds 100 rows: an event, its minute, and the day.
_GROUP_MAX = 45
_TRIES = 30
# Types of events that are counted by the hour, as Marquez's page shows them.
COUNTED = ("START", "COMPLETE", "FAIL", "ABORT")
_TO_DAY, _TO_HOUR, _TO_MINUTE = len("2026-11-20"), len("2026-11-20T12"), len("2026-11-20T12:00")


@dataclass(frozen=True, slots=True)
class IndexedEvent:
    """An event of the index."""

    time: str
    hash: str
    data: Mapping[str, Any] = field(default_factory=dict)
    # In capitals, as it was sent; the index counts by it.
    type: str | None = field(default=None, compare=False)

    @property
    def group(self) -> tuple[str, int]:
        """The day and the shard of the event."""
        return self.time[:_TO_DAY], int(self.hash[0], 16) % _SHARDS

    @property
    def minute_key(self) -> Key:
        """The key of the count of its minute."""
        return _pk(*self.group), f"MINUTE#{self.time[_TO_DAY + 1 : _TO_MINUTE]}"

    @property
    def row(self) -> Row:
        """The row of the event."""
        return Row(_pk(*self.group), f"EVENT#{self.time}#{self.hash}", self.data)


@dataclass(frozen=True, slots=True)
class EventIndex:
    """The index in the graph table."""

    table: GraphTable

    def put(self, events: Iterable[IndexedEvent]) -> None:
        """Add the events that are not in the index yet. `Unavailable` if other writers kept changing the same days."""
        pending = {event.hash: event for event in events}
        for _ in attempts(_TRIES, self.table.sleep, longest_s=1):
            pending = {event.hash: event for event in self._put_round(list(pending.values()))}
            if not pending:
                return
        raise Unavailable(f"{len(pending)} events could not be listed: other writers kept changing their days")

    def _put_round(self, events: Sequence[IndexedEvent]) -> list[IndexedEvent]:
        """Try once; return the events that met another writer or did not fit in."""
        groups: dict[Key, list[IndexedEvent]] = {}
        for event in events:
            groups.setdefault((_DAYS, _day_sk(*event.group)), []).append(event)
        # Days first: while a day is not swapped, the rows read after it still hold.
        days = self.table.get(groups)
        stored = self.table.get(chain.from_iterable((event.row.key, event.minute_key) for event in events))
        swaps: dict[Key, Swap] = {}
        pending: list[IndexedEvent] = []
        for key, group in groups.items():
            new = [event for event in group if event.row.key not in stored]
            pending += new[_GROUP_MAX:]
            if new:
                swaps[key] = _swap(days.get(key, Row(*key)), new[:_GROUP_MAX], stored)
        written = self.table.swap(list(swaps.values())) if swaps else []
        lost = {key for key, done in zip(swaps, written, strict=True) if not done}
        pending += [event for key in lost for event in groups[key]]
        return pending

    def page(self, *, low: str, high: str, newest_first: bool, limit: int, offset: int) -> ResultPage[IndexedEvent]:
        """Return the events with `low` <= time < `high` after the first `offset`, and how many there are in all.

        Where a bound cuts a minute, at most 40,000 events of that minute are counted.
        """
        if low >= high:
            return ResultPage([], 0)
        counts = self._counts(low, high)
        ordered = sorted(counts, reverse=newest_first)
        ranges, skip = _ranges(ordered, counts, limit, offset)
        if ranges and skip > limit:
            # Within the first day the minutes show how far to go.
            ranges, skip = self._narrow(ranges, skip, low, high, newest_first)
        rows = self._rows(ranges, low, high, newest_first=newest_first, most=skip + limit) if limit else []
        return ResultPage([_indexed_event(row) for row in rows[skip : skip + limit]], sum(counts.values()))

    def at_times(self, times: Sequence[str], *, low: str, high: str, newest_first: bool) -> list[IndexedEvent]:
        """Return the events of exactly these times with `low` <= time < `high`, in order."""
        within = sorted({time for time in times if low <= time < high}, reverse=newest_first)
        return [_indexed_event(row) for row in self._rows(within, low, high, newest_first=newest_first, most=None)]

    def hours(self, days: Iterable[str]) -> dict[str, dict[str, int]]:
        """Return by hour (`2026-11-20T12`) and type the numbers of events of these days; one request for 25 days."""
        rows = self.table.get((_DAYS, _day_sk(day, shard)) for day in days for shard in range(_SHARDS))
        found: dict[str, dict[str, int]] = {}
        for row in rows.values():
            for hour, of_hour in row.data.get("hours", {}).items():
                counts = found.setdefault(f"{row.sk[:_TO_DAY]}T{hour}", {})
                for kind, number in of_hour.items():
                    counts[kind] = counts.get(kind, 0) + number
        return found

    def _counts(self, low: str, high: str) -> dict[str, int]:
        """Return the number of events of each day; of the days of the bounds, the number within them."""
        counts: dict[str, int] = {}
        for row in self._all(_DAYS, low[:_TO_DAY] or "0", f"{high[:_TO_DAY]}#~"):
            day = row.sk.partition("#")[0]
            counts[day] = counts.get(day, 0) + row.data["count"]
        for day in {low[:_TO_DAY], high[:_TO_DAY]} & counts.keys():
            counts[day] = sum(self._minutes(day, low, high).values())
        return {day: count for day, count in counts.items() if count}

    def _minutes(self, day: str, low: str, high: str) -> dict[str, int]:
        """Return the number of events in each minute of a day, within the bounds."""
        counts: dict[str, int] = {}
        pages = self.table.query([RowQuery(_pk(day, shard), prefix="MINUTE#") for shard in range(_SHARDS)])
        for row in chain.from_iterable(page.rows for page in pages):
            minute = f"{day}T{row.sk.removeprefix('MINUTE#')}"
            counts[minute] = counts.get(minute, 0) + row.data["count"]
        within = {minute: count for minute, count in counts.items() if low[:_TO_MINUTE] <= minute <= high}
        for edge in {low[:_TO_MINUTE], high[:_TO_MINUTE]} & within.keys():
            within[edge] = len(self._rows([edge], low, high, newest_first=False, most=None))
        return within

    def _narrow(
        self, ranges: Sequence[str], skip: int, low: str, high: str, newest_first: bool
    ) -> tuple[list[str], int]:
        """Return the ranges, with the first day cut to begin at the minute in which the page begins."""
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
        """Return the rows in these ranges of time (each within one day), in order; at most `most` of each shard."""
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

    def _all(self, pk: str, low: str, high: str) -> Iterator[Row]:
        while True:
            [page] = self.table.query([RowQuery(pk, low=low, high=high)])
            yield from page.rows
            if not page.more:
                return
            low = page.rows[-1].sk + "\0"


def _swap(day: Row, new: Sequence[IndexedEvent], stored: Mapping[Key, Row]) -> Swap:
    """Return the swap that writes these events and counts them, if the day is still as it was read."""
    minutes: dict[Key, int] = {}
    for event in new:
        known = stored[event.minute_key].data["count"] if event.minute_key in stored else 0
        minutes[event.minute_key] = minutes.get(event.minute_key, known) + 1
    data = {"count": day.data.get("count", 0) + len(new), **_hours(day, new)}
    counted = Row(day.pk, day.sk, data, day.version)
    puts = [event.row for event in new] + [Row(*key, {"count": number}) for key, number in minutes.items()]
    return Swap(counted, puts=tuple(puts))


def _hours(day: Row, new: Iterable[IndexedEvent]) -> dict[str, Any]:
    """Return the day's counts by hour and type with the new events; nothing if there are none."""
    hours = {hour: dict(counts) for hour, counts in day.data.get("hours", {}).items()}
    for event in new:
        if event.type in COUNTED:
            counts = hours.setdefault(event.time[_TO_DAY + 1 : _TO_HOUR], {})
            counts[event.type] = counts.get(event.type, 0) + 1
    return {"hours": hours} if hours else {}


def _ranges(days: Sequence[str], counts: Mapping[str, int], limit: int, offset: int) -> tuple[list[str], int]:
    """Return the days that a page needs, and how many events of the first to skip.

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
    """Return the sort keys of a range within the bounds: a day, a minute, or a day from `>` or up to `<` a minute."""
    begins = range_.lstrip("<>")
    first = begins[:_TO_DAY] if range_.startswith("<") else begins
    last = begins[:_TO_DAY] if range_.startswith(">") else begins
    # "~" is greater than every character of a time or a hash; a time equal to `high` is greater than `high`'s key.
    return f"EVENT#{max(first, low)}", f"EVENT#{min(f'{last}~', high)}"


def _indexed_event(row: Row) -> IndexedEvent:
    _, time, sha = row.sk.split("#")
    return IndexedEvent(time, sha, row.data)


def _pk(day: str, shard: int) -> str:
    return f"{_DAYS}#{day}#{shard}"


def _day_sk(day: str, shard: int) -> str:
    return f"{day}#{shard}"
