"""Columns of a frame that no file has: they are made of nothing, and are none of the input's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from tests.spark.capture.conftest import Watch
from tests.spark.capture.specification import expected, lines_of

Read = Callable[[SparkSession, str], DataFrame]
_ROWS = "SELECT 'UA' AS carrier, 1 AS flight, named_struct('x', 1, 'y', 2) AS s"
_BOTH = "carrier <- in.carrier IDENTITY; flight <- in.flight IDENTITY"

# Columns of a user's own schema: the format of the files, the schema, the lineage, and the columns of the input.
OWN = (
    ("parquet", "carrier STRING, flight INT", _BOTH, ["carrier", "flight"]),
    ("parquet", "flight INT, carrier STRING, tailnum STRING", f"{_BOTH}; tailnum <- nothing", ["flight", "carrier"]),
    ("orc", "carrier STRING, tailnum STRING", "carrier <- in.carrier IDENTITY; tailnum <- nothing", ["carrier"]),
    ("parquet", "CARRIER STRING, z INT", "CARRIER <- in.CARRIER IDENTITY; z <- nothing", ["CARRIER"]),
    ("parquet", "y INT, z INT", "y <- nothing; z <- nothing; inputs: in", []),
    ("parquet", "s STRUCT<x: INT, z: INT>", "s <- in.s IDENTITY", ["s"]),
)
_FLAGGED = "carrier <- in.carrier IDENTITY; {name} <- nothing"


def _write(spark: SparkSession, watch: Watch, path: Path, read: Callable[[], DataFrame]) -> tuple[list[str], list[str]]:
    (written,) = watch.writes_of(lambda: read().write.parquet(f"{path}/out"))
    (source,) = written.inputs
    return lines_of([written]), [column.name for column in source.schema]


@pytest.mark.parametrize(("form", "schema", "lineage", "columns"), OWN)
def test_columns_of_a_schema_that_files_do_not_have(
    form: str, schema: str, lineage: str, columns: list[str], spark: SparkSession, watch: Watch, tmp_path: Path
) -> None:
    spark.sql(_ROWS).write.format(form).save(f"{tmp_path}/in")
    frame = spark.read.schema(schema).format(form).load(f"{tmp_path}/in")
    assert _write(spark, watch, tmp_path, lambda: frame) == (expected(lineage), columns)


def test_a_column_that_some_files_have_is_theirs(spark: SparkSession, watch: Watch, tmp_path: Path) -> None:
    spark.sql("SELECT 1 AS a").write.mode("append").parquet(f"{tmp_path}/in")
    spark.sql("SELECT 1 AS a, 2 AS b").write.mode("append").parquet(f"{tmp_path}/in")
    frame = spark.read.schema("a INT, b INT, c INT").parquet(f"{tmp_path}/in")
    lineage = "a <- in.a IDENTITY; b <- in.b IDENTITY; c <- nothing"
    assert _write(spark, watch, tmp_path, lambda: frame) == (expected(lineage), ["a", "b"])


def test_of_too_many_files_a_column_may_be_any_s(spark: SparkSession, watch: Watch, tmp_path: Path) -> None:
    for number in range(10):
        spark.sql(f"SELECT {number} AS a").write.mode("append").parquet(f"{tmp_path}/in")
    frame = spark.read.schema("a INT, b INT").parquet(f"{tmp_path}/in")
    lineage = "a <- in.a IDENTITY; b <- in.b IDENTITY"
    assert _write(spark, watch, tmp_path, lambda: frame) == (expected(lineage), ["a", "b"])


def test_partitions_are_columns_of_the_files_that_lie_in_them(
    spark: SparkSession, watch: Watch, tmp_path: Path
) -> None:
    spark.sql(_ROWS).write.partitionBy("carrier").parquet(f"{tmp_path}/in")
    frame = spark.read.schema("flight INT, carrier STRING, z INT").parquet(f"{tmp_path}/in")
    assert _write(spark, watch, tmp_path, lambda: frame) == (
        expected(f"{_BOTH}; z <- nothing"),
        ["flight", "carrier"],
    )


def test_a_table_has_the_columns_that_its_catalog_says(spark: SparkSession, watch: Watch, tmp_path: Path) -> None:
    spark.sql(_ROWS).write.parquet(f"{tmp_path}/in")
    spark.sql(f"CREATE TABLE widened (carrier STRING, added INT) USING parquet LOCATION '{tmp_path}/in'")
    lineage = "carrier <- in.carrier IDENTITY; added <- in.added IDENTITY"
    assert _write(spark, watch, tmp_path, lambda: spark.table("widened")) == (expected(lineage), ["carrier", "added"])


@pytest.mark.parametrize("form", ["json", "csv"])
@pytest.mark.parametrize("name", ["_corrupt_record", "broken"])
def test_a_column_of_records_that_are_no_rows(
    name: str, form: str, spark: SparkSession, watch: Watch, tmp_path: Path
) -> None:
    spark.sql("SELECT 'UA' AS carrier").write.format(form).save(f"{tmp_path}/in")
    reader = spark.read.schema(f"carrier STRING, {name} STRING").format(form)
    if name != "_corrupt_record":
        reader = reader.option("columnNameOfCorruptRecord", name)
    lineage = _FLAGGED.format(name=name)
    assert _write(spark, watch, tmp_path, lambda: reader.load(f"{tmp_path}/in")) == (expected(lineage), ["carrier"])


def test_a_column_of_that_name_in_other_files_is_theirs(spark: SparkSession, watch: Watch, tmp_path: Path) -> None:
    spark.sql("SELECT 'UA' AS _corrupt_record").write.parquet(f"{tmp_path}/in")
    lineage = "_corrupt_record <- in._corrupt_record IDENTITY"
    frame = spark.read.parquet(f"{tmp_path}/in")
    assert _write(spark, watch, tmp_path, lambda: frame) == (expected(lineage), ["_corrupt_record"])
