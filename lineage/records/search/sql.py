"""A search as SQL over the archive's table of records, in what Athena and DuckDB both read.

Values stand in the text, as literals: Athena takes parameters of 1,024 characters, and ids have up to 2,048 bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lineage.records.search.criteria import Horizon, Question
from lineage_model.archive_tables import DAY, RECORDS

# The most rows of one search; one more tells that there are more.
ROWS_MAX = 100_000
_METADATA = "metadata"
_CONTROL = re.compile("([\x00-\x1f\x7f])")
COLUMNS = (*(column.name for column in RECORDS.columns), DAY.name)


def render_sql(question: Question, horizon: Horizon) -> str:
    """The query for what is published; a map comes as JSON, as Athena's own form for it cannot be read back."""
    # Its own name would hide the column from the conditions.
    columns = ", ".join(f"CAST({name} AS JSON) AS {name}" if name == _METADATA else name for name in COLUMNS)
    conditions = " AND ".join(_conditions(question, horizon))
    order = f"{DAY.name}, root_id, node_id"
    return f"SELECT {columns} FROM {RECORDS.name} WHERE {conditions} ORDER BY {order} LIMIT {ROWS_MAX + 1}"  # noqa: S608 - literals are quoted


def _conditions(question: Question, horizon: Horizon) -> Iterator[str]:
    yield f"{DAY.name} <= {literal(horizon.day)}"
    if horizon.first is not None:
        yield f"{DAY.name} >= {literal(horizon.first)}"
    equal = (("root_id", question.root), ("node_id", question.node), ("action_taken", question.action))
    yield from (f"{name} = {literal(value)}" for name, value in equal if value is not None)
    if question.location is not None:
        yield f"starts_with(storage_location, {literal(question.location)})"
    if question.start_s is not None:
        yield f"recorded_at >= {question.start_s:d}"
    if question.end_s is not None:
        yield f"recorded_at < {question.end_s:d}"


def literal(text: str) -> str:
    r"""The text as SQL: a quote is doubled, nothing else means anything; control characters are named by number.

    >>> literal("it's"), literal("a\n")
    ("'it''s'", "('a' || chr(10))")
    """
    parts = [_part(part) for part in _CONTROL.split(text) if part]
    return parts[0] if len(parts) == 1 else f"({' || '.join(parts)})" if parts else "''"


def _part(part: str) -> str:
    if _CONTROL.fullmatch(part):
        return f"chr({ord(part)})"
    return "'" + part.replace("'", "''") + "'"
