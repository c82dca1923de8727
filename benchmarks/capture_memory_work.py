"""Growth of a long job's memory, with or without capture: `python -m benchmarks.capture_memory_work WORK ...`.

Spark itself keeps its last thousand jobs and queries, so growth is counted from a fifth of the work on.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import functions as sf

from benchmarks.capture_session import live_heap, spark_session
from benchmarks.capture_work import make_sales
from benchmarks.processes import peak_bytes, print_figures
from spark_client import Capture, LineageClient, capture

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

_BEFORE = 5
_FLUSH_S = 60.0


def measure_writes(spark: SparkSession, folder: Path, times: int, flush: Callable[[], object]) -> dict[str, float]:
    """Write part of a small table, so many times, into one of twenty tables."""
    make_sales(spark, folder)
    sales = spark.read.parquet(str(folder / "sales")).coalesce(1)
    growth = _Growth(spark, flush)
    for number in range(times):
        if number == times // _BEFORE:
            growth.begin()
        written = sales.where(sf.col("shop") == number % 7).withColumn("net", sf.col("amount") / 1.19)
        written.write.mode("overwrite").json(str(folder / f"out_{number % 20}"))
    return growth.end()


def measure_batches(spark: SparkSession, folder: Path, times: int, flush: Callable[[], object]) -> dict[str, float]:
    """Run a stream over so many micro-batches, each of some rows, into files."""
    growth = _Growth(spark, flush)
    rows = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", "10").load()
    sums = rows.select((sf.col("value") % 7).alias("shop"), "timestamp")
    query = sums.writeStream.format("json").option("checkpointLocation", str(folder / "checkpoint"))
    stream = query.start(str(folder / "streamed"))
    _wait_for(stream, times // _BEFORE)
    growth.begin()
    _wait_for(stream, times)
    figures = growth.end()
    stream.stop()
    return figures


def _wait_for(stream: StreamingQuery, batch: int) -> None:
    """Wait until the stream has done a batch."""
    while (progress := stream.lastProgress) is None or progress["batchId"] < batch:
        stream.awaitTermination(1)
        if not stream.isActive:
            raise RuntimeError("the stream ended before its last batch")


class _Growth:
    """Growth in bytes: of the JVM's heap after a collection, and of the peak of Python's process."""

    def __init__(self, spark: SparkSession, flush: Callable[[], object]) -> None:
        self._spark, self._flush = spark, flush
        self._before = self._sample()

    def begin(self) -> None:
        """Count from here on."""
        self._before = self._sample()

    def end(self) -> dict[str, float]:
        """Compute the growth, and the present heap."""
        heap, python = self._sample()
        return {"heap": heap - self._before[0], "python": python - self._before[1], "held": heap}

    def _sample(self) -> tuple[float, float]:
        self._flush()
        return live_heap(self._spark), peak_bytes()


@contextmanager
def _capture(spark: SparkSession, url: str | None) -> Iterator[Capture | None]:
    """Capture during the block, if there is a URL; every write was reported at its end."""
    if url is None:
        yield None
        return
    with capture(spark, client=LineageClient(url=url), strict=True) as captured:
        yield captured
        captured.flush(_FLUSH_S)
        assert captured.counts["lost"] == 0, captured.counts


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the figures of `writes TIMES` or `batches TIMES`; `--capture URL` sends events there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", choices=("writes", "batches"))
    parser.add_argument("times", type=int)
    parser.add_argument("--capture", metavar="URL")
    given = parser.parse_args(arguments)
    work = {"writes": measure_writes, "batches": measure_batches}[given.work]
    with spark_session() as (spark, folder), _capture(spark, given.capture) as captured:
        flush = partial(captured.flush, _FLUSH_S) if captured else bool
        print_figures(**work(spark, folder, given.times, flush))


if __name__ == "__main__":
    main()
