"""A search as SQL over the archive's table of records, in what Athena and DuckDB both read.

Values stand in the text, as literals: Athena takes parameters of 1,024 characters, and ids have up to 2,048 bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from headwater.records.search.criteria import Horizon, SearchCriteria
from headwater_model.archive_tables import DAY, RECORDS

# The most rows of one search; one row above it shows that there are more.
ROWS_MAX = 100_000
_METADATA = "metadata"
_CONTROL = re.compile("([\x00-\x1f\x7f])")
COLUMNS = (*(column.name for column in RECORDS.columns), DAY.name)


def render_sql(criteria: SearchCriteria, horizon: Horizon) -> str:
    """Return the query of published records; maps come as JSON, as Athena's own text for them cannot be parsed."""
    # Its own name would hide the column from the conditions.
    columns = ", ".join(f"CAST({name} AS JSON) AS {name}" if name == _METADATA else name for name in COLUMNS)
    conditions = " AND ".join(_conditions(criteria, horizon))
    order = f"{DAY.name}, root_id, node_id"
    return f"SELECT {columns} FROM {RECORDS.name} WHERE {conditions} ORDER BY {order} LIMIT {ROWS_MAX + 1}"  # noqa: S608 - literals are quoted


def _conditions(criteria: SearchCriteria, horizon: Horizon) -> Iterator[str]:
    yield f"{DAY.name} <= {literal(horizon.day)}"
    if horizon.first is not None:
        yield f"{DAY.name} >= {literal(horizon.first)}"
    equal = (("root_id", criteria.root), ("node_id", criteria.node), ("action_taken", criteria.action))
    yield from (f"{name} = {literal(value)}" for name, value in equal if value is not None)
    if criteria.location is not None:
        yield f"starts_with(storage_location, {literal(criteria.location)})"
    if criteria.start_s is not None:
        yield f"recorded_at >= {criteria.start_s:d}"
    if criteria.end_s is not None:
        yield f"recorded_at < {criteria.end_s:d}"


def literal(text: str) -> str:
    r"""Return the text as an SQL literal: quotes are doubled, control characters are written by number.

    >>> literal("it's"), literal("a\n")
    ("'it''s'", "('a' || chr(10))")
    """
    parts = [_part(part) for part in _CONTROL.split(text) if part]
    return parts[0] if len(parts) == 1 else f"({' || '.join(parts)})" if parts else "''"


def _part(part: str) -> str:
    if _CONTROL.fullmatch(part):
        return f"chr({ord(part)})"
    return "'" + part.replace("'", "''") + "'"
