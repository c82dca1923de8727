"""The events function: queued OpenLineage events into the raw log and the graph table."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from lambdas import wiring
from lambdas.sqs_batch import answer, retry_soon
from lambdas.telemetry import count, logger, metrics
from lineage.aws.queues import CALLER, QueuedMessage
from lineage.runs.load import load_events
from lineage.settings import EVENTS_QUEUE_URL


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Load a batch of queued events; answer with the messages to try again."""
    messages = [_queued(message) for message in event["Records"]]
    loaded = load_events(messages, wiring.event_stores(), now_s=wiring.now_s())
    count("EventsLoaded", loaded.loaded)
    count("EventsRefused", loaded.refused)
    if loaded.failed:
        logger.warning("events left for another try", extra={"messages": loaded.failed})
        retry_soon(event, loaded.failed, [os.environ[EVENTS_QUEUE_URL]])
    return answer(loaded.failed)


def _queued(message: Mapping[str, Any]) -> QueuedMessage:
    sender = message.get("attributes", {}).get("SenderId")
    caller = message.get("messageAttributes", {}).get(CALLER, {}).get("stringValue")
    return QueuedMessage(message["messageId"], message["body"], sender, caller)
