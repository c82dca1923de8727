"""The cost of a job with or without capture: `python -m benchmarks.capture_work WORK ...` (see `main`)."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import functions as sf

from benchmarks import tpch
from benchmarks.capture_session import cpu_s, spark_session
from benchmarks.processes import print_figures
from spark_client import LineageClient, capture

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_ROWS = 1_000
_FLUSH_S = 60.0
# Before the measurement: the first write of a session takes seconds, with capture or without.
WRITES_BEFORE = 3


def write_small(spark: SparkSession, folder: Path, times: int) -> None:
    """Read a small table and write rows or sums of it, so many times."""
    for number in range(times):
        sales = spark.read.parquet(str(folder / "sales")).where(sf.col("shop") == number % 7)
        written = sales.withColumn("net", sf.round(sf.col("amount") / 1.19, 2)) if number % 2 else _sums(sales)
        written.write.mode("overwrite").parquet(str(folder / f"out_{number % 20}"))


def _sums(sales: DataFrame) -> DataFrame:
    return sales.groupBy("customer").agg(sf.sum("amount").alias("amount"), sf.count("*").alias("sales"))


def make_sales(spark: SparkSession, folder: Path) -> None:
    """Write the table for the small writes to read."""
    columns = ("id", "id % 7 AS shop", "rand(7) * 100 AS amount", "concat('customer ', id % 50) AS customer")
    spark.range(_ROWS).selectExpr(*columns).write.parquet(str(folder / "sales"))


def measure(spark: SparkSession, work: Callable[[], None], url: str | None) -> dict[str, float]:
    """Measure work from `capture` to the end of its flush: seconds, CPU seconds, seconds of the flush.

    `captured` counts the reported writes, `lost` the rest. Without a URL nothing is captured.
    """
    cpu_before_s, began = cpu_s(spark), time.perf_counter()
    captured = capture(spark, client=LineageClient(url=url), strict=True) if url else None
    work()
    worked = time.perf_counter()
    if captured:
        captured.flush(_FLUSH_S)
    ended = time.perf_counter()
    figures = {"s": ended - began, "flush_s": ended - worked, "cpu_s": cpu_s(spark) - cpu_before_s}
    if captured is None:
        return figures
    captured.close()
    counts = captured.counts
    return {**figures, "captured": counts["writes"], "lost": counts["lost"]}


def measure_writes(times: int, url: str | None) -> dict[str, float]:
    """Measure small writes in a row."""
    with spark_session() as (spark, folder):
        make_sales(spark, folder)
        write_small(spark, folder, WRITES_BEFORE)
        return measure(spark, lambda: write_small(spark, folder, times), url)


def measure_tpch(tables: Path, url: str | None) -> dict[str, float]:
    """Measure ten queries of TPC-H, each written as a table."""
    with spark_session() as (spark, folder):
        tpch.open_tables(spark, tables)
        make_sales(spark, folder)
        write_small(spark, folder, WRITES_BEFORE)
        return measure(spark, lambda: tpch.write_all(spark), url)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the figures of `writes TIMES` or `tpch FOLDER`; `--capture URL` sends events there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", choices=("writes", "tpch"))
    parser.add_argument("of", help="how many writes, or the folder of the tables")
    parser.add_argument("--capture", metavar="URL")
    given = parser.parse_args(arguments)
    if given.work == "writes":
        print_figures(**measure_writes(int(given.of), given.capture))
    else:
        print_figures(**measure_tpch(Path(given.of), given.capture))


if __name__ == "__main__":
    main()
