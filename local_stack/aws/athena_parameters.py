"""Execution parameters of a query: SQL literals, as Athena accepts them, and nothing but values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal

Value = str | int | Decimal | bool | date | datetime | None

# Athena user guide, "Using parameterized queries": "For SQL execution parameters to be treated as strings, they must be
# enclosed in single quotes".
_TEXT = re.compile(r"'((?:[^']|'')*)'", re.DOTALL)
_NUMBER = re.compile(r"[+-]?\d+(\.\d*)?|[+-]?\.\d+")
_DATED = re.compile(r"(DATE|TIMESTAMP)\s*'([\d: .-]+)'", re.IGNORECASE)
_WORDS = {"true": True, "false": False, "null": None}


def parse_parameters(given: Sequence[str]) -> list[Value]:
    """Parse the values of the parameters, in their order.

    Raises:
        ValueError: A parameter is not a literal.

    >>> parse_parameters(["'O''Hare'", "-12", "1.50", "TRUE", "NULL", "DATE '2026-11-20'"])
    ["O'Hare", -12, Decimal('1.50'), True, None, datetime.date(2026, 11, 20)]
    """
    return [_parse(number, text.strip()) for number, text in enumerate(given, start=1)]


def _parse(number: int, text: str) -> Value:
    if match := _TEXT.fullmatch(text):
        return match[1].replace("''", "'")
    if match := _NUMBER.fullmatch(text):
        return Decimal(text) if "." in text else int(text)
    if match := _DATED.fullmatch(text):
        moment = datetime.fromisoformat(match[2])
        return moment.date() if match[1].upper() == "DATE" else moment
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    raise ValueError(f"parameter {number}: must be a literal (a text stands in single quotes), got {text!r}")
