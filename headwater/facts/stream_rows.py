"""Positions of the index rows of a streaming run: exact for its ends, coarse for its events before.

A live stream counts at its last event, so each event needs a row at its time or later. A row at the end of a
calendar bucket serves all events in the bucket; the older the stream, the longer the bucket. Each length has a prefix
of its own: a reader as of a time begins at the end of the time's bucket, with few later rows before its own.

    WITH_IO_MINUTE#2025-11-20T12:00~#<run>    all events of the minute, in the first hour of the stream
    WITH_IO_DAY#2025-11-20~#<run>             all events of the day, in its first 31 days
    WITH_IO_MONTH#2025-11~#<run>              all events of the month
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import NamedTuple, TypeAlias

from headwater.facts.facts import RunFacts

# A row's prefix, and its place in the order of time.
RowPosition: TypeAlias = tuple[str, str]


class _Bucket(NamedTuple):
    """A length of buckets: the suffix of its prefix, the length of its name in a time, and the greatest age."""

    suffix: str
    length: int
    age: timedelta


_BUCKETS = (
    _Bucket("_MINUTE", len("2025-11-20T12:00"), timedelta(hours=1)),
    _Bucket("_DAY", len("2025-11-20"), timedelta(days=31)),
    _Bucket("_MONTH", len("2025-11"), timedelta.max),
)


def stream_positions(prefix: str, facts: RunFacts, times: Iterable[str]) -> Iterator[RowPosition]:
    """Yield the positions of rows for effective times, each once: `("WITH_IO_DAY", "2025-11-20~")`, or exact ends."""
    ends = facts.ends
    times = sorted(times)
    limits = _limits(facts.first) if facts.first and facts.streaming else []
    yield from dict.fromkeys((prefix, time) if time in ends else _coarse(prefix, time, limits) for time in times)


def _limits(first: str) -> list[tuple[str, _Bucket]]:
    """Compute for each length of buckets the time from which the run is too old for it."""
    began = datetime.fromisoformat(first[:26])
    return [(_later(began, bucket.age), bucket) for bucket in _BUCKETS]


def _later(began: datetime, age: timedelta) -> str:
    try:
        return (began + age).isoformat(timespec="microseconds")
    except OverflowError:
        return "~"


def _coarse(prefix: str, time: str, limits: Iterable[tuple[str, _Bucket]]) -> RowPosition:
    bucket = next(bucket for limit, bucket in limits if time < limit)
    return prefix + bucket.suffix, f"{time[: bucket.length]}~"


def first_position(prefix: str, time: str) -> str:
    """Name the prefix of the coarse row of a stream that began at this time, up to the run.

    >>> first_position("WITH_IO", "2025-11-20T12:00:01.000000Z")
    'WITH_IO_MINUTE#2025-11-20T12:00~#'
    """
    name, place = _coarse(prefix, time, _limits(time))
    return f"{name}#{place}#"


def coarse_highs(prefix: str, high: str = "~") -> list[tuple[str, str]]:
    """List the coarse prefixes, each with the end of the bucket of the exact scan's `high`.

    >>> coarse_highs("ACTIVE", "2025-11-20T12:00:01.000000Z")[1]
    ('ACTIVE_DAY', '2025-11-20~#~')
    """
    return [(prefix + bucket.suffix, "~" if high == "~" else f"{high[: bucket.length]}~#~") for bucket in _BUCKETS]


def coarse_bounds(prefix: str, start: str, end: str) -> list[tuple[str, str]]:
    """List the least and the greatest sort key of coarse rows for events in a range, by prefix.

    >>> coarse_bounds("ACTIVE", "2025-11-20T12:00:01.000000Z", "2025-11-21T12:00:01.000000Z")[1]
    ('ACTIVE_DAY#2025-11-20', 'ACTIVE_DAY#2025-11-21~#~')
    """
    lows = ((prefix + bucket.suffix, start[: bucket.length]) for bucket in _BUCKETS)
    return [
        (f"{name}#{low}", f"{name}#{high}")
        for (name, low), (_, high) in zip(lows, coarse_highs(prefix, end), strict=True)
    ]


def beginning(place: str) -> str:
    """Give the first time of a coarse place; an exact time stays as it is.

    >>> beginning("2025-11-20~")
    '2025-11-20T00:00:00.000000Z'
    """
    text = place.removesuffix("~")
    return text + "2025-01-01T00:00:00.000000Z"[len(text) :] if text != place else place
