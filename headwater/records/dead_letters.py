"""Messages that functions put into the records' dead-letter queue: a single record, with the reason beside it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from headwater.aws.queues import Message, send_all
from headwater.records.message_json import Refused, render_message
from headwater.records.record import LineageRecord

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

_REASON_CHARS_MAX = 500


@dataclass(frozen=True, slots=True)
class DeadLetters:
    """The records' dead-letter queue. Sending to it may repeat a record; it never loses one."""

    sqs: SQSClient
    queue_url: str

    def put_displaced(self, records: Iterable[LineageRecord]) -> int:
        """Send records whose node already has an earlier record with other content; return the number sent."""
        return self._put(
            (render_message(record), "displaced: an earlier record of this node stays") for record in records
        )

    def put_refused(self, refused: Iterable[Refused]) -> int:
        """Send records that break a rule, as they were received; return the number sent."""
        return self._put((record.body, record.reason) for record in refused)

    def _put(self, letters: Iterable[tuple[str, str]]) -> int:
        messages = (Message(body, {"reason": _sendable(reason)}) for body, reason in letters)
        return send_all(self.sqs, self.queue_url, messages)


def _sendable(reason: str) -> str:
    # SQS takes only XML 1.0 characters, in attributes too; a reason quotes the value that was refused.
    text = "".join(char if char.isprintable() and char not in "\ufffe\uffff" else "?" for char in reason)
    return text[:_REASON_CHARS_MAX]
