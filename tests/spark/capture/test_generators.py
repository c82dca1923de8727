"""Generators in each idiom that has them: what a generator makes never hides the columns beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import pytest
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sf

from tests.spark.capture.specification import Case, frame


class Generator(NamedTuple):
    """Generator over `crews`: as a function and in SQL, the names of its columns, and their sources."""

    make: Callable[[], Column]
    sql: str
    names: tuple[str, ...]
    sources: tuple[str, ...]


_LEGS, _FLIGHT = "crews.legs TRANSFORMATION", "crews.flight TRANSFORMATION"
_NAME, _ROLE = "crews.employees.name TRANSFORMATION", "crews.employees.role TRANSFORMATION"
_ENTRY = ("crews.tags TRANSFORMATION", "crews.tags TRANSFORMATION")
_BUILT = "inline(array(struct(flight AS f, note AS n), struct(1 AS f, contact.email AS n)))"
GENERATORS: Mapping[str, Generator] = {
    "explode": Generator(lambda: sf.explode("legs"), "explode(legs)", ("leg",), (_LEGS,)),
    "explode_outer": Generator(lambda: sf.explode_outer("legs"), "explode_outer(legs)", ("leg",), (_LEGS,)),
    "explode of a map": Generator(lambda: sf.explode("tags"), "explode(tags)", ("k", "v"), _ENTRY),
    "posexplode": Generator(lambda: sf.posexplode("legs"), "posexplode(legs)", ("at", "leg"), (_LEGS, _LEGS)),
    "posexplode_outer of words": Generator(
        lambda: sf.posexplode_outer(sf.split("note", ", ")),
        "posexplode_outer(split(note, ', '))",
        ("at", "word"),
        ("crews.note TRANSFORMATION", "crews.note TRANSFORMATION"),
    ),
    "inline": Generator(lambda: sf.inline("employees"), "inline(employees)", ("who", "as_what"), (_NAME, _ROLE)),
    "inline_outer of a filter": Generator(
        lambda: sf.inline_outer(sf.filter("employees", lambda each: each["role"] != "pilot")),
        "inline_outer(filter(employees, e -> e.role <> 'pilot'))",
        ("who", "as_what"),
        (f"{_NAME}, {_ROLE}", _ROLE),
    ),
    "inline of built structs": Generator(
        lambda: sf.inline(
            sf.array(
                sf.struct(sf.col("flight").alias("f"), sf.col("note").alias("n")),
                sf.struct(sf.lit(1).alias("f"), sf.col("contact.email").alias("n")),
            )
        ),
        _BUILT,
        ("f1", "n1"),
        (_FLIGHT, "crews.note TRANSFORMATION, crews.contact.email TRANSFORMATION"),
    ),
    "stack": Generator(
        lambda: sf.stack(sf.lit(2), sf.lit("a"), sf.col("note"), sf.lit("c"), sf.col("contact.email")),
        "stack(2, 'a', note, 'c', contact.email)",
        ("what", "value"),
        ("nothing", "crews.note TRANSFORMATION, crews.contact.email TRANSFORMATION"),
    ),
}
_FRAME = ("flight", "contact", "employees", "tags", "places", "legs", "note")


class Idiom(NamedTuple):
    """Way to use a generator: the columns that stay beside it; `name` is that of a generator of one column."""

    make: Callable[[SparkSession, Generator], DataFrame]
    beside: tuple[str, ...] = _FRAME
    name: str = ""


def _crews(spark: SparkSession) -> DataFrame:
    return spark.table("crews")


def _named(of: Generator) -> str:
    return f"{of.sql} AS ({', '.join(of.names)})"


IDIOMS: Mapping[str, Idiom] = {
    "select": Idiom(lambda spark, of: _crews(spark).select(of.make().alias(*of.names), "flight"), ("flight",)),
    "before a star": Idiom(lambda spark, of: _crews(spark).select(of.make().alias(*of.names), "*")),
    "withColumn": Idiom(lambda spark, of: _crews(spark).withColumn("made", of.make()), name="made"),
    "in the place of a column": Idiom(
        lambda spark, of: _crews(spark).withColumn("legs", of.make()),
        tuple(name for name in _FRAME if name != "legs"),
        "legs",
    ),
    "a select in SQL": Idiom(lambda spark, of: spark.sql(f"SELECT flight, {_named(of)} FROM crews"), ("flight",)),
    "a lateral view": Idiom(
        lambda spark, of: spark.sql(f"SELECT * FROM crews LATERAL VIEW {of.sql} t AS {', '.join(of.names)}")
    ),
}


def _cases() -> Iterator[Case]:
    for kind, of in GENERATORS.items():
        for idiom, way in IDIOMS.items():
            if way.name and len(of.names) > 1:
                continue  # Spark has one name for one column there
            names = (way.name,) if way.name else of.names
            lines = [f"{name} <- crews.{name} IDENTITY" for name in way.beside]
            lines += [f"{name} <- {sources}" for name, sources in zip(names, of.sources, strict=True)]
            yield frame(
                f"{kind}, {idiom}",
                lambda spark, of=of, make=way.make: make(spark, of),
                "; ".join([*lines, "inputs: crews"]),
            )


CASES = tuple(_cases())


@pytest.mark.parametrize("case", CASES, ids=str)
def test_generators(case: Case, check) -> None:
    check(case)
