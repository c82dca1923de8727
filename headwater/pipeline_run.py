"""The demo's pipeline, run for real: a Spark session of its own, landed flights, every record loaded at the end."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.progress import Board
from local.stack import LocalStack
from local.synthesis import synthesize
from local.toolchain import with_java
from spark_client import LineageClient, capture
from spark_client.transport.retry import Clock

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from examples.emissions.pipeline import Counts
    from local.template import RawTemplate

FOLDER = Path(".headwater/demo")
_DRAIN_S = _FLUSH_S = 600.0


@dataclass(frozen=True)
class Told:
    """What a run of the pipeline told: its own counts, and how many records and events did not arrive."""

    counts: Counts
    undelivered: int


def prepare(board: Board) -> tuple[RawTemplate, SparkSession]:
    """The synthesized template and a Spark session, made side by side: each takes seconds of another process."""
    with board.stage("Synthesizing the CDK stack, starting Spark"), ThreadPoolExecutor(1) as pool:
        template = pool.submit(synthesize)
        spark = start_spark()
        return template.result(), spark


def start_spark() -> SparkSession:
    """A session that starts quickly, with its JVM's errors in a file of its own."""
    from pyspark.sql import SparkSession

    options = {
        # A few thousand rows are read sooner than code for them is made; plans are the same.
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.sql.codegen.wholeStage": "false",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str((FOLDER / "warehouse").resolve()),
        # A session of seconds: the first compiler alone is quicker than both.
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
    """Processes started in this block write their errors to a file, as Spark's JVM does for as long as it lives."""
    log.parent.mkdir(parents=True, exist_ok=True)
    kept = os.dup(2)
    with log.open("ab") as file:
        os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def run_pipeline(board: Board, spark: SparkSession, stack: LocalStack, landing: Path, output: Path) -> Told:
    """Run it over what has landed, by the stack's clock, until all that it told is loaded."""
    from examples.emissions.pipeline import JOB, NAMESPACE, run

    with LineageClient(url=stack.api_url, clock=Clock(now=lambda: stack.now)) as lineage:
        captured = capture(spark, client=lineage, namespace=NAMESPACE, name=JOB, strict=True)
        with board.stage("Running the pipeline", lambda: f"{captured.counts['writes']} writes captured") as say:
            counts = run(spark, landing, output, lineage, report=say)
        with board.stage("Telling what was captured"):
            captured.flush(_FLUSH_S)
            captured.close()
    lost = sum(count for what, count in captured.counts.items() if what not in ("writes", "sent"))
    with board.stage("Loading what is still queued") as say:
        stack.drain(_DRAIN_S, progress=lambda left: say(f"{left:,} messages left"))
    return Told(counts, lineage.failed + counts.undelivered + lost)
