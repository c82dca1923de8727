"""A captured run of the pipeline, with its records and events sent to one place."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from examples.emissions.pipeline import JOB, NAMESPACE, Counts, Report, run
from spark_client import LineageClient, capture

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_FLUSH_S = 600.0


class Stages(Protocol):
    """A display of the stages of a run."""

    def stage(self, title: str, count: Callable[[], str] = ...) -> AbstractContextManager[Report]:
        """Show a stage during the block; yield a function that sets its detail. `count` is its finished work."""


@dataclass(frozen=True)
class PipelineCounts:
    """The counts of a pipeline run: the pipeline's own, and the undelivered records and events."""

    counts: Counts
    undelivered: int


def run_captured(
    stages: Stages, spark: SparkSession, lineage: LineageClient, landing: Path, output: Path
) -> PipelineCounts:
    """Run the pipeline over the landed files until all of its records and events are sent."""
    captured = capture(spark, client=lineage, namespace=NAMESPACE, name=JOB, strict=True)
    with stages.stage("Running the pipeline", lambda: f"{captured.counts['writes']} writes captured") as report:
        counts = run(spark, landing, output, lineage, report=report)
    with stages.stage("Sending the captured events"):
        captured.flush(_FLUSH_S)
        captured.close()
    lost = captured.counts["lost"]
    return PipelineCounts(counts, lineage.failed + counts.undelivered + lost)
