"""Queries of databases that the tests have no driver of: parsed as they are, and resolved."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from itertools import count

import pytest
from pyspark.sql import SparkSession

from spark_client.capturing.datasets.database_names import tables_in
from spark_client.capturing.datasets.database_queries import resolve
from spark_client.capturing.jvm.executions import Bounds, _classes_of
from spark_client.capturing.leaves import _columns_of, _table_of_database
from spark_client.capturing.plans.columns import PlanWalk
from spark_client.capturing.plans.plan import Node, parse_plan

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

    assert _resolved(spark, sql, list(columns)) == (columns, tables)


@pytest.mark.parametrize("seed", range(30))
def test_a_random_query_is_resolved_as_it_was_made(seed: int, spark: SparkSession) -> None:
    made = _Queries(random.Random(seed)).query(depth=2)
    columns, tables = _resolved(spark, made.sql, list(made.columns))

    assert (columns, set(tables)) == (made.columns, made.tables), made.sql


def _resolved(spark: SparkSession, sql: str, names: list[str]) -> tuple[dict[str, object], list[str | None]]:
    """Return of which columns each column of a query is made, and the tables that it reads."""
    plan = _parsed(spark, f"SELECT * FROM ({sql}) t")
    resolved = resolve(plan, names, _table_of_database)
    values = [] if resolved is None else PlanWalk(lambda leaf: _columns_of(leaf, _URL)).relation(resolved).values
    resolved_columns: list[object] = [
        "?" if one.unknown else {one.source.field[-1] for one in one.made_of if one.source.field} for one in values
    ] or ["?"] * len(names)
    tables = [None if one is None else ".".join(one) for one in dict.fromkeys(tables_in(plan))]
    return dict(zip(names, resolved_columns, strict=True)), tables


@dataclass(frozen=True)
class _Made:
    """A query, the columns of tables that each of its columns is made of, and its tables."""

    sql: str
    columns: dict[str, set[str]]
    tables: set[str]


class _Queries:
    """Queries of joins, aliases, functions, aggregates, queries in parentheses and WITH; every name is used once."""

    def __init__(self, dice: random.Random) -> None:
        self._dice = dice
        self._numbers = count()

    def query(self, depth: int) -> _Made:
        """Return a SELECT of one relation or two."""
        dice, before = self._dice, ""
        relations = [self._relation(depth) for _ in range(dice.choice((1, 2)))]
        if depth and dice.random() < 0.4:
            inner, name = self.query(depth - 1), self._name("w")
            before = f"WITH {name} AS ({inner.sql}) "
            relations[0] = (name, _Made(name, inner.columns, inner.tables))
        known = {f"{alias}.{name}": of for alias, made in relations for name, of in made.columns.items()}
        aggregates = dice.random() < 0.3
        items = {self._name("c"): self._item(list(known), aggregates) for _ in range(dice.randint(1, 3))}
        key = dice.choice(list(known))
        listed = ", ".join(f"{text} AS {name}" for name, (text, _) in items.items())
        decided = f" WHERE {dice.choice(list(known))} > 1" if dice.random() < 0.4 else ""
        grouped = f" GROUP BY {key}" if aggregates else ""
        return _Made(
            f"{before}SELECT {listed} FROM {self._joined(relations)}{decided}{grouped}",
            {name: set().union(*(known[one] for one in of)) for name, (_, of) in items.items()},
            set().union(*(made.tables for _, made in relations)),
        )

    def _joined(self, relations: list[tuple[str, _Made]]) -> str:
        (first, one), *others = relations
        text = one.sql
        for alias, made in others:
            left, right = (self._dice.choice(list(each.columns)) for each in (one, made))
            how = self._dice.choice((" JOIN", " LEFT JOIN", ","))
            on = "" if how == "," else f" ON {first}.{left} = {alias}.{right}"
            text += f"{how} {made.sql}{on}"
        return text

    def _relation(self, depth: int) -> tuple[str, _Made]:
        alias = self._name("r")
        if depth and self._dice.random() < 0.4:
            made = self.query(depth - 1)
            return alias, _Made(f"({made.sql}) {alias}", made.columns, made.tables)
        table = self._name("t")
        return alias, _Made(f"{table} {alias}", {name: {name} for name in (f"{table}_a", f"{table}_b")}, {table})

    def _item(self, known: list[str], aggregates: bool) -> tuple[str, list[str]]:
        one, other = self._dice.choice(known), self._dice.choice(known)
        if aggregates:
            return f"{self._dice.choice(('sum', 'max', 'count'))}({one})", [one]
        return self._dice.choice(
            [(one, [one]), (f"upper({one})", [one]), (f"coalesce({one}, {other})", [one, other]), (f"{one} + 1", [one])]
        )

    def _name(self, letter: str) -> str:
        return f"{letter}{next(self._numbers)}"


def _parsed(spark: SparkSession, sql: str) -> Node:
    jvm = spark._jvm
    classes = _classes_of(spark.sparkContext._gateway)
    listener = classes.new("ExecutionListener", 1, False, spark.sparkContext._jsc.sc().conf(), jvm.java.util.HashMap())
    plan = jvm.org.apache.spark.sql.catalyst.parser.CatalystSqlParser().parsePlan(sql)
    executions = classes.reader(listener, Bounds())
    field = executions.getClass().getDeclaredField("reader")
    field.setAccessible(True)
    document = json.loads(field.get(executions).read(plan, 0, 10_000))
    return parse_plan(document["kinds"], document["objects"], document["types"])
