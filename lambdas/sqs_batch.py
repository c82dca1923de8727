"""The shared part of the queues' consumers: the response of failed messages, and the waits before they come again.

Powertools' batch processor handles messages in turn; here a batch is loaded at once, and the response is rendered.

SQS counts receives; after a hundred a message becomes a dead letter (`infra.queues.RECEIVES_MAX`). Waits between them:

    AWS refused for now     twice as long each time, up to half an hour    a hundred receives take two days
    any other failure       seconds                                        a hundred take a quarter of an hour

A batch whose function died leaves the count of receives alone. So messages are loaded in halves at their second
receive, alone from the third on, and acknowledged group by group. Then a message that kills the function delays few.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.utilities.typing import LambdaContext
from botocore.exceptions import BotoCoreError, ClientError

from headwater.aws.clients import client
from headwater.aws.items import chunks
from headwater.aws.queues import BATCH_ENTRIES_MAX
from headwater_model.errors import Forbidden
from headwater_model.ids import sha256_hex
from lambdas.telemetry import logger

if TYPE_CHECKING:
    from mypy_boto3_sqs.type_defs import ChangeMessageVisibilityBatchRequestEntryTypeDef

# The first retry after a refusal for now; each later retry waits twice as long. The queue's own time-out of minutes is
# for functions that die.
_FIRST_RETRY_S = 30
_RETRY_MAX_S = 1_800
# Retry of a message at fault itself.
_FAULTY_RETRY_S = 10
# Waits differ by so much: messages that failed together then do not meet again each time.
_JITTER = 0.25
# Time for an attempt that begins: a call of DynamoDB's client gives up after half a minute.
_RESERVED_MS = 60_000
# SQS's codes for a false receipt, an old receipt, and a receipt of a message that is not under way.
_NO_RECEIPTS = {"ReceiptHandleIsInvalid", "InvalidParameterValue", "MessageNotInflight"}


def check_delivery(event: dict[str, Any], queue_urls: Sequence[str], *, held_s: int) -> None:
    """Refuse an event that SQS did not deliver; hold its messages for `held_s` more, as long as the function may run.

    An invoker may send any event, with any sender and queue. But only Lambda, the queue's receiver, knows the receipts
    of messages under way. After a function's death its messages come again `held_s` later, not after the queue's
    time-out, which is six times longer.

    Raises:
        Forbidden: a message is of another queue, or not under way.
    """
    urls = {url.rpartition("/")[2]: url for url in queue_urls}
    # A message of each queue proves the delivery; the others are held without a check.
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
    others = [message for message in event["Records"] if message not in first.values()]
    _wait_each([(message, held_s) for message in others], urls)


def in_groups(messages: Sequence[Mapping[str, Any]]) -> Iterator[Sequence[Mapping[str, Any]]]:
    """Yield the messages in groups to load: the new messages, the halves of second receives, then each message alone.

    Messages alone are in an order drawn for each two receives, and reversed in the second: a message behind a killer
    in the first comes before it in the second. A message between two killers needs a new order.

    >>> a_message = lambda name, count: {"messageId": name, "attributes": {"ApproximateReceiveCount": str(count)}}
    >>> batch = [a_message("a", 1), a_message("b", 2), a_message("c", 2), a_message("d", 3), a_message("e", 1)]
    >>> [[message["messageId"] for message in group] for group in in_groups(batch)]
    [['a', 'e'], ['c'], ['b'], ['d']]
    """
    new, second, later = (
        [message for message in messages if min(_receives(message), 3) == count] for count in (1, 2, 3)
    )
    yield from (group for group in (new,) if group)
    second.sort(key=_turn)
    yield from chunks(second, (len(second) + 1) // 2 or 1)
    yield from ([message] for message in sorted(later, key=_turn))


def _receives(message: Mapping[str, Any]) -> int:
    return int(message["attributes"]["ApproximateReceiveCount"])


def _turn(message: Mapping[str, Any]) -> int:
    receives = _receives(message)
    place = int(sha256_hex(f"{message['messageId']}#{(receives + 1) // 2}"), 16)
    return place if receives % 2 else -place


def acknowledge(queue_url: str, messages: Sequence[Mapping[str, Any]]) -> None:
    """Delete loaded messages before the function ends; loading a leftover message again changes nothing."""
    for batch in chunks(messages, BATCH_ENTRIES_MAX):
        entries = [{"Id": str(number), "ReceiptHandle": each["receiptHandle"]} for number, each in enumerate(batch)]
        with suppress(BotoCoreError, ClientError):
            client("sqs").delete_message_batch(QueueUrl=queue_url, Entries=entries)  # type: ignore[arg-type]


def failures_of(failed: Collection[str]) -> dict[str, Any]:
    """Render the partial batch response: `{"batchItemFailures": [{"itemIdentifier": "m1"}]}`."""
    return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in failed]}


def has_time(context: LambdaContext) -> bool:
    """True if the function may begin another attempt at some of its messages: more than `_RESERVED_MS` are left."""
    return context.get_remaining_time_in_millis() > _RESERVED_MS


def wait_of_refusals(receives: int) -> float:
    """Compute the longest wait after a refusal for now, in seconds: 30, 60, 120, ... 1800."""
    return float(min(_FIRST_RETRY_S * 2 ** min(receives - 1, 10), _RETRY_MAX_S))


def retry_soon(
    event: dict[str, Any],
    failed: Collection[str],
    queue_urls: Sequence[str],
    *,
    passing: Set[str] | None = None,
    longest_wait_s: Callable[[int], float] = wait_of_refusals,
) -> None:
    """Make the failed messages visible again after a wait; if the call fails, after their queue's time-out.

    `passing` are the messages refused by AWS for now, None for all. They wait up to `longest_wait_s(receives)`.
    """
    waits = [
        (message, _wait_s(message, longest_wait_s if passing is None or message["messageId"] in passing else _faulty))
        for message in event["Records"]
        if message["messageId"] in failed
    ]
    _wait_each(waits, {url.rpartition("/")[2]: url for url in queue_urls})


def _wait_each(waits: Sequence[tuple[Mapping[str, Any], int]], urls: Mapping[str, str]) -> None:
    """Make each message visible again after its seconds; `urls` has the queues' URLs by name."""
    entries: dict[str, list[ChangeMessageVisibilityBatchRequestEntryTypeDef]] = {}
    for message, wait_s in waits:
        of_queue = entries.setdefault(urls[message["eventSourceARN"].rpartition(":")[2]], [])
        of_queue.append(
            {"Id": str(len(of_queue)), "ReceiptHandle": message["receiptHandle"], "VisibilityTimeout": wait_s}
        )
    for url, changes in entries.items():
        for batch in chunks(changes, BATCH_ENTRIES_MAX):
            _change(url, batch)


def _faulty(_: int) -> float:
    return _FAULTY_RETRY_S


def _wait_s(message: Mapping[str, Any], longest_wait_s: Callable[[int], float]) -> int:
    longest_s = longest_wait_s(_receives(message))
    return round(longest_s * random.uniform(1 - _JITTER, 1))  # noqa: S311 - no secret


def _change(url: str, batch: Sequence[ChangeMessageVisibilityBatchRequestEntryTypeDef]) -> None:
    try:
        failed = client("sqs").change_message_visibility_batch(QueueUrl=url, Entries=batch).get("Failed", [])
    except (BotoCoreError, ClientError) as error:
        logger.warning("messages wait for the queue's own time-out", extra={"reason": str(error)})
        return
    if failed:
        logger.warning("messages wait for the queue's own time-out", extra={"messages": len(failed)})
