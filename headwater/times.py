"""Times as text: UTC days (YYYY-MM-DD), and times of events in UTC to the microsecond. Texts sort by time."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta, timezone

from headwater_model.times import normalize

_FOLDERS = re.compile(r"(?:traces|digests|events)/year=(\d{4})/month=(\d\d)/day=(\d\d)/")


def day_of(moment_s: int) -> str:
    """Print the UTC day of a moment in seconds since 1970.

    >>> day_of(1_763_600_000)
    '2025-11-20'
    """
    return datetime.fromtimestamp(moment_s, timezone.utc).date().isoformat()


def hive_prefix(day: str) -> str:
    """Print the folders of a day: Hive's partitions.

    >>> hive_prefix("2026-11-20")
    'year=2026/month=11/day=20/'
    """
    year, month, date_ = day.split("-")
    return f"year={year}/month={month}/day={date_}/"


def end_of_folder(prefix: str) -> str:
    """Build a key behind all keys of a folder: a zero sorts after a slash.

    >>> end_of_folder("events/year=2026/month=11/day=20/")
    'events/year=2026/month=11/day=200'
    """
    return f"{prefix[:-1]}0"


def day_of_key(key: str) -> str:
    """Read the day in the folders of an object's key; empty without a day.

    >>> day_of_key("traces/year=2026/month=11/day=20/x"), day_of_key("traces/year=2026/month=13/day=20/x")
    ('2026-11-20', '')
    """
    match = _FOLDERS.match(key)
    day = "-".join(match.groups()) if match else ""
    return day if is_day(day) else ""


def shift(day: str, days: int) -> str:
    """Add days to a day, or subtract them.

    >>> shift("2026-03-01", -1)
    '2026-02-28'
    """
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()


def is_day(text: str) -> bool:
    """True if the text is a day of the calendar, as YYYY-MM-DD.

    >>> is_day("2026-02-28"), is_day("2026-02-29"), is_day("20260228")
    (True, False, False)
    """
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def days_between(first: str, last: str) -> list[str]:
    """List the days from the first to the last, both included.

    >>> days_between("2026-02-28", "2026-03-01")
    ['2026-02-28', '2026-03-01']
    """
    return [shift(first, number) for number in range((date.fromisoformat(last) - date.fromisoformat(first)).days + 1)]


EARLIEST = "0001-01-01T00:00:00.000000Z"
LATEST = "9999-12-31T23:59:59.999999Z"


def just_after(time: str) -> str:
    """Add a microsecond to a normalized time; `LATEST` stays as it is.

    >>> just_after("2025-11-20T12:00:00.999999Z")
    '2025-11-20T12:00:01.000000Z'
    """
    moment = datetime.fromisoformat(time[:26]).replace(tzinfo=timezone.utc)
    return time if time == LATEST else normalize(moment + timedelta(microseconds=1))


def from_seconds(moment_s: float) -> str:
    """Print seconds since 1970 as a normalized time.

    >>> from_seconds(1_763_640_000)
    '2025-11-20T12:00:00.000000Z'
    """
    return normalize(datetime.fromtimestamp(moment_s, timezone.utc))


def render_time(time: str) -> str:
    """Print a normalized time as Java and Marquez do: fractions in groups of three digits, none if zero.

    >>> render_time("2024-10-24T19:27:05.500000Z"), render_time("2024-10-24T19:27:05.000000Z")
    ('2024-10-24T19:27:05.500Z', '2024-10-24T19:27:05Z')
    """
    seconds, fraction = time[:19], time[20:26]
    if fraction == "000000":
        return f"{seconds}Z"
    return f"{seconds}.{fraction[:3]}Z" if fraction.endswith("000") else time
