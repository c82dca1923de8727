"""Logs and metrics of every function: structured, without payloads; service and namespace come from the variables."""

from __future__ import annotations

from aws_lambda_powertools import Logger, Metrics
from aws_lambda_powertools.metrics import MetricUnit

logger = Logger()
metrics = Metrics()


def count(name: str, number: int) -> None:
    """Add to a metric; nothing is written for nothing."""
    if number:
        metrics.add_metric(name=name, unit=MetricUnit.Count, value=number)
