"""The run of the demo's pipeline: its own Spark session, landed flights, every record loaded at the end."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.progress import Progress
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
class PipelineCounts:
    """The counts of a pipeline run: the pipeline's own, and the records and events that did not arrive."""

    counts: Counts
    undelivered: int


def prepare(progress: Progress) -> tuple[RawTemplate, SparkSession]:
    """Synthesize the template and start a Spark session in parallel: each takes seconds of another process."""
    with progress.stage("Synthesizing the CDK stack, starting Spark"), ThreadPoolExecutor(1) as pool:
        template = pool.submit(synthesize)
        spark = start_spark()
        return template.result(), spark


def start_spark() -> SparkSession:
    """Start a session that starts quickly; its JVM writes errors to a file."""
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
        # For a session of seconds the first compiler alone is faster than both.
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
    """Let processes that start in this block, as Spark's JVM, write their errors to a file for all of their life."""
    log.parent.mkdir(parents=True, exist_ok=True)
    stderr = os.dup(2)
    with log.open("ab") as file:
        os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)


def run_pipeline(
    progress: Progress, spark: SparkSession, stack: LocalStack, landing: Path, output: Path
) -> PipelineCounts:
    """Run the pipeline over the landed files, by the stack's clock, until all of its records and events are loaded."""
    from examples.emissions.pipeline import JOB, NAMESPACE, run

    with LineageClient(url=stack.api_url, clock=Clock(now=lambda: stack.now)) as lineage:
        captured = capture(spark, client=lineage, namespace=NAMESPACE, name=JOB, strict=True)
        with progress.stage("Running the pipeline", lambda: f"{captured.counts['writes']} writes captured") as report:
            counts = run(spark, landing, output, lineage, report=report)
        with progress.stage("Sending the captured events"):
            captured.flush(_FLUSH_S)
            captured.close()
    lost = sum(count for what, count in captured.counts.items() if what not in ("writes", "sent"))
    with progress.stage("Loading queued records and events") as report:
        stack.drain(_DRAIN_S, progress=lambda left: report(f"{left:,} messages left"))
    return PipelineCounts(counts, lineage.failed + counts.undelivered + lost)
