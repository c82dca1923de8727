"""Rule for the only table of a query sent to a database; nothing rather than a wrong name.

The rule is no SQL parser: it finds a single table after a single FROM.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_NAME = r'(?:[\w$#]+|"[^"]+"|`[^`]+`|\[[^\]]+\])'
_DOTTED = rf"{_NAME}(?:\.{_NAME})*"
_COLUMNS = rf"(?P<columns>\*|{_DOTTED}(?:\s*,\s*{_DOTTED})*)"
_END = r"(?:(?:where|group|order|having|limit|offset|fetch|window|qualify)\b.*)?"
_QUERY = re.compile(
    rf"\(?\s*select\s+(?:{_COLUMNS}|.+?)\s+from\s+(?P<table>{_DOTTED})"
    rf"(?:\s+(?:as\s+)?(?!(?:where|group|order|having|limit|offset|fetch|window|qualify)\b){_NAME})?\s*{_END}\)?"
    r"(?:\s*(?:as\s+)?\w+)?\s*;?\s*",
    re.IGNORECASE | re.DOTALL,
)
# Two such words mean two tables, or a FROM without a table (`extract(year from day)`).
_TABLES = re.compile(r"\b(?:from|join|with|union|intersect|except|minus|apply|using)\b", re.IGNORECASE)
_QUOTED = re.compile(r"'(?:[^']|'')*'")
_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Query:
    """Query of a single table; `plain` if its columns are the table's, under their names."""

    table: str
    plain: bool


def find_query(text: str) -> Query | None:
    """Parse a query of a single table; None for all else.

    >>> find_query("(select id, o.total from shop.orders o where state = 'from') SPARK_GEN_SUBQ_0")
    Query(table='shop.orders', plain=True)
    >>> find_query("select sum(total) as total from orders group by state")
    Query(table='orders', plain=False)
    >>> find_query("select * from orders, customers") or find_query("select * from (select * from orders) o")
    """
    text = _QUOTED.sub("''", _COMMENT.sub(" ", text)).strip()
    if len(_TABLES.findall(text)) != 1:
        return None
    match = _QUERY.fullmatch(text)
    return Query(match["table"], match["columns"] is not None) if match else None
