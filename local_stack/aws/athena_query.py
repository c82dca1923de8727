"""Athena's queries and results as plain values: only the first query loads DuckDB."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class AthenaQuery:
    """A query as it was started."""

    sql: str
    database: str
    parameters: Sequence[str] = ()


@dataclass(frozen=True)
class AthenaResult:
    """A result: columns as in GetQueryResults, rows as text or None, and the bytes read from files."""

    columns: list[dict[str, Any]]
    rows: list[list[str | None]]
    scanned_bytes: int


class QueryFailed(Exception):
    """A query with Athena's end FAILED; the message is the reason."""
