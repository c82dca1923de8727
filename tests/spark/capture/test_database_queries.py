"""Queries of databases that the tests have no driver of: parsed as they are, and resolved."""

from __future__ import annotations

import json

import pytest
from pyspark.sql import SparkSession

from spark_client.capturing.columns import Walk
from spark_client.capturing.database_names import tables_in
from spark_client.capturing.database_queries import resolve
from spark_client.capturing.jvm import Bounds, _classes_of
from spark_client.capturing.plan import Node, parse_plan
from spark_client.capturing.understand import _columns_of, _table_of_database

_URL = "jdbc:postgresql://db/shop"

# A query, its columns' names, the tables that it reads, and of which columns each column is made; `?` is unknown.
QUERIES = {
    "WITH": (
        "WITH w AS (SELECT id, total FROM orders) SELECT w.id, w.total AS t FROM w",
        {"id": {"id"}, "t": {"total"}},
        ["orders"],
    ),
    "a WITH that hides a table from those behind it": (
        "WITH a AS (SELECT x FROM b), b AS (SELECT y AS x FROM c) SELECT a.x, b.x AS z FROM a, b",
        {"x": {"x"}, "z": {"y"}},
        ["b", "c"],
    ),
    "a WITH that reads itself": (
        "WITH w AS (SELECT id FROM orders UNION ALL SELECT id FROM w) SELECT id FROM w",
        {"id": "?"},
        ["orders"],
    ),
    "USING": (
        "SELECT id, o.total, c.name FROM orders o LEFT JOIN customers c USING (id)",
        {"id": {"id"}, "total": {"total"}, "name": {"name"}},
        ["orders", "customers"],
    ),
    "NATURAL JOIN": (
        "SELECT id, o.total FROM orders o NATURAL JOIN customers c",
        {"id": "?", "total": {"total"}},
        ["orders", "customers"],
    ),
    "two stars and what is around them": (
        "SELECT o.id, o.*, c.*, c.name FROM orders o, customers c",
        {"id": {"id"}, "a": "?", "b": "?", "name": {"name"}},
        ["orders", "customers"],
    ),
    "a union of stars": ("SELECT * FROM a UNION ALL SELECT * FROM b", {"id": "?"}, ["a", "b"]),
    "a name that may be an alias": ("SELECT a + 1 AS x, x + 1 AS y FROM t", {"x": {"a"}, "y": "?"}, ["t"]),
    "no column": ("SELECT sysdate AS now, current_date AS today FROM t", {"now": "?", "today": set()}, ["t"]),
    "ranks": (
        "SELECT id, row_number() OVER (PARTITION BY a ORDER BY b) AS r FROM t",
        {"id": {"id"}, "r": {"a", "b"}},
        ["t"],
    ),
    "a table function": ("SELECT * FROM series(1)", {"n": "?"}, [None]),
}


@pytest.mark.parametrize("name", QUERIES)
def test_a_query_is_resolved_as_far_as_it_has_one_meaning(name: str, spark: SparkSession) -> None:
    sql, columns, tables = QUERIES[name]
    plan = _parsed(spark, f"SELECT * FROM ({sql}) t")
    resolved = resolve(plan, list(columns), _table_of_database)
    values = [] if resolved is None else Walk(lambda leaf: _columns_of(leaf, _URL)).relation(resolved).values
    told = [
        "?" if one.unknown else {one.source.field[-1] for one in one.made_of if one.source.field} for one in values
    ] or ["?"] * len(columns)

    assert dict(zip(columns, told, strict=True)) == columns
    assert [None if one is None else ".".join(one) for one in dict.fromkeys(tables_in(plan))] == tables


def _parsed(spark: SparkSession, sql: str) -> Node:
    jvm = spark._jvm
    classes = _classes_of(spark.sparkContext._gateway)
    listener = classes.new("ExecutionListener", 1, spark.sparkContext._jsc.sc().conf())
    plan = jvm.org.apache.spark.sql.catalyst.parser.CatalystSqlParser().parsePlan(sql)
    executions = classes.reader(listener, Bounds())
    field = executions.getClass().getDeclaredField("reader")
    field.setAccessible(True)
    told = json.loads(field.get(executions).read(plan, 0, 10_000))
    return parse_plan(told["kinds"], told["objects"], told["types"])
