"""Casts that the assignment to a table's column adds are no TRANSFORMATION; those that the program says are one."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.spark import table_formats
from tests.spark.capture.row_tables import add_catalog
from tests.spark.capture.specification import Case, statement, write

# The expression, the type of the column that it is assigned to, and the kind of its lineage.
TYPES = (
    ("flight", "BIGINT", "flights.flight IDENTITY"),
    ("flight", "DOUBLE", "flights.flight IDENTITY"),
    ("flight", "STRING", "flights.flight IDENTITY"),
    ("air_time", "INT", "flights.air_time IDENTITY"),
    ("day", "TIMESTAMP", "flights.day IDENTITY"),
    ("array(flight, distance)", "ARRAY<BIGINT>", "flights.flight TRANSFORMATION, flights.distance TRANSFORMATION"),
    ("flight + 1", "BIGINT", "flights.flight TRANSFORMATION"),
    ("CAST(flight AS BIGINT)", "BIGINT", "flights.flight TRANSFORMATION"),
    ("max(flight)", "BIGINT", "flights.flight AGGREGATION"),
)
_SINKS = {"parquet": ("", "USING parquet"), "rows": ("rows.", "LOCATION 'file:/lake/assigned'")}
if "delta" in table_formats.chosen():
    _SINKS["Delta"] = ("", "USING delta")
if "iceberg" in table_formats.chosen():
    del _SINKS["rows"]  # Iceberg's rules for its format 3 fail on tables of others
    _SINKS["Iceberg"] = ("ice.db.", "USING iceberg")
_CHANGED = (
    ("UPDATE {of}assigned SET x = y", "x <- assigned.y IDENTITY"),
    ("UPDATE {of}assigned SET x = CAST(y AS BIGINT)", "x <- assigned.y TRANSFORMATION"),
    ("UPDATE {of}assigned SET x = y + 1", "x <- assigned.y TRANSFORMATION"),
    (
        "MERGE INTO {of}assigned a USING flights f ON a.y = f.flight WHEN MATCHED THEN UPDATE SET x = f.distance "
        "WHEN NOT MATCHED THEN INSERT (x, y) VALUES (f.flight, f.air_time)",
        """
        x <- flights.distance, flights.flight
        y <- flights.air_time
        * <- assigned.y JOIN, flights.flight JOIN
        """,
    ),
)


@pytest.fixture(scope="module", autouse=True)
def tables(spark: SparkSession, datasets: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    add_catalog(spark, "rows", tmp_path_factory.mktemp("rows"))
    if "Iceberg" in _SINKS:
        spark.sql("CREATE NAMESPACE IF NOT EXISTS ice.db")


def _made(sink: str, columns: str) -> tuple[str, ...]:
    of, how = _SINKS[sink]
    return f"DROP TABLE IF EXISTS {of}assigned", f"CREATE TABLE {of}assigned ({columns}) {how}"


@pytest.mark.parametrize("sink", _SINKS)
@pytest.mark.parametrize(("expression", "type_", "sources"), TYPES)
def test_an_insert_into_a_column_of_another_type(expression: str, type_: str, sources: str, sink: str, check) -> None:
    sql = f"INSERT INTO {_SINKS[sink][0]}assigned SELECT {expression} FROM flights"
    check(statement(expression, sql, f"assigned:\nx <- {sources}", before=_made(sink, f"x {type_}")))


@pytest.mark.parametrize("sink", [sink for sink in _SINKS if sink not in ("parquet", "Delta")])
def test_a_frame_into_a_column_of_another_type(sink: str, check) -> None:
    def act(spark: SparkSession, out: str) -> None:
        spark.sql("SELECT flight AS x FROM flights").writeTo(f"{_SINKS[sink][0]}assigned").append()

    check(write(sink, act, "assigned:; x <- flights.flight", before=_made(sink, "x BIGINT")))


@pytest.mark.parametrize("sink", [sink for sink in _SINKS if sink != "parquet"])
@pytest.mark.parametrize(("sql", "lineage"), _CHANGED)
def test_rows_changed_to_a_value_of_another_type(sql: str, lineage: str, sink: str, check) -> None:
    case: Case = statement(
        sql, sql.format(of=_SINKS[sink][0]), f"assigned:\n{lineage}", before=_made(sink, "x BIGINT, y INT")
    )
    check(case)
