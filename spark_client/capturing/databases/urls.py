"""Tables at the URLs of databases, as relations, options and catalogs name them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from headwater_model.columns import ColumnSource
from headwater_model.ids import DatasetId
from spark_client.capturing.databases.jdbc import find_column, find_table, is_database
from spark_client.capturing.databases.names import tables_in
from spark_client.capturing.databases.queries import resolve
from spark_client.capturing.databases.simple_queries import find_query
from spark_client.capturing.datasets.leaf_source import LeafSource
from spark_client.capturing.model import Dataset, SchemaField
from spark_client.capturing.plans.operators import RowsLineage
from spark_client.capturing.plans.plan import Node
from spark_client.capturing.plans.values import IDENTITY, Dependency, Value, unknown
from spark_client.capturing.plans.walk import PlanWalk

__all__ = ["find_source", "find_table", "is_database", "read_query"]

_QUERY = "JDBCRelation: a query that the database runs"
_COMPUTED = "JDBCRelation: computed by the database"


def find_source(url: str | None, table: str | None) -> LeafSource | None:
    """Find a table of a database, or the only table of a query.

    >>> find_source("jdbc:mysql://db/shop", "(select sum(total) from orders) q").unknown
    'JDBCRelation: computed by the database'
    """
    if not url or not table:
        return None
    if named := find_table(url, table):
        return LeafSource((Dataset(named),))
    query = find_query(table)
    named = find_table(url, query.table) if query else None
    if query is None or named is None:
        return LeafSource(unknown=_QUERY)
    return LeafSource((Dataset(named),), None if query.plain else _COMPUTED)


def read_query(plan: Node, url: str, text: str, schema: Sequence[SchemaField]) -> LeafSource:
    """Read the tables and columns of a query from its parsed plan; a plain `text` keeps the columns of `schema`."""
    tables = [name and find_table(url, ".".join(name)) for name in tables_in(plan)]
    named = dict.fromkeys(dataset for dataset in tables if isinstance(dataset, DatasetId))
    if not named:
        return LeafSource(unknown=_QUERY)
    simple = find_query(text) if len(named) == 1 else None
    columns = tuple(schema) if simple and simple.plain else ()
    return LeafSource(
        tuple(Dataset(dataset, columns) for dataset in named),
        columns=lambda outputs: _columns_of_query(plan, url, outputs),
        unnamed=_QUERY if len(named) < len(set(tables)) else None,
    )


def _columns_of_query(plan: Node, url: str, outputs: Sequence[Node]) -> RowsLineage:
    """Compute the columns of a query; an unresolved column is unknown."""
    ids = [output.text("exprId") or "" for output in outputs]
    resolved = resolve(plan, [output.text("name") or "" for output in outputs], _table)
    relation = RowsLineage() if resolved is None else PlanWalk(lambda leaf: _columns_of(leaf, url)).relation(resolved)
    values = [
        replace(output, unknown=frozenset({_COMPUTED})) if output.unknown else output for output in relation.values
    ]
    if len(values) != len(ids):
        values = [unknown(_COMPUTED)] * len(ids)
    return RowsLineage(tuple(zip(ids, values, strict=True)), relation.rows)


def _table(parts: Sequence[str]) -> Node:
    leaf = Node(0, "DatabaseTable")
    leaf.values = {"schema": None, "name": ".".join(parts)}
    return leaf


def _columns_of(table: Node, url: str) -> RowsLineage:
    dataset = find_table(url, table.text("name") or "")

    def value_of(column: Node) -> Value:
        if dataset is None:
            return unknown(_COMPUTED)
        source = ColumnSource(dataset, (find_column(url, column.text("name") or ""),))
        return Value(frozenset({Dependency(source, IDENTITY)}))

    return RowsLineage(tuple((column.text("exprId") or "", value_of(column)) for column in table.nodes("output")))
