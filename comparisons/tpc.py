"""Capture beside an independent oracle, and OpenLineage's integration with Spark beside both: TPC-DS and TPC-H.

`python -m comparisons.tpc JAR io.openlineage:openlineage-spark_2.12:VERSION [--differences FILE]`, with the Python
of a Spark that the package is for. JAR is the tests jar of that Spark, which has the queries
(`org.apache.spark:spark-sql_2.12:3.5.9:jar:tests`). The command exits with 1 if capture and the oracle differ and
`tpc_score.EXPLAINED` does not say why.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark

from comparisons.openlineage import Peers, open_session
from comparisons.oracle import read_lineage
from comparisons.tpc_queries import Benchmark, create_tables, read_benchmarks
from comparisons.tpc_score import (
    UNEXPLAINED,
    QueryResult,
    differences_of,
    explain,
    list_differences,
    output_name,
    render,
)
from tests.spark.capture.specification import frame

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def renamed(query: DataFrame) -> DataFrame:
    """Return a query's rows with its columns named by their numbers."""
    return query.toDF(*(output_name(number) for number in range(len(query.columns))))


def _renamed(sql: str, spark: SparkSession) -> DataFrame:
    return renamed(spark.sql(sql))


def compare(jar: Path, package: str) -> list[QueryResult]:
    """Write the empty result of each query, one after the other."""
    with tempfile.TemporaryDirectory() as name, open_session(package, folder := Path(name)) as spark:
        # Spark 4 fails where a query divides by zero, as one does over empty tables.
        spark.conf.set("spark.sql.ansi.enabled", "false")
        peers = Peers(spark, folder / "events")
        benchmarks = read_benchmarks(spark, jar)
        results = [result for benchmark in benchmarks for result in _results(spark, peers, benchmark, folder)]
        peers.close()
    return results


def _results(spark: SparkSession, peers: Peers, benchmark: Benchmark, folder: Path) -> Iterator[QueryResult]:
    tables = create_tables(spark, benchmark)
    for query, sql in benchmark.queries.items():
        case = frame(query, partial(_renamed, sql), "")
        reported = peers.report(case, str(folder / benchmark.name / query / "out"))
        yield QueryResult(benchmark.name, query, spark.sql(sql).columns, read_lineage(sql, tables), reported)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables; return 1 if a difference is not explained."""
    parser = argparse.ArgumentParser(prog="tpc", description=__doc__)
    parser.add_argument("jar", type=Path, help="Spark's tests jar")
    parser.add_argument("package", help="the integration's Maven coordinates")
    parser.add_argument("--differences", type=Path, metavar="FILE", help="write every difference into this file")
    parsed = parser.parse_args(arguments)
    results = compare(parsed.jar, parsed.package)
    if parsed.differences:
        parsed.differences.write_text("\n".join(list_differences(results)) + "\n", encoding="utf-8")
    print(f"Spark {pyspark.__version__}, {parsed.package}, {len(results)} queries\n")
    print("\n".join(render(results, list(dict.fromkeys(result.benchmark for result in results)))))
    differences = [difference for result in results for difference in differences_of(result, "ours") if difference]
    return int(any(explain(difference)[0] == UNEXPLAINED for difference in differences))


if __name__ == "__main__":
    sys.exit(main())
