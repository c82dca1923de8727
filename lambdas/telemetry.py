"""Logs and metrics of every function: structured, without payloads; service and namespace come from the variables."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable

from aws_lambda_powertools import Logger, Metrics
from aws_lambda_powertools.metrics import MetricUnit

logger = Logger()
# The stack names it after its stage; tests and benchmarks run the handlers without a stack.
metrics = Metrics(namespace=os.environ.get("POWERTOOLS_METRICS_NAMESPACE", "Headwater"))
# A batch that counts nothing is no fault; Powertools would say so in the log of every function.
warnings.filterwarnings("ignore", message="No application metrics to publish")


def count(name: str, number: int) -> None:
    """Add to a metric, as in `count("EventsLoaded", 10)`; 0 writes nothing."""
    if number:
        metrics.add_metric(name=name, unit=MetricUnit.Count, value=number)


def measure_s(name: str, seconds: Iterable[float]) -> None:
    """Add durations to a metric: `measure_s("ForwardLagSeconds", [0.5, 2])`; CloudWatch keeps least, most and mean."""
    for duration in seconds:
        metrics.add_metric(name=name, unit=MetricUnit.Seconds, value=duration)
