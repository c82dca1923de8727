"""The run of the demo's pipeline against a stack on this machine, until every record and event is loaded."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from examples.emissions.session import start_spark
from headwater.cli.text.progress import Progress
from local_stack.stack import LocalStack
from local_stack.template.synthesis import synthesize
from spark_client import LineageClient
from spark_client.transport.retry import Clock

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from examples.emissions.captured_run import PipelineCounts
    from local_stack.template.template import RawTemplate

_DRAIN_S = 600.0


def prepare(progress: Progress) -> tuple[RawTemplate, SparkSession]:
    """Synthesize the template and start a Spark session in parallel: each takes seconds of another process."""
    with progress.stage("Synthesizing the CDK stack, starting Spark"), ThreadPoolExecutor(1) as pool:
        template = pool.submit(synthesize)
        spark = start_spark()
        return template.result(), spark


def run_pipeline(
    progress: Progress, spark: SparkSession, stack: LocalStack, landing: Path, output: Path
) -> PipelineCounts:
    """Run the pipeline over the landed files, by the stack's clock, until all of its records and events are loaded."""
    from examples.emissions.captured_run import run_captured

    with LineageClient(url=stack.api_url, clock=Clock(now=lambda: stack.now)) as lineage:
        counts = run_captured(progress, spark, lineage, landing, output)
    with progress.stage("Loading queued records and events") as report:
        stack.drain(_DRAIN_S, progress=lambda left: report(f"{left:,} messages left"))
    return counts
