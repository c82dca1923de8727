"""Plans that are small to write and large to describe: capture must survive them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from typing import TYPE_CHECKING, Any, TypeAlias

from pyspark.sql import functions as sf

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

Plan: TypeAlias = "Callable[[DataFrame], DataFrame]"


def source(spark: SparkSession, folder: Path) -> DataFrame:
    """Read a few rows of `id` and `value` from a file: every plan begins with them."""
    path = str(folder / "source")
    spark.range(10).select("id", (sf.col("id") * 2).alias("value")).write.parquet(path)
    return spark.read.parquet(path)


def nested_when(depth: int) -> Plan:
    """Nest `CASE WHEN ... ELSE (CASE WHEN ... ELSE (...))` so deep."""

    def plan(rows: DataFrame) -> DataFrame:
        nested = sf.col("id")
        for level in range(depth):
            nested = sf.when(sf.col("id") == level, sf.col("value")).otherwise(nested)
        return rows.select("id", nested.alias("nested"))

    return plan


def flatten_struct(rows: DataFrame) -> DataFrame:
    """Select each of 2,000 fields of a struct: every column refers to a type of 2,000 fields."""
    names = [f"f{number}" for number in range(2000)]
    fields = ", ".join(f"{name}: BIGINT" for name in names)
    payload = _read_as(rows, f"payload STRUCT<g: STRUCT<{fields}>>")
    return payload.select([sf.col(f"payload.g.{name}").alias(name) for name in names])


def _read_as(rows: DataFrame, schema: str) -> DataFrame:
    """Read the rows' file by a foreign schema, with nulls in all columns."""
    return rows.sparkSession.read.schema(schema).parquet(*rows.inputFiles())


def stack_columns(rows: DataFrame) -> DataFrame:
    """Compute 300 columns anew in each of 50 stacked projections."""
    names = [f"c{number}" for number in range(300)]
    stacked = rows.select([(sf.col("id") + number).alias(name) for number, name in enumerate(names)])
    for _ in range(50):
        stacked = stacked.withColumns({name: sf.col(name) + 1 for name in names})
    return stacked


def long_list(rows: DataFrame) -> DataFrame:
    """Filter by `isin` of 20,000 values."""
    return rows.where(sf.col("id").isin(list(range(20_000))))


def wide_union(rows: DataFrame) -> DataFrame:
    """Unite 200 inputs."""
    return reduce(lambda united, number: united.union(_number(rows, number)), range(1, 200), _number(rows, 0))


def _number(rows: DataFrame, number: int) -> DataFrame:
    return rows.select("id", "value", sf.lit(number).alias("number"))


def double_joins(rows: DataFrame) -> DataFrame:
    """Join a frame with itself, seven times: the first frame is in the plan 128 times."""
    for _ in range(7):
        left, right = rows.alias("l"), rows.alias("r")
        rows = left.join(right, "id").select("id", (sf.col("l.value") + sf.col("r.value")).alias("value"))
    return rows


def opaque_columns(rows: DataFrame) -> DataFrame:
    """Pass 1,500 columns through a Python function: each output depends on each input."""
    wide = _read_as(rows, ", ".join(f"c{number} BIGINT" for number in range(1500)))

    def as_it_is(frames: Iterator[Any]) -> Iterator[Any]:  # inside: it travels by value
        return frames

    return wide.mapInPandas(as_it_is, wide.schema)


# By name in the results. 400 deep is a requirement; some Spark versions fail there without capture, too.
PLANS: dict[str, Plan] = {
    "when in when, 8 deep": nested_when(8),
    "when in when, 16 deep": nested_when(16),
    "when in when, 60 deep": nested_when(60),
    "when in when, 400 deep": nested_when(400),
    "2,000 fields of a struct": flatten_struct,
    "300 columns, 50 times over": stack_columns,
    "isin of 20,000": long_list,
    "union of 200": wide_union,
    "7 self-join doublings": double_joins,
    "1,500 columns through mapInPandas": opaque_columns,
}
