"""The bucket-events function: events in new objects of the chosen buckets, onto the events queue."""

from __future__ import annotations

import os
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from headwater.aws.queues import Message, send_all
from headwater.features.bucket_events.objects import REFUSED, parse_notification, read_object, take_events
from headwater.features.bucket_events.settings import BUCKET_EVENTS_DLQ_URL, BUCKET_EVENTS_QUEUE_URL
from headwater.loading.load import reason_of
from headwater_model.errors import Invalid
from lambdas import wiring
from lambdas.sqs_batch import failures_of, retry_soon
from lambdas.telemetry import count, logger, metrics

# Time for an object of the greatest size, half of the function's own: a killed function makes no progress.
RESERVED_MS = 150_000


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Take the events of the objects that a batch of notifications names; return the messages to try again."""
    failed = {}
    for message in event["Records"]:
        try:
            if context.get_remaining_time_in_millis() < RESERVED_MS:
                raise TimeoutError
            _take(message["body"])
        except Exception as error:  # noqa: BLE001 - a fault with one object must not stop the others
            failed[message["messageId"]] = reason_of(error)
    if failed:
        logger.warning("objects left for another try", extra={"messages": failed})
        retry_soon(event, failed, [os.environ[BUCKET_EVENTS_QUEUE_URL]])
    return failures_of(failed)


def _take(body: str) -> None:
    """Take the events of an object; the refused become a dead letter, which names the object and each broken rule."""
    try:
        place = parse_notification(body)
        content = read_object(wiring.s3(), place)
    except Invalid as error:
        _bury(body, str(error))
        count(REFUSED, 1)
        return
    caller = f"s3://{place.bucket}/{place.key}"
    counts, faults = take_events(content, wiring.event_queue(), now=wiring.now(), caller=caller)
    if more := counts[REFUSED] - len(faults):
        faults.append(f"and {more} more")
    if faults:
        _bury(body, "; ".join(faults))
    for name, number in counts.items():
        count(name, number)


def _bury(body: str, reason: str) -> None:
    send_all(wiring.sqs(), os.environ[BUCKET_EVENTS_DLQ_URL], [Message(body, {"reason": reason})])
