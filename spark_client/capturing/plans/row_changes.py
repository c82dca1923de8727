"""Columns of a table changed by MERGE, UPDATE and DELETE.

An unchanged row adds no lineage, as in an append. A column set in no clause, or set to itself, is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from headwater_model.columns import ColumnSource
from headwater_model.ids import DatasetId, FieldPath
from spark_client.capturing.plans.added_columns import added_columns
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
    change,
    decided_by,
    mapped,
)
from spark_client.capturing.plans.walk import Leaf, PlanWalk

# The table before the statement: `SET a = a` changes nothing.
_BEFORE = DatasetId("", "the table before")


class Changed(NamedTuple):
    """Columns set by each clause, and the dependencies of all rows; `of_before` if the table's own columns are read."""

    columns: list[dict[str, Value]]
    rows: frozenset[Dependency]
    of_before: bool


def relate_rows(change_of: RowChange, table: DatasetId, leaf: Leaf, variables: Mapping[str, Value]) -> Changed:
    """Relate the changed columns of a table; `leaf` relates the source's leaves, `variables` are by their keys.

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
    added = added_columns(leaf)
    names = ((output.text("exprId") or "", output.text("name") or "") for output in leaf.nodes("output"))
    return RowsLineage(tuple((id_, NOTHING if name in added else _column(name)) for id_, name in names))


def _column(*path: str) -> Value:
    return Value(frozenset({Dependency(ColumnSource(_BEFORE, path), IDENTITY)}))


def _made(clause: Clause, of: Expressions) -> dict[str, Value]:
    deciding = change(CONDITIONAL, [of.value(clause.condition)]) if clause.does == "UPDATE" else NOTHING
    values = ((name, _without_kept(of.value(expression), (name,))) for name, expression in clause.assigned)
    return {name: decided_by(value, deciding) for name, value in values if value is not None}


def _without_kept(value: Value, path: FieldPath) -> Value | None:
    """Remove the unchanged fields of a value; None without a changed field."""
    if not value.fields:
        return None if value == _column(*path) else value
    left = {name: _without_kept(inner, (*path, name)) for name, inner in value.fields.items()}
    fields = {name: inner for name, inner in left.items() if inner is not None}
    return Value(value.made_of, fields, value.unknown) if fields or value.made_of or value.unknown else None


def _of_table(table: DatasetId, columns: list[dict[str, Value]], rows: frozenset[Dependency]) -> Changed:
    """Put the table's own name in the place of the table before."""
    met: list[Dependency] = []

    def named(dependency: Dependency) -> Dependency:
        if dependency.source.dataset != _BEFORE:
            return dependency
        met.append(dependency)
        return dependency._replace(source=ColumnSource(table, dependency.source.field))

    renamed = [{name: mapped(value, named) for name, value in values.items()} for values in columns]
    decides = frozenset(map(named, rows))
    return Changed(renamed, decides, of_before=bool(met))
