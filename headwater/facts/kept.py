"""Days of history: rows of some kinds expire by TTL, a number of days after the time in their sort key.

    {"events": 400, "tests": 90}

Such rows have no part in the current graph: facts have the last outcome of each test, and no fact reads the list of
events. The time of an event alone decides, so a repetition or a replay gives a row the same end.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypeAlias

import orjson

from headwater.times import from_seconds

Days: TypeAlias = Mapping[str, int]
# The beginnings of partition and sort key of the rows of a kind; the time follows.
KINDS: Mapping[str, tuple[str, str]] = {"events": ("EVENTS#", "EVENT#"), "tests": ("", "TEST#")}
_TIME_LENGTH = len("2026-11-20T12:00:00.000000")
_DAY_S = 86_400


def parse_days(variables: Mapping[str, str], name: str) -> Days:
    """Parse the days by kind in a variable: `{"KEPT_DAYS": '{"tests": 90}'}`; without it none."""
    days: dict[str, Any] = orjson.loads(variables.get(name, "{}"))
    return days


def expiry_of(pk: str, sk: str, days: Days) -> int | None:
    """Compute the end of a row in seconds since 1970; None for a row that stays.

    >>> expiry_of("JOB#1", "TEST#1970-01-02T00:00:00.000000Z#ab", {"tests": 90}) == 91 * 86_400
    True
    """
    for kind, (of_partition, of_row) in KINDS.items():
        if kind in days and pk.startswith(of_partition) and sk.startswith(of_row):
            return end_s(sk[len(of_row) :], days[kind])
    return None


def end_s(time: str, days: int) -> int:
    """Compute the second since 1970 days after a time: of `"1970-01-02T00:00:00.000000Z", 90` it is 91 * 86,400."""
    return int(datetime.fromisoformat(f"{time[:_TIME_LENGTH]}+00:00").timestamp()) + days * _DAY_S


def oldest(days: Days, kind: str, now_s: int) -> str:
    """Name the earliest time with all rows of a kind: a day later than the first row to expire; empty without an end.

    An event may be a day ahead of its arrival, and the objects of events expire by arrival.

    >>> oldest({"events": 2}, "events", 2 * 86_400), oldest({}, "events", 0)
    ('1970-01-02T00:00:00.000000Z', '')
    """
    return from_seconds(now_s - (days[kind] - 1) * _DAY_S) if kind in days else ""
