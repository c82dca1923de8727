"""Times of events as text: in UTC to the microsecond; the order of texts is the order of times."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from functools import lru_cache

# Seconds are optional, fractions may be finer than a microsecond; no zone means UTC.
_FORM = re.compile(
    r"(?P<day>\d{4}-\d{2}-\d{2})[T ](?P<minute>\d{2}:\d{2})(?::(?P<second>\d{2})(?:[.,](?P<fraction>\d{1,12}))?)?"
    r"(?P<zone>Z|z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?(?:\[[^\]]{1,64}\])?",
    re.ASCII,
)


@lru_cache(maxsize=10_000)
def parse_time(text: str) -> str:
    """Parse an ISO 8601 time and normalize it; digits below a microsecond are cut.

    Raises:
        ValueError: the text is no date and time, its offset is a day or more, or it is outside the years 1 to 9999.

    >>> parse_time("2024-10-24T21:27:05.5+02:00")
    '2024-10-24T19:27:05.500000Z'
    """
    form = _FORM.fullmatch(text)
    if form is None:
        raise ValueError("must be an ISO 8601 date and time")
    fraction = (form["fraction"] or "")[:6].ljust(6, "0")
    local = datetime.fromisoformat(f"{form['day']}T{form['minute']}:{form['second'] or '00'}.{fraction}")
    try:
        return normalize(local.replace(tzinfo=timezone.utc) - _offset(form["zone"] or "Z"))
    except OverflowError as error:
        raise ValueError("must be within the years 1 to 9999") from error


def _offset(zone: str) -> timedelta:
    if zone in "Zz":
        return timedelta()
    digits = zone[1:].replace(":", "").ljust(4, "0")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return -offset if zone[0] == "-" else offset


def normalize(moment: datetime) -> str:
    """Print a moment as normalized text, such as `2024-10-24T19:27:05.500000Z`."""
    utc = moment.astimezone(timezone.utc)
    return f"{utc.year:04}-{utc.month:02}-{utc.day:02}T{utc:%H:%M:%S}.{utc.microsecond:06}Z"


def milliseconds_between(start: str, end: str) -> int:
    """Count the whole milliseconds between two normalized times.

    >>> milliseconds_between("2024-10-24T19:27:05.000000Z", "2024-10-24T19:27:06.500000Z")
    1500
    """
    return (datetime.fromisoformat(end[:26]) - datetime.fromisoformat(start[:26])) // timedelta(milliseconds=1)
