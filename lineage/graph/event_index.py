"""The index of run events by their time, with counts: any page of the list costs a few requests.

    EVENTS                    <day>#<shard>         count: the events of that day in that shard; swapped by version
    EVENTS#<day>#<shard>      MINUTE#<HH:MM>        count: those of that minute
                              EVENT#<time>#<hash>   an event

A row of an event is made in the transaction that counts it, and is never changed. Days are those of the events' times.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import merge
from itertools import chain
from typing import TYPE_CHECKING, Any

from lineage.aws.items import chunks
from lineage.graph.entities import ResultPage
from lineage.graph.table import QUERY_ROWS_MAX, Key, Row, RowQuery, Swap
from lineage_model.errors import Unavailable

if TYPE_CHECKING:
    from lineage.graph.table import GraphTable

_DAYS = "EVENTS"
# Loaders that write to one day meet at its rows; more shards make each page more queries.
_SHARDS = 4
# A transaction holds 100 rows: an event, its minute, and the day.
_GROUP_MAX = 45
_TRIES = 30
_TO_DAY, _TO_MINUTE = len("2026-11-20"), len("2026-11-20T12:00")


@dataclass(frozen=True, slots=True)
class IndexedEvent:
    """An event of the list."""

    time: str
    hash: str
    data: Mapping[str, Any] = field(default_factory=dict)

    @property
    def group(self) -> tuple[str, int]:
        """Its day and its shard."""
        return self.time[:_TO_DAY], int(self.hash[0], 16) % _SHARDS

    @property
    def minute_key(self) -> Key:
        """Where the count of its minute lies."""
        return _pk(*self.group), f"MINUTE#{self.time[_TO_DAY + 1 : _TO_MINUTE]}"

    @property
    def row(self) -> Row:
        """It as a row."""
        return Row(_pk(*self.group), f"EVENT#{self.time}#{self.hash}", self.data)


@dataclass(frozen=True, slots=True)
class EventIndex:
    """The list in the graph table."""

    table: GraphTable

    def put(self, listings: Iterable[IndexedEvent]) -> None:
        """List the events that are not listed yet. `Unavailable` if others kept writing to the same days."""
        left = {one.hash: one for one in listings}
        for _ in range(_TRIES):
            left = {one.hash: one for one in self._put_round(list(left.values()))}
            if not left:
                return
        raise Unavailable(f"{len(left)} events could not be listed: others kept writing to their days")

    def _put_round(self, listings: Sequence[IndexedEvent]) -> list[IndexedEvent]:
        """One try; those that met another writer, or did not fit in, are left."""
        groups: dict[Key, list[IndexedEvent]] = {}
        for one in listings:
            groups.setdefault((_DAYS, _day_sk(*one.group)), []).append(one)
        # Days first: if nobody swaps one until we do, what is read of it afterwards still holds.
        days = self.table.get(groups)
        found = self.table.get(chain.from_iterable((one.row.key, one.minute_key) for one in listings))
        swaps: dict[Key, Swap] = {}
        left: list[IndexedEvent] = []
        for key, group in groups.items():
            new = [one for one in group if one.row.key not in found]
            left += new[_GROUP_MAX:]
            if new:
                swaps[key] = _swap(days.get(key, Row(*key)), new[:_GROUP_MAX], found)
        written = self.table.swap(list(swaps.values())) if swaps else []
        lost = {key for key, done in zip(swaps, written, strict=True) if not done}
        left += [one for key in lost for one in groups[key]]
        return left

    def page(self, *, low: str, high: str, newest_first: bool, limit: int, offset: int) -> ResultPage[IndexedEvent]:
        """The events with `low` <= time < `high`: those after the first `offset`, and how many there are in all.

        Where a bound cuts a minute, at most 40,000 events of that minute are counted.
        """
        if low >= high:
            return ResultPage([], 0)
        counts = self._counts(low, high)
        ordered = sorted(counts, reverse=newest_first)
        spans, skip = _spans(ordered, counts, limit, offset)
        if spans and skip > limit:
            # Within the first day the minutes tell how far to go.
            spans, skip = self._narrow(spans, skip, low, high, newest_first)
        rows = self._rows(spans, low, high, newest_first=newest_first, most=skip + limit) if limit else []
        return ResultPage([_listing(row) for row in rows[skip : skip + limit]], sum(counts.values()))

    def _counts(self, low: str, high: str) -> dict[str, int]:
        """How many events there are on each day; of the days of the bounds, how many within them."""
        counts: dict[str, int] = {}
        for row in self._all(_DAYS, low[:_TO_DAY] or "0", f"{high[:_TO_DAY]}#~"):
            day = row.sk.partition("#")[0]
            counts[day] = counts.get(day, 0) + row.data["count"]
        for day in {low[:_TO_DAY], high[:_TO_DAY]} & counts.keys():
            counts[day] = sum(self._minutes(day, low, high).values())
        return {day: count for day, count in counts.items() if count}

    def _minutes(self, day: str, low: str, high: str) -> dict[str, int]:
        """How many events there are in each minute of a day, of those within the bounds."""
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
        self, spans: Sequence[str], skip: int, low: str, high: str, newest_first: bool
    ) -> tuple[list[str], int]:
        """The same spans, but of the first day only the minutes from that one on in which the page begins."""
        day, *later = spans
        minutes = self._minutes(day, low, high)
        ordered = sorted(minutes, reverse=newest_first)
        while ordered and skip >= minutes[ordered[0]]:
            skip -= minutes[ordered.pop(0)]
        begins = ordered[0] if ordered else day
        # A span is a prefix of times; what lies on the far side of `begins` in its day is one range.
        bound = f">{begins}" if not newest_first else f"<{begins}"
        return [bound, *later], skip

    def _rows(self, spans: Sequence[str], low: str, high: str, *, newest_first: bool, most: int | None) -> list[Row]:
        """The rows in these spans of time (each within one day), in order; of each shard at most `most`."""
        limit = QUERY_ROWS_MAX if most is None else most
        queries = [
            RowQuery(
                _pk(span.lstrip("<>")[:_TO_DAY], shard), low=first, high=last, newest_first=newest_first, limit=limit
            )
            for span in spans
            for first, last in [_range(span, low, high)]
            for shard in range(_SHARDS)
        ]
        pages = self.table.query(queries) if queries else []
        found = chain.from_iterable(
            merge(*(page.rows for page in of_span), key=lambda row: row.sk, reverse=newest_first)
            for of_span in chunks(pages, _SHARDS)
        )
        return list(found)

    def _all(self, pk: str, low: str, high: str) -> Iterator[Row]:
        while True:
            [page] = self.table.query([RowQuery(pk, low=low, high=high)])
            yield from page.rows
            if not page.more:
                return
            low = page.rows[-1].sk + "\0"


def _swap(day: Row, new: Sequence[IndexedEvent], found: Mapping[Key, Row]) -> Swap:
    """The rows of these events, with the counts of their minutes, if the day is still as it was read."""
    minutes: dict[Key, int] = {}
    for one in new:
        known = found[one.minute_key].data["count"] if one.minute_key in found else 0
        minutes[one.minute_key] = minutes.get(one.minute_key, known) + 1
    counted = Row(day.pk, day.sk, {"count": day.data.get("count", 0) + len(new)}, day.version)
    puts = [one.row for one in new] + [Row(*key, {"count": number}) for key, number in minutes.items()]
    return Swap(counted, puts=tuple(puts))


def _spans(days: Sequence[str], counts: Mapping[str, int], limit: int, offset: int) -> tuple[list[str], int]:
    """The days that a page needs, and how many events of the first to skip.

    >>> _spans(["d1", "d2", "d3"], {"d1": 2, "d2": 2, "d3": 2}, limit=2, offset=3)
    (['d2', 'd3'], 1)
    """
    spans: list[str] = []
    held = 0
    for day in days:
        if not spans and offset >= counts[day]:
            offset -= counts[day]
            continue
        spans.append(day)
        held += counts[day]
        if held >= offset + limit:
            break
    return spans, offset


def _range(span: str, low: str, high: str) -> tuple[str, str]:
    """The sort keys of a span within the bounds: a day or a minute; or a day from (`>`) or up to (`<`) a minute."""
    begins = span.lstrip("<>")
    first = begins[:_TO_DAY] if span.startswith("<") else begins
    last = begins[:_TO_DAY] if span.startswith(">") else begins
    # "~" is greater than all that a time or a hash is made of; a time equal to `high` is greater than `high`'s key.
    return f"EVENT#{max(first, low)}", f"EVENT#{min(f'{last}~', high)}"


def _listing(row: Row) -> IndexedEvent:
    _, time, sha = row.sk.split("#")
    return IndexedEvent(time, sha, row.data)


def _pk(day: str, shard: int) -> str:
    return f"{_DAYS}#{day}#{shard}"


def _day_sk(day: str, shard: int) -> str:
    return f"{day}#{shard}"
