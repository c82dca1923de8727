"""The Spark session of the demo, and the folder of its files."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from local_stack.toolchain import with_java

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FOLDER = Path(".headwater/demo")


def start_spark() -> SparkSession:
    """Start a session that starts quickly; its JVM writes errors to a file.

    Raises:
        ToolMissing: There is no Java for Spark.
    """
    from pyspark.sql import SparkSession

    options = {
        # Interpreting a few thousand rows is faster than generating code for them; plans are the same.
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.sql.codegen.wholeStage": "false",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str((FOLDER / "warehouse").resolve()),
        # For a session of seconds the first compiler alone is faster than two.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }
    builder = SparkSession.builder.master("local[2]").appName("headwater-demo")
    for name, value in options.items():
        builder = builder.config(name, value)
    os.environ.update({**with_java(os.environ), "PYSPARK_PYTHON": sys.executable})
    with _errors_in(FOLDER / "spark.log"):
        return builder.getOrCreate()


@contextmanager
def _errors_in(log: Path) -> Iterator[None]:
    """Let processes started in this block, such as Spark's JVM, write their errors to a file for all of their life."""
    log.parent.mkdir(parents=True, exist_ok=True)
    stderr = os.dup(2)
    with log.open("ab") as file:
        os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)
