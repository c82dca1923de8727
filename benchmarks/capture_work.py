"""The cost of a job with or without capture: `python -m benchmarks.capture_work WRITES [URL]`; the URL captures it."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import functions as sf

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


def measure(spark: SparkSession, folder: Path, writes: int, url: str | None) -> dict[str, float]:
    """Measure writes from `capture` to the end of its flush: seconds, CPU seconds, seconds of the flush.

    `captured` counts the reported writes, `lost` the rest. Without a URL nothing is captured.
    """
    cpu_before_s, began = cpu_s(spark), time.perf_counter()
    captured = capture(spark, client=LineageClient(url=url), strict=True) if url else None
    write_small(spark, folder, writes)
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


def main(arguments: Sequence[str]) -> None:
    """Print the figures."""
    writes, *url = arguments
    with spark_session() as (spark, folder):
        make_sales(spark, folder)
        write_small(spark, folder, WRITES_BEFORE)
        print_figures(**measure(spark, folder, int(writes), url[0] if url else None))


if __name__ == "__main__":
    main(sys.argv[1:])
