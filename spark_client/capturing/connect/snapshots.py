"""Columns of a plan of Spark Connect, and their sources at a moment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from spark_client.capturing.model import SchemaField
from spark_client.capturing.plans.values import Dependency, Value


class Unreadable(Exception):
    """Plan, or a part of it, whose columns cannot be read without guessing; the message says why."""


@dataclass(frozen=True, slots=True)
class Column:
    """Column of a frame; `id` is its expression's. A name that Spark makes up, and a type, may be unknown (None)."""

    name: str | None
    id: str
    type: SchemaField | None = None


class Snapshot(NamedTuple):
    """Columns of a source, a view or a query as they were, whatever is under their names now.

    `schema`: of a frame, in SQL's words, if known.
    """

    columns: tuple[Column, ...]
    values: tuple[Value, ...]
    rows: frozenset[Dependency] = frozenset()
    schema: str = ""
