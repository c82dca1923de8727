"""Columns that MERGE, UPDATE and DELETE change in a table.

An unchanged row adds no lineage, as an append adds none for existing rows: a column that no clause sets is left out,
and so is a column that is set to itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from headwater_model.columns import ColumnSource
from headwater_model.ids import DatasetId, FieldPath
from spark_client.capturing.plans.expressions import Expressions
from spark_client.capturing.plans.operators import RowsLineage
from spark_client.capturing.plans.plan import Node
from spark_client.capturing.plans.row_statements import Clause, RowChange
from spark_client.capturing.plans.values import (
    CONDITIONAL,
    FILTER,
    IDENTITY,
    JOIN,
    NOTHING,
    Dependency,
    Value,
    beside,
    change,
    mapped,
)
from spark_client.capturing.plans.walk import Leaf, PlanWalk

# The table as it was before: to set a column to its own value in the same row changes nothing.
_BEFORE = DatasetId("", "the table before")


class Changed(NamedTuple):
    """Columns made by each clause, and what decides about all rows; `of_before`: columns of the table are read, too."""

    columns: list[dict[str, Value]]
    rows: frozenset[Dependency]
    of_before: bool


def relate_rows(change_of: RowChange, table: DatasetId, leaf: Leaf, variables: Mapping[str, Value]) -> Changed:
    """Return the changed columns of a table; `leaf` returns what other leaves give, `variables` are by their keys.

    Raises:
        TooLarge: see `PlanWalk`.
    """
    walk = PlanWalk(lambda node: _before(node) if change_of.is_target(node) else leaf(node), variables)
    source = walk.relation(change_of.source) if change_of.source is not None else RowsLineage()
    of = walk.over(walk.relation(change_of.target), source)
    rows = source.rows | change(JOIN, map(of.value, change_of.on)).made_of
    for clause in change_of.clauses:
        if clause.does != "UPDATE":
            rows |= change(FILTER, [of.value(clause.condition)]).made_of
    columns = [_made(clause, of) for clause in change_of.clauses]
    return _of_table(table, columns, rows)


def _before(leaf: Node) -> RowsLineage:
    """Return the columns of the table, as they were."""
    outputs = leaf.nodes("output")
    return RowsLineage(tuple((output.text("exprId") or "", _column(output.text("name") or "")) for output in outputs))


def _column(*path: str) -> Value:
    return Value(frozenset({Dependency(ColumnSource(_BEFORE, path), IDENTITY)}))


def _made(clause: Clause, of: Expressions) -> dict[str, Value]:
    """Return the columns that a clause changes."""
    deciding = change(CONDITIONAL, [of.value(clause.condition)]) if clause.does == "UPDATE" else NOTHING
    values = ((name, _without_kept(of.value(expression), (name,))) for name, expression in clause.assigned)
    return {name: beside(value, deciding) for name, value in values if value is not None}


def _without_kept(value: Value, path: FieldPath) -> Value | None:
    """Return the value without fields that are unchanged; None if all of them are."""
    if not value.fields:
        return None if value == _column(*path) else value
    left = {name: _without_kept(inner, (*path, name)) for name, inner in value.fields.items()}
    fields = {name: inner for name, inner in left.items() if inner is not None}
    return Value(value.made_of, fields, value.unknown) if fields or value.made_of or value.unknown else None


def _of_table(table: DatasetId, columns: list[dict[str, Value]], rows: frozenset[Dependency]) -> Changed:
    """Return the changes, with the table's own name in the place of the table before."""
    met: list[Dependency] = []

    def named(dependency: Dependency) -> Dependency:
        if dependency.source.dataset != _BEFORE:
            return dependency
        met.append(dependency)
        return dependency._replace(source=ColumnSource(table, dependency.source.field))

    renamed = [{name: mapped(value, named) for name, value in values.items()} for values in columns]
    decides = frozenset(map(named, rows))
    return Changed(renamed, decides, of_before=bool(met))
