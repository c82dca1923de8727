"""The Spark session of a benchmark, as in jobs: both cores, Spark's default compiler and collector."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from local_stack.toolchain import with_java

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_OPTIONS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.shuffle.partitions": "2",
}


@contextmanager
def spark_session(*, java_options: str = "") -> Iterator[tuple[SparkSession, Path]]:
    """Yield a session and its temporary folder, with the warehouse."""
    from pyspark.sql import SparkSession

    os.environ.update({**with_java(os.environ), "PYSPARK_PYTHON": sys.executable})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        builder = SparkSession.builder.master("local[2]").appName("benchmark")
        options = {
            **_OPTIONS,
            "spark.sql.warehouse.dir": str(folder / "warehouse"),
            "spark.driver.extraJavaOptions": java_options,
        }
        for key, value in options.items():
            builder = builder.config(key, value)
        spark = builder.getOrCreate()
        spark.sparkContext.setLogLevel("ERROR")
        try:
            yield spark, folder
        finally:
            spark.stop()


def jvm_cpu_s(spark: SparkSession) -> float:
    """Read the CPU seconds of the driver's JVM so far."""
    return float(_jvm(spark).java.lang.ProcessHandle.current().info().totalCpuDuration().get().toMillis()) / 1000


def cpu_s(spark: SparkSession) -> float:
    """Read the CPU seconds of the driver's two processes, executors included, Python workers not."""
    return time.process_time() + jvm_cpu_s(spark)


class Heap:
    """The heap of the driver's JVM in bytes, since a collection.

    `growth` is the peak since then, less the use after the collection. It includes garbage until the next collection,
    so it is an upper bound of the required memory.
    """

    def __init__(self, spark: SparkSession) -> None:
        management = _jvm(spark).java.lang.management.ManagementFactory
        _jvm(spark).java.lang.System.gc()
        self._pools = [pool for pool in management.getMemoryPoolMXBeans() if pool.getType().name() == "HEAP"]
        for pool in self._pools:
            pool.resetPeakUsage()
        self._before = sum(pool.getUsage().getUsed() for pool in self._pools)

    @property
    def growth(self) -> int:
        """Growth in bytes: the sum of the peaks of the heap's pools."""
        return int(sum(pool.getPeakUsage().getUsed() for pool in self._pools) - self._before)


def _jvm(spark: SparkSession) -> Any:
    return spark.sparkContext._jvm
