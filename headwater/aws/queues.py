"""Messages of SQS, and sending without loss: failed entries are sent again by themselves, then raised."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from headwater.attempts import attempts
from headwater_model.errors import Unavailable

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.type_defs import SendMessageBatchRequestEntryTypeDef

# SQS quotas: entries a batch; bytes a message and a whole batch (1 MiB since 2025).
BATCH_ENTRIES_MAX = 10
MESSAGE_BYTES_MAX = 1024 * 1024
_TRIES = 6

# Attributes of a message: the API caller who sent its content, and the caller's limit of writes (`rights`).
CALLER = "caller"
WRITES = "writes"
# The attribute of a message with an event forwarded by a foreign stack.
FORWARDED = "forwarded"


@dataclass(frozen=True, slots=True)
class Message:
    """A message to send; attributes are strings.

    A FIFO queue keeps the order of the messages of a `group`, and drops a message with a `deduplication_id` of the last
    five minutes.
    """

    body: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    group: str | None = None
    deduplication_id: str | None = None

    @property
    def size_bytes(self) -> int:
        """The bytes in the sense of the quota: body, names, types and values of the attributes."""
        extra = sum(len(name.encode()) + len("String") + len(text.encode()) for name, text in self.attributes.items())
        return len(self.body.encode()) + extra


def from_caller(body: str, caller: str | None, **attributes: str) -> Message:
    """Build a message with the API caller who sent its content, if known: `{"caller": "token:etl"}` as an attribute."""
    return Message(body, {**({CALLER: caller} if caller else {}), **attributes})


@dataclass(frozen=True, slots=True)
class QueuedMessage:
    """A message as a function received it.

    `sent_ms` is the time of arrival at SQS, in milliseconds since 1970, if known; `sender` is its principal, by SQS;
    `caller` is the source of the content in the sender's words, as trustworthy as the sender. `writes` is the sender's
    limit for the effects of the content, as JSON; None sets no limit. `forwarded` content came from a foreign stack.
    `receives` is the number of deliveries, by SQS.
    """

    message_id: str
    body: str
    sent_ms: int | None = None
    sender: str | None = None
    caller: str | None = None
    writes: str | None = None
    forwarded: bool = False
    receives: int = 1


def send_all(sqs: SQSClient, queue_url: str, messages: Iterable[Message]) -> int:
    """Send every message, at least once each; return the number sent.

    Raises `Unavailable` when entries still fail after six tries; earlier entries were sent.
    """
    sent = 0
    for batch in _batches(messages):
        if unsent := _send(sqs, queue_url, batch):
            reasons = "; ".join(sorted(set(unsent.values())))
            raise Unavailable(f"{len(unsent)} of {len(batch)} messages could not be queued: {reasons}")
        sent += len(batch)
    return sent


def send_each(sqs: SQSClient, queue_url: str, messages: Sequence[Message]) -> dict[int, str]:
    """Send every message, at least once each; return the reason for each unsent index: `{3: "InternalError"}`.

    After the refusal of a whole batch, the rest is not tried: the caller's time is limited.
    """
    unsent: dict[int, str] = {}
    start = 0
    for batch in _batches(messages):
        try:
            unsent |= {start + place: reason for place, reason in _send(sqs, queue_url, batch).items()}
        except Unavailable as error:
            return unsent | dict.fromkeys(range(start, len(messages)), str(error))
        start += len(batch)
    return unsent


def _batches(messages: Iterable[Message]) -> Iterator[list[Message]]:
    batch: list[Message] = []
    size = 0
    for message in messages:
        if batch and (len(batch) == BATCH_ENTRIES_MAX or size + message.size_bytes > MESSAGE_BYTES_MAX):
            yield batch
            batch, size = [], 0
        batch.append(message)
        size += message.size_bytes
    if batch:
        yield batch


def _send(sqs: SQSClient, queue_url: str, batch: Sequence[Message]) -> dict[int, str]:
    """Send a batch; return the reason of each index unsent after six tries. Raises `Unavailable` for a refused call."""
    left = dict(enumerate(batch))
    reasons: dict[int, str] = {}
    for _ in attempts(_TRIES, time.sleep):
        try:
            response = sqs.send_message_batch(QueueUrl=queue_url, Entries=[_entry(i, m) for i, m in left.items()])
        except (BotoCoreError, ClientError) as error:
            raise Unavailable(f"{len(left)} messages could not be queued: {error}") from error
        failed = response.get("Failed", [])
        reasons = {int(entry["Id"]): f"{entry['Code']} {entry.get('Message', '')}".strip() for entry in failed}
        left = {place: left[place] for place in reasons}
        if not left:
            break
    return reasons


def _entry(number: int, message: Message) -> SendMessageBatchRequestEntryTypeDef:
    entry: SendMessageBatchRequestEntryTypeDef = {"Id": str(number), "MessageBody": message.body}
    if message.attributes:
        entry["MessageAttributes"] = {
            name: {"DataType": "String", "StringValue": text} for name, text in message.attributes.items()
        }
    if message.group is not None:
        entry["MessageGroupId"] = message.group
    if message.deduplication_id is not None:
        entry["MessageDeduplicationId"] = message.deduplication_id
    return entry
