"""UTC days as text (YYYY-MM-DD), the unit of marks, seals and archive prefixes."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone


def day_of(moment_s: int) -> str:
    """The UTC day of a moment in seconds since 1970.

    >>> day_of(1_763_600_000)
    '2025-11-20'
    """
    return datetime.fromtimestamp(moment_s, timezone.utc).date().isoformat()


def shift(day: str, days: int) -> str:
    """The day that many days later, or earlier.

    >>> shift("2026-03-01", -1)
    '2026-02-28'
    """
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()


def days_between(first: str, last: str) -> list[str]:
    """Every day from the first to the last, both included.

    >>> days_between("2026-02-28", "2026-03-01")
    ['2026-02-28', '2026-03-01']
    """
    return [shift(first, number) for number in range((date.fromisoformat(last) - date.fromisoformat(first)).days + 1)]
