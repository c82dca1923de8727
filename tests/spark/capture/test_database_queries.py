"""Queries of databases without a driver in the tests: parsed as they are, and resolved."""

from __future__ import annotations

import json

import pytest
from pyspark.sql import SparkSession

from spark_client.capturing.databases.names import tables_in
from spark_client.capturing.databases.queries import resolve
from spark_client.capturing.databases.urls import _columns_of, _table
from spark_client.capturing.jvm.executions import Bounds, _classes_of
from spark_client.capturing.plans.plan import Node, parse_plan
from spark_client.capturing.plans.walk import PlanWalk

_URL = "jdbc:postgresql://db/shop"

# A query, its columns with the names of their source columns, and its tables; `?` is unknown.
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


# Queries in a database's own words: columns of plain names are resolved as without such words.
OWN_WORDS = {
    "a cast by colons": ("SELECT id, note::text AS n FROM orders", {"id": {"id"}, "n": {"note"}}, ["orders"]),
    "casts of casts": ("SELECT id, a::text::varchar(20) AS n FROM t", {"id": {"id"}, "n": {"a"}}, ["t"]),
    "casts to types of several words": (
        "SELECT a::double precision AS x, b::timestamp with time zone y, c::character varying(9), "
        "d::numeric(9, 2) z FROM t",
        {"x": {"a"}, "y": {"b"}, "c": {"c"}, "z": {"d"}},
        ["t"],
    ),
    "a cast to an array": ("SELECT a::int[] AS x, b FROM t", {"x": {"a"}, "b": {"b"}}, ["t"]),
    "a cast of an expression": ("SELECT (a + b)::numeric AS x, b FROM t", {"x": {"a", "b"}, "b": {"b"}}, ["t"]),
    "a cast to a type of the database's": (
        "SELECT id, cast(b AS text) AS b, CAST(c AS jsonb) AS c, cast(d as timestamptz) AS d FROM t",
        {"id": {"id"}, "b": {"b"}, "c": {"c"}, "d": {"d"}},
        ["t"],
    ),
    "a cast to a type with a size that is a word": (
        "SELECT id, cast(b AS nvarchar(max)) AS b FROM t",
        {"id": {"id"}, "b": {"b"}},
        ["t"],
    ),
    "casts inside each other": (
        "SELECT cast(coalesce(cast(a AS text), (SELECT max(cast(u.x AS uuid)) AS y FROM u)) AS jsonb) AS c FROM t",
        {"c": {"a", "x"}},
        ["u", "t"],
    ),
    "a text that has such words": (
        "SELECT id, 'cast(a AS text)::jsonb ->> b' AS x, \"a::b\" FROM t",
        {"id": {"id"}, "x": set(), "a::b": {"a::b"}},
        ["t"],
    ),
    "fields of JSON": (
        "SELECT id, payload->>'name' AS n, payload->'a'->>'b' AS m, payload#>>'{a,b}' AS o FROM orders",
        {"id": {"id"}, "n": {"payload"}, "m": {"payload"}, "o": {"payload"}},
        ["orders"],
    ),
    "conditions in operators of the database's": (
        "SELECT id FROM orders WHERE payload @> '{}' AND name ~* 'x' AND tags <@ 'y' AND state !~ 'z' AND q ~ 'a'",
        {"id": {"id"}},
        ["orders"],
    ),
    "texts of a type": (
        "SELECT id, a FROM t WHERE d > timestamptz '2013-01-01' AND e < jsonb '{}'",
        {"id": {"id"}, "a": {"a"}},
        ["t"],
    ),
    "a join of casts": (
        "SELECT o.id, c.name FROM orders o JOIN customers c ON o.customer::text = cast(c.id AS text)",
        {"id": {"id"}, "name": {"name"}},
        ["orders", "customers"],
    ),
    "a comment that has such words": (
        "SELECT id -- ::text ->> cast(\n FROM t /* a::b */",
        {"id": {"id"}},
        ["t"],
    ),
    "less than what is negative": ("SELECT id FROM t WHERE a<-1 AND b>-1", {"id": {"id"}}, ["t"]),
}


@pytest.mark.parametrize("name", OWN_WORDS)
def test_a_query_in_words_of_the_database_keeps_its_plain_columns(name: str, spark: SparkSession) -> None:
    sql, columns, tables = OWN_WORDS[name]

    words = _in_sparks_words(spark, f"({sql}) t", "postgresql")

    assert _resolved(spark, words, list(columns), whole=False) == (columns, tables), words


def _in_sparks_words(spark: SparkSession, text: str, kind: str) -> str:
    """Translate a query by the client's Java class."""
    jvm, gateway = spark._jvm, spark.sparkContext._gateway
    of_text = jvm.java.lang.Class.forName("java.lang.String")
    types = gateway.new_array(jvm.java.lang.Class, 2)
    values = gateway.new_array(jvm.java.lang.Object, 2)
    types[0] = types[1] = of_text
    values[0], values[1] = text, kind
    loader = _classes_of(gateway)._loader
    call = next(each for each in loader.loadClass("headwater.capture.Parts").getMethods() if each.getName() == "call")
    arguments = gateway.new_array(jvm.java.lang.Object, 4)
    arguments[0], arguments[1], arguments[2], arguments[3] = "Queries", "inSparksWords", types, values
    return str(call.invoke(None, arguments))


@pytest.mark.parametrize("name", QUERIES)
def test_a_query_is_resolved_as_far_as_it_has_one_meaning(name: str, spark: SparkSession) -> None:
    sql, columns, tables = QUERIES[name]

    assert _resolved(spark, sql, list(columns)) == (columns, tables)


def _resolved(
    spark: SparkSession, sql: str, names: list[str], *, whole: bool = True
) -> tuple[dict[str, object], list[str | None]]:
    """Resolve a query: column -> its source columns, and the tables of the query."""
    plan = _parsed(spark, f"SELECT * FROM ({sql}) t" if whole else f"SELECT * FROM {sql}")
    resolved = resolve(plan, names, _table)
    values = [] if resolved is None else PlanWalk(lambda leaf: _columns_of(leaf, _URL)).relation(resolved).values
    resolved_columns: list[object] = [
        "?"
        if value.unknown
        else {dependency.source.field[-1] for dependency in value.made_of if dependency.source.field}
        for value in values
    ] or ["?"] * len(names)
    tables = [None if table is None else ".".join(table) for table in dict.fromkeys(tables_in(plan))]
    return dict(zip(names, resolved_columns, strict=True)), tables


def _parsed(spark: SparkSession, sql: str) -> Node:
    jvm = spark._jvm
    classes = _classes_of(spark.sparkContext._gateway)
    streams = jvm.java.util.HashMap()
    listener = classes.new("ExecutionListener", 1, False, spark.sparkContext._jsc.sc().conf(), streams, streams)
    plan = jvm.org.apache.spark.sql.catalyst.parser.CatalystSqlParser().parsePlan(sql)
    executions = classes.reader(listener, Bounds())
    field = executions.getClass().getDeclaredField("reader")
    field.setAccessible(True)
    document = json.loads(field.get(executions).read(plan, 0, 10_000))
    return parse_plan(document["kinds"], document["objects"], document["types"])
