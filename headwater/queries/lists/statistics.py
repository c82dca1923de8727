"""Numbers of an installation: events, jobs, datasets and sources by hour or by day. Loaders keep the counts."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta, timezone, tzinfo
from itertools import chain, pairwise

from headwater.facts.catalogue import NAMES, SOURCES, Catalogue, read_catalogue
from headwater.facts.created import Created, counts_since
from headwater.facts.facts import DatasetFacts, dataset_of
from headwater.facts.keys import facts_key
from headwater.loading.event_index import COUNTED, read_hours
from headwater.queries.lists.name_lists import DOUBTFUL_MAX
from headwater.queries.results.entities import Interval, Period
from headwater.queries.view import GraphView
from headwater.times import from_seconds

_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)
_TO_HOUR = len("2026-11-20T12")


def intervals_of(period: Period, now_s: int, zone: tzinfo) -> list[tuple[datetime, datetime]]:
    """List the last 24 hours in UTC, or the last 7 days in a time zone; the last is the present hour or day.

    >>> [str(start) for start, _ in intervals_of("WEEK", 1_763_640_000, timezone(timedelta(hours=13)))][-1:]
    ['2025-11-20 11:00:00+00:00']
    """
    now = datetime.fromtimestamp(now_s, timezone.utc)
    if period == "DAY":
        hour = now.replace(minute=0, second=0, microsecond=0)
        starts = [hour - number * _HOUR for number in range(23, -2, -1)]
    else:
        today = now.astimezone(zone).replace(tzinfo=None, hour=0, minute=0, second=0, microsecond=0)
        local = [today - number * _DAY for number in range(6, -2, -1)]
        starts = [midnight.replace(tzinfo=zone).astimezone(timezone.utc) for midnight in local]
    return list(pairwise(starts))


def count_events(view: GraphView, period: Period, *, now_s: int, zone: tzinfo) -> list[Interval]:
    """Count the run events of each type in `COUNTED` in each interval; an hour counts where it begins."""
    intervals = intervals_of(period, now_s, zone)
    first, last = intervals[0][0].date(), intervals[-1][1].date()
    days = [(first + number * _DAY).isoformat() for number in range((last - first).days + 1)]
    numbers = [dict.fromkeys(COUNTED, 0) for _ in intervals]
    for hour, counts in read_hours(days, view).items():
        place = _place(intervals, hour)
        for kind, number in counts.items() if 0 <= place < len(intervals) else ():
            numbers[place][kind] += number
    return [_interval(interval, of) for interval, of in zip(intervals, numbers, strict=True)]


def count_things(view: GraphView, kind: Created, period: Period, *, now_s: int, zone: tzinfo) -> list[Interval]:
    """Count the jobs, datasets or sources at the end of each interval, deleted things too.

    A source counts once for each namespace with its name in a dataset. Things first mentioned in the future count now.
    """
    intervals = intervals_of(period, now_s, zone)
    total, new = _total(view, kind), [0] * len(intervals)
    pages = view.query(counts_since(kind, intervals[0][0].isoformat()[:_TO_HOUR]))
    for row in chain.from_iterable(page.rows for page in pages):
        place = _place(intervals, row.sk[:_TO_HOUR])
        if place >= 0:
            new[min(place, len(intervals) - 1)] += row.data["count"]
    numbers = [total - sum(new[place + 1 :]) for place in range(len(intervals))]
    return [_interval(interval, {"count": number}) for interval, number in zip(intervals, numbers, strict=True)]


def _total(view: GraphView, kind: Created) -> int:
    if kind == "sources":
        return sum(map(len, read_catalogue(SOURCES, view).sets.values()))
    catalogue = read_catalogue(NAMES, view)
    return len(catalogue[kind]) - (_unlisted(view, catalogue) if kind == "datasets" else 0)


def _unlisted(view: GraphView, catalogue: Catalogue) -> int:
    """Count the names that became temporary after they were listed, of the first `DOUBTFUL_MAX`."""
    doubtful = [text for text in catalogue["datasets_to_check"] if catalogue.has("datasets", text)][:DOUBTFUL_MAX]
    rows = view.get(facts_key(dataset_of(text)) for text in doubtful)
    return sum(DatasetFacts(**row.data["facts"]).temporary is not None for row in rows.values())


def _place(intervals: Sequence[tuple[datetime, datetime]], hour: str) -> int:
    """Find the index of an hour's interval; -1 before the first, their number after the last."""
    begin = datetime.fromisoformat(f"{hour}:00:00+00:00")
    return len(intervals) if begin >= intervals[-1][1] else bisect_right([start for start, _ in intervals], begin) - 1


def _interval(bounds: tuple[datetime, datetime], numbers: Mapping[str, int]) -> Interval:
    start, end = (from_seconds(bound.timestamp()) for bound in bounds)
    return Interval(start, end, numbers)
