"""The shared part of the queues' consumers: the response that keeps failed messages, and their earlier next try.

Powertools' batch processor handles one message after another; here a batch is loaded at once, so only the response is
left to render.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from lambdas.telemetry import logger
from lineage.aws.clients import client
from lineage.aws.items import chunks
from lineage.aws.queues import BATCH_ENTRIES_MAX
from lineage_model.errors import Forbidden

if TYPE_CHECKING:
    from mypy_boto3_sqs.type_defs import ChangeMessageVisibilityBatchRequestEntryTypeDef

# The first retry; each further one waits twice as long. The queue's own time-out is minutes, for functions that die.
_FIRST_RETRY_S = 30
_RETRY_MAX_S = 600
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


def retry_soon(event: dict[str, Any], failed: Collection[str], queue_urls: Sequence[str]) -> None:
    """Make the failed messages visible again after a back-off; if that fails, their queue's time-out does it."""
    entries: dict[str, list[ChangeMessageVisibilityBatchRequestEntryTypeDef]] = {}
    for message in event["Records"]:
        if message["messageId"] in failed:
            queue = message["eventSourceARN"].rpartition(":")[2]
            receives = int(message["attributes"]["ApproximateReceiveCount"])
            wait_s = min(_FIRST_RETRY_S * 2 ** (receives - 1), _RETRY_MAX_S)
            some = entries.setdefault(queue, [])
            some.append({"Id": str(len(some)), "ReceiptHandle": message["receiptHandle"], "VisibilityTimeout": wait_s})
    for url in queue_urls:
        for batch in chunks(entries.get(url.rpartition("/")[2], []), BATCH_ENTRIES_MAX):
            _change(url, batch)


def _change(url: str, batch: Sequence[ChangeMessageVisibilityBatchRequestEntryTypeDef]) -> None:
    try:
        failed = client("sqs").change_message_visibility_batch(QueueUrl=url, Entries=batch).get("Failed", [])
    except (BotoCoreError, ClientError) as error:
        logger.warning("failed messages wait for the queue's own time-out", extra={"reason": str(error)})
        return
    if failed:
        logger.warning("some failed messages wait for the queue's own time-out", extra={"messages": len(failed)})
