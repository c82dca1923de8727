"""The CPU of capture by itself, of so many writes, sent to a URL.

All writes are done before the first is captured, so nothing but capture runs during the measurement: the listener, the
first write (its readers are compiled then), each of the next ten, and each write after them.
"""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Iterator
from itertools import islice, pairwise
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from benchmarks.capture_session import cpu_s, spark_session
from benchmarks.processes import Figures
from spark_client import LineageClient
from spark_client.capturing.datasets.catalogs import read_catalogs
from spark_client.capturing.datasets.session_conf import SessionConf
from spark_client.capturing.events.run_events import Application, write_events
from spark_client.capturing.extract import Extractor
from spark_client.capturing.jvm.executions import Executions
from spark_client.capturing.model import Execution
from spark_client.current_run import JobRun, RunContext

_ROWS = 1_000
# Before the measurement: the first write of a session takes seconds, with capture or without.
_WRITES_BEFORE = 3
_NEXT = 10
_WAIT_S = 60.0
# The JVM compiles in the background: it is done when it uses less than this share of a core.
_IDLE_SHARE, _LOOK_S, _LOOKS_MAX = 0.04, 0.5, 60


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


def _measure(spark: SparkSession, folder: Path, writes: int, url: str) -> Figures:
    """Measure CPU seconds of both processes: once in a job, of each of the `next` writes, of each of the `later`.

    `once` is the listener and the first write; `write` is a write without capture.
    """
    began = _idle_cpu_s(spark)
    executions = Executions(spark)
    reports = _report_each(spark, executions, LineageClient(url=url, strict=True))
    listening = _idle_cpu_s(spark)
    write_small(spark, folder, writes)
    executions.drain(_WAIT_S)
    moments = [_idle_cpu_s(spark)]
    for count in (1, _NEXT, writes - 1 - _NEXT):
        reported = sum(1 for _ in islice(reports, count))
        assert reported == count, f"{reported} of {count} writes were captured"
        moments.append(_idle_cpu_s(spark))
    first, following, later = (after - before for before, after in pairwise(moments))
    return {
        "once": listening - began + first,
        "next": following / _NEXT,
        "later": later / (writes - 1 - _NEXT),
        "write": (moments[0] - listening) / writes,
    }


def _report_each(spark: SparkSession, executions: Executions, client: LineageClient) -> Iterator[None]:
    """Read, extract and send each write in turn."""
    extractor = Extractor(read_catalogs(SessionConf(spark), os.environ))
    application = Application(RunContext(JobRun("benchmark", "cost", str(uuid.uuid4()))), spark.version)
    while isinstance(execution := executions.next(0), Execution):
        for write in extractor.read_write(execution):
            client.emit_many(write_events(write, application, "cost.written"))
            yield


def _idle_cpu_s(spark: SparkSession) -> float:
    """Measure the CPU of both processes so far, once they are idle."""
    before = cpu_s(spark)
    for _ in range(_LOOKS_MAX):
        time.sleep(_LOOK_S)
        now = cpu_s(spark)
        if now - before < _IDLE_SHARE * _LOOK_S:
            return now
        before = now
    raise TimeoutError(f"the JVM is not idle after {_LOOKS_MAX * _LOOK_S:g} s")


def measure(writes: str, url: str) -> Figures:
    """Measure so many writes, sent to a URL."""
    with spark_session() as (spark, folder):
        make_sales(spark, folder)
        write_small(spark, folder, _WRITES_BEFORE)
        return _measure(spark, folder, int(writes), url)


WORKS = {"cost": measure}
