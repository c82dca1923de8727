"""Sending to SQS so that no entry is lost: each failed one is sent again alone, then raised."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from botocore.exceptions import BotoCoreError, ClientError

from lineage.errors import Unavailable

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.type_defs import SendMessageBatchRequestEntryTypeDef

# SQS quotas: entries a batch; bytes a message and a whole batch (1 MiB since 2025).
BATCH_ENTRIES_MAX = 10
MESSAGE_BYTES_MAX = 1024 * 1024
_TRIES = 4

Sleep: TypeAlias = Callable[[float], None]


@dataclass(frozen=True, slots=True)
class Message:
    """A message to send; attributes are strings."""

    body: str
    attributes: Mapping[str, str] = field(default_factory=dict)

    @property
    def size_bytes(self) -> int:
        """What counts against the quota: body, names, types and values of the attributes."""
        extra = sum(len(name.encode()) + len("String") + len(text.encode()) for name, text in self.attributes.items())
        return len(self.body.encode()) + extra


def send_all(sqs: SQSClient, queue_url: str, messages: Iterable[Message], sleep: Sleep = time.sleep) -> int:
    """Send every message, at least once each; the number sent.

    Raises `Unavailable` when entries still fail after four tries; those before them were sent.
    """
    sent = 0
    for batch in _batches(messages):
        _send(sqs, queue_url, batch, sleep)
        sent += len(batch)
    return sent


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


def _send(sqs: SQSClient, queue_url: str, batch: Sequence[Message], sleep: Sleep) -> None:
    left = list(batch)
    reason = ""
    for attempt in range(_TRIES):
        if attempt:
            sleep(0.1 * 2**attempt)
        try:
            answer = sqs.send_message_batch(QueueUrl=queue_url, Entries=[_entry(i, m) for i, m in enumerate(left)])
        except (BotoCoreError, ClientError) as error:
            raise Unavailable(f"{len(left)} messages could not be queued: {error}") from error
        failed = answer.get("Failed", [])
        if not failed:
            return
        reason = "; ".join(sorted({f"{entry['Code']} {entry.get('Message', '')}".strip() for entry in failed}))
        left = [left[int(entry["Id"])] for entry in failed]
    raise Unavailable(f"{len(left)} of {len(batch)} messages could not be queued: {reason}")


def _entry(number: int, message: Message) -> SendMessageBatchRequestEntryTypeDef:
    entry: SendMessageBatchRequestEntryTypeDef = {"Id": str(number), "MessageBody": message.body}
    if message.attributes:
        entry["MessageAttributes"] = {
            name: {"DataType": "String", "StringValue": text} for name, text in message.attributes.items()
        }
    return entry
