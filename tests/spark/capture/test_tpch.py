"""Each column of TPC-H's queries has the sources that an independent oracle finds in the query's text.

Here are the ten queries of the benchmarks; `python -m comparisons.tpc` compares all of TPC-H and TPC-DS.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from benchmarks.tpch import QUERIES
from comparisons.oracle import Tables, read_lineage
from comparisons.reported import of_lines
from comparisons.tpc import renamed
from comparisons.tpc_queries import TPCH_TABLES, Benchmark, create_tables
from comparisons.tpc_score import QueryResult, differences_of, tables_of
from tests.spark.capture.conftest import Watch
from tests.spark.capture.specification import lines_of


@pytest.fixture(scope="module")
def tables(spark: SparkSession) -> Iterator[Tables]:
    spark.sql("CREATE DATABASE tpch")
    spark.sql("USE tpch")
    yield create_tables(spark, Benchmark("TPC-H", QUERIES, TPCH_TABLES))
    spark.sql("USE default")
    spark.sql("DROP DATABASE tpch CASCADE")


@pytest.mark.parametrize("query", QUERIES)
def test_captured_sources_are_those_of_the_oracle(
    spark: SparkSession, watch: Watch, tables: Tables, tmp_path: Path, query: str
) -> None:
    frame = renamed(spark.sql(QUERIES[query]))
    captured = of_lines(lines_of(watch.writes_of(lambda: frame.write.parquet(f"{tmp_path}/out"))))
    lineage = read_lineage(QUERIES[query], tables)
    result = QueryResult("TPC-H", query, frame.columns, lineage, {"ours": captured})

    assert [str(difference) for difference in differences_of(result, "ours") if difference] == []
    assert tables_of(result, "ours") == lineage.tables
