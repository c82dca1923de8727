"""The shared part of the queues' consumers: the response that keeps failed messages, and when they are tried again.

Powertools' batch processor handles one message after another; here a batch is loaded at once, so only the response is
left to render.

SQS counts receives, and nothing takes a receive back; a message becomes a dead letter after a hundred
(`infra.queues.RECEIVES_MAX`). So the waits decide. A message at which AWS refused for now waits twice as long each
time, up to half an hour: a hundred receives take two days. A message that failed for another reason waits seconds: a
hundred receives take a quarter of an hour.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Sequence, Set
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.utilities.typing import LambdaContext
from botocore.exceptions import BotoCoreError, ClientError

from headwater.aws.clients import client
from headwater.aws.items import chunks
from headwater.aws.queues import BATCH_ENTRIES_MAX
from headwater_model.errors import Forbidden
from lambdas.telemetry import logger

if TYPE_CHECKING:
    from mypy_boto3_sqs.type_defs import ChangeMessageVisibilityBatchRequestEntryTypeDef

# The first retry after a refusal for now; each further one waits twice as long. The queue's own time-out of minutes is
# for functions that die.
_FIRST_RETRY_S = 30
_RETRY_MAX_S = 1_800
# A message that is at fault itself.
_FAULTY_RETRY_S = 10
# Waits differ by so much, so that messages that failed together are not tried together for ever.
_JITTER = 0.25
# Of the function's time, what an act may still take: a call of DynamoDB's client gives up after half a minute.
_RESERVED_MS = 60_000
# SQS's codes for a receipt that is none, is too old, or is of a message that nobody works on.
_NO_RECEIPTS = {"ReceiptHandleIsInvalid", "InvalidParameterValue", "MessageNotInflight"}


def check_delivery(event: dict[str, Any], queue_urls: Sequence[str], *, held_s: int) -> None:
    """Refuse an event that SQS did not deliver; hold the first message of each queue for `held_s` more.

    Whoever may invoke a function may write any event, with any sender and any queue. A receipt of a message under way
    is known to the queue's only receiver alone: one of the batch shows that Lambda brought it.

    Raises:
        Forbidden: a message is of another queue, or not under way.
    """
    urls = {url.rpartition("/")[2]: url for url in queue_urls}
    first = {message["eventSourceARN"].rpartition(":")[2]: message for message in reversed(event["Records"])}
    for name, message in first.items():
        if name not in urls:
            raise Forbidden(f"eventSourceARN: must be a queue of this function, got {name}")
        try:
            client("sqs").change_message_visibility(
                QueueUrl=urls[name], ReceiptHandle=message["receiptHandle"], VisibilityTimeout=held_s
            )
        except ClientError as error:
            if error.response["Error"]["Code"].rpartition(".")[2] not in _NO_RECEIPTS:
                raise
            raise Forbidden(f"receiptHandle: must be of a message that {name} delivered") from error


def failures_of(failed: Collection[str]) -> dict[str, Any]:
    """Return the partial batch response: only these messages are delivered again."""
    return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in failed]}


def has_time(context: LambdaContext) -> bool:
    """True if the function may begin another attempt at some of its messages."""
    return context.get_remaining_time_in_millis() > _RESERVED_MS


def wait_of_refusals(receives: int) -> float:
    """Return the longest wait of a message at which AWS refused for now, in seconds."""
    return float(min(_FIRST_RETRY_S * 2 ** min(receives - 1, 10), _RETRY_MAX_S))


def retry_soon(
    event: dict[str, Any],
    failed: Collection[str],
    queue_urls: Sequence[str],
    *,
    passing: Set[str] | None = None,
    longest_wait_s: Callable[[int], float] = wait_of_refusals,
) -> None:
    """Make the failed messages visible again after a wait; if that fails, their queue's time-out does it.

    `passing` are those at which AWS refused for now; None: all of them. They wait up to `longest_wait_s` of
    their receives.
    """
    entries: dict[str, list[ChangeMessageVisibilityBatchRequestEntryTypeDef]] = {}
    for message in event["Records"]:
        if message["messageId"] in failed:
            queue = message["eventSourceARN"].rpartition(":")[2]
            is_passing = passing is None or message["messageId"] in passing
            wait_s = _wait_s(message, longest_wait_s if is_passing else lambda _: _FAULTY_RETRY_S)
            queue_entries = entries.setdefault(queue, [])
            queue_entries.append(
                {"Id": str(len(queue_entries)), "ReceiptHandle": message["receiptHandle"], "VisibilityTimeout": wait_s}
            )
    for url in queue_urls:
        for batch in chunks(entries.get(url.rpartition("/")[2], []), BATCH_ENTRIES_MAX):
            _change(url, batch)


def _wait_s(message: dict[str, Any], longest_wait_s: Callable[[int], float]) -> int:
    """Return the seconds until a failed message is visible again."""
    longest_s = longest_wait_s(int(message["attributes"]["ApproximateReceiveCount"]))
    return round(longest_s * random.uniform(1 - _JITTER, 1))  # noqa: S311 - no secret


def _change(url: str, batch: Sequence[ChangeMessageVisibilityBatchRequestEntryTypeDef]) -> None:
    try:
        failed = client("sqs").change_message_visibility_batch(QueueUrl=url, Entries=batch).get("Failed", [])
    except (BotoCoreError, ClientError) as error:
        logger.warning("failed messages wait for the queue's own time-out", extra={"reason": str(error)})
        return
    if failed:
        logger.warning("some failed messages wait for the queue's own time-out", extra={"messages": len(failed)})
