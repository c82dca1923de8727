"""Each column of TPC-H's queries has the sources that an independent oracle finds in the query's text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.spark.capture.conftest import Watch
from tests.spark.capture.oracle import TPCH_TABLES, QueryLineage, Tables, read_lineage
from tests.spark.capture.specification import lines_of

QUERIES = dict(
    re.findall(r"-- (q\w+)\n(.+?)(?=\n\n|\Z)", Path(__file__).with_name("tpch.sql").read_text("utf-8"), re.DOTALL)
)
SOURCE = re.compile(r"(\w+)\.(\w+) [A-Z_ ]+")


@pytest.fixture(scope="module")
def tables(spark: SparkSession) -> Iterator[Tables]:
    spark.sql("CREATE DATABASE tpch")
    spark.sql("USE tpch")
    for name, columns in TPCH_TABLES.items():
        spark.sql(f"CREATE TABLE {name} ({columns}) USING parquet")
    yield {
        name: {field.name: field.dataType.simpleString() for field in spark.table(name).schema} for name in TPCH_TABLES
    }
    spark.sql("USE default")
    spark.sql("DROP DATABASE tpch CASCADE")


def captured(lines: Sequence[str], columns: int) -> QueryLineage:
    """Return the sources of columns `c0`, `c1`, ... and the inputs of the one write that the lines describe."""
    sources = dict(line.split(" <- ") for line in lines if " <- " in line)
    [inputs] = [line.removeprefix("inputs: ").split(", ") for line in lines if line.startswith("inputs: ")]
    found_in = (SOURCE.findall(sources.get(f"c{number}", "")) for number in range(columns))
    return QueryLineage(tuple(map(frozenset, found_in)), frozenset(inputs))


@pytest.mark.parametrize("query", QUERIES)
def test_captured_sources_are_those_of_the_oracle(
    spark: SparkSession, watch: Watch, tables: Tables, tmp_path: Path, query: str
) -> None:
    frame = spark.sql(QUERIES[query])
    # Names in the queries may repeat.
    frame = frame.toDF(*(f"c{number}" for number in range(len(frame.columns))))
    lines = lines_of(watch.writes_of(lambda: frame.write.parquet(f"{tmp_path}/out")))

    assert captured(lines, len(frame.columns)) == read_lineage(QUERIES[query], tables)
