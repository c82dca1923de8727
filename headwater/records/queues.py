"""The queues of records: for requests, and for dead letters.

A request is a message: of a single record as in Carbonlake, of more records packed, of the largest a pointer to S3.
A dead letter is a single record, with the reason beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from headwater.aws.bodies import BODY_BYTES_MAX, put_body, render_body, render_pointer
from headwater.aws.queues import Message, send_all
from headwater.records.record import LineageRecord, Refused, render_record

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient


_REASON_CHARS_MAX = 500
# Larger requests go to a queue of their own: a batch of 100 small requests is loaded in half a minute.
SMALL_MAX = 100


def render_message(record: LineageRecord) -> str:
    """Render the body of a message with a single record."""
    return render_body(render_record(record))


def render_packed(records: Iterable[LineageRecord]) -> str:
    """Render the body of a message, or of an S3 object, with many records."""
    return render_body({"records": [render_record(record) for record in records]})


@dataclass(frozen=True, slots=True)
class DeadLetters:
    """The records' dead-letter queue. Sending to it may repeat a record; it never loses one."""

    sqs: SQSClient
    queue_url: str

    def put_displaced(self, records: Iterable[LineageRecord]) -> int:
        """Send records displaced by an earlier record of their node; return the number sent."""
        return self._put(
            (render_message(record), "displaced: an earlier record of this node stays") for record in records
        )

    def put_refused(self, refused: Iterable[Refused]) -> int:
        """Send refused records, as they were received; return the number sent."""
        return self._put((record.body, record.reason) for record in refused)

    def _put(self, letters: Iterable[tuple[str, str]]) -> int:
        messages = (Message(body, {"reason": _sendable(reason)}) for body, reason in letters)
        return send_all(self.sqs, self.queue_url, messages)


def _sendable(reason: str) -> str:
    # SQS takes only XML 1.0 characters, in attributes too; a reason quotes the refused value.
    text = "".join(char if char.isprintable() and char not in "\ufffe\uffff" else "?" for char in reason)
    return text[:_REASON_CHARS_MAX]


@dataclass(frozen=True, slots=True)
class RecordQueue:
    """The queues of requests, and the bucket for requests too large for a message."""

    sqs: SQSClient
    s3: S3Client
    records_queue_url: str
    packed_queue_url: str
    bucket: str

    def put(self, records: Sequence[LineageRecord]) -> None:
        """Put the records on a queue, all or none; after `Unavailable` the caller must send all again."""
        body = render_message(records[0]) if len(records) == 1 else render_packed(records)
        if len(body.encode()) > BODY_BYTES_MAX:
            body = render_pointer(put_body(self.s3, self.bucket, body))
        queue_url = self.records_queue_url if len(records) <= SMALL_MAX else self.packed_queue_url
        send_all(self.sqs, queue_url, [Message(body)])
