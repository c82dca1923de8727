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
def spark_session() -> Iterator[tuple[SparkSession, Path]]:
    """Yield a session and its temporary folder, with the warehouse."""
    from pyspark.sql import SparkSession

    os.environ.update({**with_java(os.environ), "PYSPARK_PYTHON": sys.executable})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        builder = SparkSession.builder.master("local[2]").appName("benchmark")
        for key, value in {**_OPTIONS, "spark.sql.warehouse.dir": str(folder / "warehouse")}.items():
            builder = builder.config(key, value)
        spark = builder.getOrCreate()
        spark.sparkContext.setLogLevel("ERROR")
        try:
            yield spark, folder
        finally:
            spark.stop()


def jvm_cpu_s(spark: SparkSession) -> float:
    """Read the CPU seconds of the driver's JVM so far."""
    jvm: Any = spark.sparkContext._jvm
    return float(jvm.java.lang.ProcessHandle.current().info().totalCpuDuration().get().toMillis()) / 1000


def cpu_s(spark: SparkSession) -> float:
    """Read the CPU seconds of the driver's two processes, executors included, Python workers not."""
    return time.process_time() + jvm_cpu_s(spark)
