"""The events function: queued OpenLineage events, and changes through the API, into the raw log and the graph table."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext
from botocore.exceptions import BotoCoreError, ClientError

from headwater.aws.queues import CALLER, FORWARDED, WRITES, QueuedMessage
from headwater.loading.load import EventLoad, Read, load_events, read_api_change, read_event
from headwater.settings import CHANGES_QUEUE_URL, EVENTS_QUEUE_URL
from headwater_model.errors import Unavailable
from lambdas import wiring
from lambdas.sqs_batch import acknowledge, check_delivery, failures_of, has_time, in_groups, retry_soon
from lambdas.telemetry import count, logger, metrics

# A little more than the function's time (`infra.events`): it has ended by then, or died.
HELD_S = 150


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Load a batch of queued events or changes; return the messages to try again.

    The raw log names the sender of each message. So an event from an invoker, not from a queue, is `Forbidden`.
    """
    queue_urls = [os.environ[EVENTS_QUEUE_URL], os.environ[CHANGES_QUEUE_URL]]
    check_delivery(event, queue_urls, held_s=HELD_S)
    # Each group is acknowledged before the next: if the function dies, it comes back no more.
    failed, passing = dict[str, str](), set[str]()
    for url, read in zip(queue_urls, (read_event, read_api_change), strict=True):
        groups = list(in_groups([message for message in event["Records"] if _is_from(message, url)]))
        for number, group in enumerate(groups):
            failed_of_group, passing_of_group = (
                _load(read, group, context) if not number or has_time(context) else _left(group)
            )
            failed, passing = failed | failed_of_group, passing | passing_of_group
            if number < len(groups) - 1:
                acknowledge(url, [message for message in group if message["messageId"] not in failed])
    if failed:
        logger.warning("events left for another try", extra={"messages": failed})
        retry_soon(event, failed, queue_urls, passing=passing)
    return failures_of(failed)


def _is_from(message: Mapping[str, Any], queue_url: str) -> bool:
    queue: str = message["eventSourceARN"]
    return queue.rpartition(":")[2] == queue_url.rpartition("/")[2]


def _left(group: Sequence[Mapping[str, Any]]) -> tuple[dict[str, str], set[str]]:
    reasons = {message["messageId"]: "the function has no time left" for message in group}
    return reasons, set(reasons)


def _load(read: Read, received: Sequence[Mapping[str, Any]], context: LambdaContext) -> tuple[dict[str, str], set[str]]:
    """Load and count messages of a queue; return the reasons of failures by message, and the passing failures."""
    messages = [_queued(message) for message in received]
    try:
        stores = wiring.event_stores()
    except (BotoCoreError, ClientError, Unavailable) as error:
        # Without the stored rules of names no event may be loaded.
        unread = EventLoad()
        for message in messages:
            unread.fail(message.message_id, error)
        return unread.failed, unread.passing
    loaded = load_events(messages, stores, now_s=wiring.now_s(), may_go_on=lambda: has_time(context), read=read)
    count("EventsLoaded", loaded.loaded)
    count("EventsRefused", loaded.refused)
    if loaded.screened:
        count("EventsScreened", loaded.screened)
    return loaded.failed, loaded.passing


def _queued(message: Mapping[str, Any]) -> QueuedMessage:
    attributes = message.get("attributes", {})
    sent_ms = int(attributes["SentTimestamp"]) if "SentTimestamp" in attributes else None
    sent = {name: attribute.get("stringValue") for name, attribute in message.get("messageAttributes", {}).items()}
    names = attributes.get("SenderId"), sent.get(CALLER), sent.get(WRITES)
    receives = int(attributes.get("ApproximateReceiveCount", 1))
    return QueuedMessage(message["messageId"], message["body"], sent_ms, *names, FORWARDED in sent, receives)
