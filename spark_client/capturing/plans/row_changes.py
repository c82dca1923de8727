"""What MERGE, UPDATE and DELETE make of the columns of a table.

A row that is kept as it was tells nothing, as an append tells nothing of the rows that were there: a column that no
clause sets is not told, nor is one that is set to itself.
"""

from __future__ import annotations

from typing import NamedTuple

from lineage_model.columns import Source
from lineage_model.ids import DatasetId, FieldPath
from spark_client.capturing.plans.columns import Leaf, Walk
from spark_client.capturing.plans.expressions import Expressions
from spark_client.capturing.plans.operators import Relation
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

# The table as it was before: who sets a column to what it is in the same row, of this very table, changes nothing.
_BEFORE = DatasetId("", "the table before")


class Changed(NamedTuple):
    """By clause the columns that it makes, and what decides about all rows; `of_before`: columns of the table, too."""

    columns: list[dict[str, Value]]
    rows: frozenset[Dependency]
    of_before: bool


def relate_rows(change_of: RowChange, table: DatasetId, leaf: Leaf) -> Changed:
    """What becomes of the columns of a table; `leaf` says what other leaves give.

    Raises:
        TooLarge: see `Walk`.
    """
    walk = Walk(lambda node: _before(node) if change_of.is_target(node) else leaf(node))
    source = walk.relation(change_of.source) if change_of.source is not None else Relation()
    of = walk.over(walk.relation(change_of.target), source)
    rows = source.rows | change(JOIN, map(of.value, change_of.on)).made_of
    for clause in change_of.clauses:
        if clause.does != "UPDATE":
            rows |= change(FILTER, [of.value(clause.condition)]).made_of
    columns = [_made(clause, of) for clause in change_of.clauses]
    return _of_table(table, columns, rows)


def _before(leaf: Node) -> Relation:
    """The columns of the table, as they were."""
    outputs = leaf.nodes("output")
    return Relation(tuple((one.text("exprId") or "", _column(one.text("name") or "")) for one in outputs))


def _column(*path: str) -> Value:
    return Value(frozenset({Dependency(Source(_BEFORE, path), IDENTITY)}))


def _made(clause: Clause, of: Expressions) -> dict[str, Value]:
    """The columns that a clause sets to something else than they were."""
    deciding = change(CONDITIONAL, [of.value(clause.condition)]) if clause.does == "UPDATE" else NOTHING
    values = ((name, _without_kept(of.value(expression), (name,))) for name, expression in clause.assigned)
    return {name: beside(value, deciding) for name, value in values if value is not None}


def _without_kept(value: Value, path: FieldPath) -> Value | None:
    """The value without fields that are what they were; None if all of it is."""
    if not value.fields:
        return None if value == _column(*path) else value
    left = {name: _without_kept(inner, (*path, name)) for name, inner in value.fields.items()}
    fields = {name: inner for name, inner in left.items() if inner is not None}
    return Value(value.made_of, fields, value.unknown) if fields or value.made_of or value.unknown else None


def _of_table(table: DatasetId, columns: list[dict[str, Value]], rows: frozenset[Dependency]) -> Changed:
    """The same, where the table before has its name."""
    met: list[Dependency] = []

    def named(one: Dependency) -> Dependency:
        if one.source.dataset != _BEFORE:
            return one
        met.append(one)
        return one._replace(source=Source(table, one.source.field))

    told = [{name: mapped(value, named) for name, value in made.items()} for made in columns]
    decides = frozenset(map(named, rows))
    return Changed(told, decides, of_before=bool(met))
