"""Rows written in another order than the table's: each column has its own sources, by name or by place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyspark.sql.functions as sf
import pytest
from pyspark.sql import SparkSession

from tests.spark import table_formats
from tests.spark.capture.row_tables import add_catalog
from tests.spark.capture.specification import Case, write

_FLAT = "SELECT distance AS b, flight AS a FROM flights"
_NAMED = "a <- flights.flight IDENTITY; b <- flights.distance IDENTITY"
_PLACED = "a <- flights.distance IDENTITY; b <- flights.flight IDENTITY"
_NESTED = "SELECT named_struct('y', flight, 'x', distance) AS s, distance AS b, flight AS a FROM flights"
_NESTED_NAMED = f"{_NAMED}; s.x <- flights.distance IDENTITY; s.y <- flights.flight IDENTITY"
_SOME = "SELECT distance AS b FROM flights"

# By sink: what stands before the table's name, and how it is made; `None` for what this run does not have.
SINKS = {
    "parquet": ("", "USING parquet"),
    "rows": ("rows.", "LOCATION 'file:/lake/turned'"),
    "rows of any schema": ("rows.", "LOCATION 'file:/lake/turned' TBLPROPERTIES ('accepts' = 'any')"),
    "JDBC": ("derby.APP.", ""),
    "Delta": ("", "USING delta"),
    "Delta in partitions": ("", "USING delta PARTITIONED BY (a)"),
    "Iceberg": ("ice.db.", "USING iceberg"),
    "Iceberg in partitions": ("ice.db.", "USING iceberg PARTITIONED BY (a)"),
    "Iceberg of any schema": (
        "ice.db.",
        "USING iceberg TBLPROPERTIES ('write.spark.accept-any-schema' = 'true')",
    ),
}
_NEEDED = {"Delta": "delta", "Iceberg": "iceberg"}
CHOSEN = [sink for sink in SINKS if _NEEDED.get(sink.split()[0]) in (None, *table_formats.chosen())]
# Sinks that are tables of DataSource V2 alone: `writeTo` writes them, and structs by their fields' names.
V2 = [sink for sink in CHOSEN if not sink.startswith(("parquet", "JDBC"))]
# Sinks that take fewer columns than the table has; Iceberg then also takes rows without a list by their names.
ANY_SCHEMA = ("rows of any schema", "Iceberg of any schema")


def _inserted(columns: str, rows: str) -> Callable[[SparkSession, str], object]:
    return lambda spark, table: spark.sql(f"INSERT INTO {table} {columns} {rows}")


def _saved(spark: SparkSession, table: str, rows: str) -> None:
    """Append rows to a table, in the format that it has."""
    form = [row.data_type for row in spark.sql(f"DESCRIBE EXTENDED {table}").collect() if row.col_name == "Provider"]
    writer = spark.sql(rows).write.mode("append")
    (writer.format(form[0]) if form else writer).saveAsTable(table)


# How rows are written by the names of their columns.
BY_NAME = {
    "saveAsTable": lambda spark, table: _saved(spark, table, _FLAT),
    "a list of columns": _inserted("(b, a)", "SELECT distance, flight FROM flights"),
    "BY NAME": _inserted("BY NAME", _FLAT),
}
BY_NAME_OF_V2 = {
    "writeTo": lambda spark, table: spark.sql(_FLAT).writeTo(table).append(),
    "overwrite": lambda spark, table: spark.sql(_FLAT).writeTo(table).overwrite(sf.col("a") > 0),
    "overwritePartitions": lambda spark, table: spark.sql(_FLAT).writeTo(table).overwritePartitions(),
}
NESTED = {
    "saveAsTable": lambda spark, table: _saved(spark, table, _NESTED),
    "writeTo": lambda spark, table: spark.sql(_NESTED).writeTo(table).append(),
    "BY NAME": _inserted("BY NAME", _NESTED),
}


@pytest.fixture(scope="module", autouse=True)
def rows_catalog(spark: SparkSession, datasets: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    add_catalog(spark, "rows", tmp_path_factory.mktemp("rows"))
    if "iceberg" in table_formats.chosen():
        spark.sql("CREATE NAMESPACE IF NOT EXISTS ice.db")
        spark.conf.set("spark.sql.iceberg.check-ordering", "false")


def _case(sink: str, act: Callable[[SparkSession, str], object], lineage: str, columns: str = "a INT, b INT") -> Case:
    before, how = SINKS.get(sink) or ("", "USING parquet PARTITIONED BY (a)")
    name = f"{before}{'TURNED' if before.startswith('derby') else 'turned'}"
    create = f"CREATE TABLE {name} ({columns}) {how}"
    steps = (f"DROP TABLE IF EXISTS {name}", create)
    return write(sink, lambda spark, out: act(spark, name) and None, f"turned:\n{lineage}", before=steps)


@pytest.mark.parametrize("sink", CHOSEN)
@pytest.mark.parametrize("way", BY_NAME)
def test_rows_by_name(way: str, sink: str, check) -> None:
    check(_case(sink, BY_NAME[way], _NAMED))


@pytest.mark.parametrize("sink", [sink for sink in V2 if not sink.startswith("rows")])
@pytest.mark.parametrize("way", BY_NAME_OF_V2)
def test_frames_by_name(way: str, sink: str, check) -> None:
    check(_case(sink, BY_NAME_OF_V2[way], _NAMED))


def test_partitions_by_name(check) -> None:
    def act(spark: SparkSession, table: str) -> None:
        spark.sql(_FLAT).write.mode("append").partitionBy("a").saveAsTable(table)

    check(_case("parquet in partitions", act, _NAMED))


@pytest.mark.parametrize("sink", V2)
@pytest.mark.parametrize("way", NESTED)
def test_structs_by_name(way: str, sink: str, check) -> None:
    check(_case(sink, NESTED[way], _NESTED_NAMED, "a INT, b INT, s STRUCT<x: INT, y: INT>"))


@pytest.mark.parametrize("sink", CHOSEN)
def test_rows_by_place(sink: str, check) -> None:
    check(_case(sink, _inserted("", _FLAT), _NAMED if sink == ANY_SCHEMA[1] else _PLACED))


@pytest.mark.parametrize("sink", [sink for sink in CHOSEN if sink.startswith("Delta") or sink in ANY_SCHEMA])
def test_some_of_the_columns_by_name(sink: str, check) -> None:
    check(_case(sink, lambda spark, table: spark.sql(_SOME).writeTo(table).append(), "b <- flights.distance IDENTITY"))
