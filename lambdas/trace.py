"""The trace function: a root's records into one archive object."""

from __future__ import annotations

import os
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext
from botocore.exceptions import BotoCoreError, ClientError

from headwater.aws.retries import is_passing
from headwater.records.trace import Limits, trace
from headwater.records.trace_message import parse_trace_request
from headwater.settings import TRACE_QUEUE_URL, TRACE_RECORDS_MAX
from headwater_model.errors import HeadwaterError
from lambdas import wiring
from lambdas.sqs_batch import failures_of, retry_soon
from lambdas.telemetry import count, logger, metrics


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Trace the roots of the messages; return the messages to try again."""
    failed: dict[str, str] = {}
    passing: set[str] = set()
    for message in event["Records"]:
        try:
            _trace(message, context)
        except (HeadwaterError, BotoCoreError, ClientError) as error:
            failed[message["messageId"]] = type(error).__name__
            if is_passing(error):
                passing.add(message["messageId"])
    if failed:
        logger.warning("traces left for another try", extra={"messages": failed})
        retry_soon(event, failed, [os.environ[TRACE_QUEUE_URL]], passing=passing)
    return failures_of(failed)


def _trace(message: dict[str, Any], context: LambdaContext) -> None:
    sent_at = int(message["attributes"]["SentTimestamp"]) // 1000
    request = parse_trace_request(message["body"], message_id=message["messageId"], sent_at=sent_at)
    limits = Limits(wiring.number(TRACE_RECORDS_MAX), lambda: context.get_remaining_time_in_millis() / 1000)
    traced = trace(request, wiring.tracer(limits.gather))
    count("RootsTraced", int(traced.pointer is not None))
    count("RecordsDisplaced", traced.displaced)
    if traced.deferred:
        count("RootsTooLarge", 1)
        logger.warning("root left to the Spark tracer", extra={"reason": traced.deferred})
    if traced.refused:
        count("RootsRefused", 1)
        logger.error("root not archived", extra={"reason": traced.refused})
