"""The trace function: the records of each root into one archive object."""

from __future__ import annotations

import os
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from headwater.aws.queues import QueuedMessage
from headwater.records.trace import Limits, trace_batch
from headwater.settings import TRACE_QUEUE_URL, TRACE_RECORDS_MAX
from lambdas import wiring
from lambdas.sqs_batch import acknowledge, failures_of, retry_soon
from lambdas.telemetry import count, logger, metrics


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Trace the roots of the messages; return the messages to try again."""
    queue_url, messages = os.environ[TRACE_QUEUE_URL], event["Records"]
    batch = trace_batch(
        [QueuedMessage(each["messageId"], each["body"], int(each["attributes"]["SentTimestamp"])) for each in messages],
        Limits(wiring.number(TRACE_RECORDS_MAX), lambda: context.get_remaining_time_in_millis() / 1000),
        lambda limits: wiring.tracer(limits.gather),
        lambda done: acknowledge(queue_url, [each for each in messages if each["messageId"] in done]),
    )
    count("RootsTraced", sum(trace.pointer is not None for trace in batch.traces))
    count("RecordsDisplaced", sum(trace.displaced for trace in batch.traces))
    for trace in batch.traces:
        if trace.deferred:
            count("RootsTooLarge", 1)
            logger.warning("root left to the Spark tracer", extra={"reason": trace.deferred})
        if trace.refused:
            count("RootsRefused", 1)
            logger.error("root not archived", extra={"reason": trace.refused})
    if batch.failed:
        logger.warning("traces left for another try", extra={"messages": batch.failed})
        retry_soon(event, batch.failed, [queue_url], passing=batch.passing)
    return failures_of(batch.failed)
