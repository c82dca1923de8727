"""Queuing of a whole request: one record a message up to 100, then packed, then as a pointer to S3."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from headwater.aws.bodies import BODY_BYTES_MAX, put_body, render_pointer
from headwater.aws.queues import Message, send_all
from headwater.records.message_json import render_message, render_packed
from headwater.records.record import LineageRecord

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient

# Up to here each record travels alone, as in Carbonlake: a bad record then never delays another.
SINGLES_MAX = 100


@dataclass(frozen=True, slots=True)
class RecordQueue:
    """The queues of requests, and the bucket for requests too large for a message."""

    sqs: SQSClient
    s3: S3Client
    records_queue_url: str
    packed_queue_url: str
    bucket: str

    def put(self, records: Sequence[LineageRecord]) -> None:
        """Put the records on a queue; raise `Unavailable` if that failed and the caller must send all again.

        A batch of singles that fails half-way is queued in part; a retry with the same `request_id` completes it.
        """
        if len(records) <= SINGLES_MAX:
            send_all(self.sqs, self.records_queue_url, (Message(render_message(record)) for record in records))
            return
        body = render_packed(records)
        if len(body.encode()) > BODY_BYTES_MAX:
            body = render_pointer(put_body(self.s3, self.bucket, body))
        send_all(self.sqs, self.packed_queue_url, [Message(body)])
