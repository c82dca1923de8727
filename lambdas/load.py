"""The load function: queued records into the table."""

from __future__ import annotations

import os
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from headwater.aws.queues import QueuedMessage
from headwater.records.load import load
from headwater.settings import PACKED_QUEUE_URL, RECORDS_QUEUE_URL
from headwater.times import day_of
from lambdas import wiring
from lambdas.sqs_batch import failures_of, retry_soon
from lambdas.telemetry import count, logger, metrics


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Load a batch of queued records; return the messages to try again."""
    messages = [QueuedMessage(message["messageId"], message["body"]) for message in event["Records"]]
    now_s = wiring.now_s()
    loaded = load(messages, wiring.load_stores(), now_s=now_s, day=day_of(now_s))
    count("RecordsLoaded", loaded.loaded)
    count("RecordsDisplaced", loaded.displaced)
    count("RecordsRefused", loaded.refused)
    count("RecordsScreened", loaded.screened)
    if loaded.failed:
        logger.warning("messages left for another try", extra={"messages": sorted(loaded.failed)})
        queue_urls = [os.environ[RECORDS_QUEUE_URL], os.environ[PACKED_QUEUE_URL]]
        retry_soon(event, loaded.failed, queue_urls, passing=loaded.passing)
    return failures_of(loaded.failed)
