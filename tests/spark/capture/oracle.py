"""Lineage of a query by sqlglot, from its text and the tables' columns: it knows neither Spark's plans nor capture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

import sqlglot
from sqlglot import exp
from sqlglot.lineage import Node, to_node
from sqlglot.optimizer import Scope, build_scope, qualify
from sqlglot.schema import MappingSchema

# Pairs of a table and its column.
Sources: TypeAlias = frozenset[tuple[str, str]]
# Columns' types by table and column.
Tables: TypeAlias = Mapping[str, Mapping[str, str]]
_DIALECT = "spark"
# TPC BENCHMARK H, revision 3.0.1, section 1.4.
TPCH_TABLES = {
    "customer": """c_custkey BIGINT, c_name STRING, c_address STRING, c_nationkey BIGINT, c_phone STRING,
        c_acctbal DECIMAL(12, 2), c_mktsegment STRING, c_comment STRING""",
    "lineitem": """l_orderkey BIGINT, l_partkey BIGINT, l_suppkey BIGINT, l_linenumber INT, l_quantity DECIMAL(12, 2),
        l_extendedprice DECIMAL(12, 2), l_discount DECIMAL(12, 2), l_tax DECIMAL(12, 2), l_returnflag STRING,
        l_linestatus STRING, l_shipdate DATE, l_commitdate DATE, l_receiptdate DATE, l_shipinstruct STRING,
        l_shipmode STRING, l_comment STRING""",
    "nation": "n_nationkey BIGINT, n_name STRING, n_regionkey BIGINT, n_comment STRING",
    "orders": """o_orderkey BIGINT, o_custkey BIGINT, o_orderstatus STRING, o_totalprice DECIMAL(12, 2),
        o_orderdate DATE, o_orderpriority STRING, o_clerk STRING, o_shippriority INT, o_comment STRING""",
    "part": """p_partkey BIGINT, p_name STRING, p_mfgr STRING, p_brand STRING, p_type STRING, p_size INT,
        p_container STRING, p_retailprice DECIMAL(12, 2), p_comment STRING""",
    "partsupp": """ps_partkey BIGINT, ps_suppkey BIGINT, ps_availqty INT, ps_supplycost DECIMAL(12, 2),
        ps_comment STRING""",
    "region": "r_regionkey BIGINT, r_name STRING, r_comment STRING",
    "supplier": """s_suppkey BIGINT, s_name STRING, s_address STRING, s_nationkey BIGINT, s_phone STRING,
        s_acctbal DECIMAL(12, 2), s_comment STRING""",
}


class QueryLineage(NamedTuple):
    """Sources of each output column, in order, and the tables read by the query."""

    columns: tuple[Sources, ...]
    tables: frozenset[str]


def read_lineage(sql: str, tables: Tables) -> QueryLineage:
    """Compute the lineage of a query.

    A column's sources are all columns in its expressions, also in conditions, windows and scalar subqueries' results.
    A column only for the choice, joins, groups or order of rows is no source.

    >>> tables = {"t": {"a": "int", "c": "int"}}
    >>> read_lineage("SELECT sum(b) AS s FROM (SELECT a + 1 AS b, c FROM t) WHERE c > 0", tables)
    QueryLineage(columns=(frozenset({('t', 'a')}),), tables=frozenset({'t'}))

    Raises:
        ValueError: a column's source cannot be found in the tables.
        sqlglot.errors.SqlglotError: the text is no query.
    """
    schema = MappingSchema({table: dict(columns) for table, columns in tables.items()}, dialect=_DIALECT)
    query = qualify.qualify(sqlglot.parse_one(sql, dialect=_DIALECT), dialect=_DIALECT, schema=schema, identify=False)
    scope = build_scope(query)
    if scope is None or not isinstance(query, exp.Query):
        raise ValueError(f"{sql[:200]!r}: must be a query")
    selects = range(len(query.selects))
    nodes = (to_node(number, scope, _DIALECT, schema, trim_selects=False) for number in selects)
    return QueryLineage(tuple(map(_sources, nodes)), _tables_read(scope))


def _sources(column: Node) -> Sources:
    leaves = [node for node in column.walk() if not node.downstream]
    if lost := [node.name for node in leaves if isinstance(node.expression, exp.Column | exp.Placeholder)]:
        raise ValueError(f"{', '.join(lost)}: must be of a table")
    return frozenset(
        (node.expression.name, node.name.rpartition(".")[2])
        for node in leaves
        if isinstance(node.expression, exp.Table)
    )


def _tables_read(scope: Scope) -> frozenset[str]:
    sources = (source for each in scope.traverse() for source in each.sources.values())
    return frozenset(source.name for source in sources if isinstance(source, exp.Table))
