"""Days as options name them."""

from __future__ import annotations

import argparse
from datetime import date


def parse_day(text: str) -> str:
    """Return the day of an option, `YYYY-MM-DD`.

    Raises:
        argparse.ArgumentTypeError: the text is no such day.

    >>> parse_day("2026-11-20")
    '2026-11-20'
    """
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"must be a day as YYYY-MM-DD, got {text!r}") from error
