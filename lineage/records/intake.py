"""A request onto the queues, whole: one record a message up to 100, then packed, then as a pointer to S3."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from lineage.aws.queues import Message, send_all
from lineage.errors import Unavailable
from lineage.records.messages import Pointer, render_message, render_packed, render_pointer
from lineage.records.record import LineageRecord

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient

# Up to here each record travels alone, as in the seed: one bad record then never delays another.
SINGLES_MAX = 100
# A packed message stays below 1 MiB with room for the escapes that Lambda's event adds to its body.
PACKED_BYTES_MAX = 800_000


@dataclass(frozen=True, slots=True)
class RecordsIntake:
    """The queues that requests go to, and the bucket for what is too large for a message."""

    sqs: SQSClient
    s3: S3Client
    records_queue_url: str
    packed_queue_url: str
    bucket: str

    def put(self, records: Sequence[LineageRecord]) -> None:
        """Make the records durable in a queue; `Unavailable` if that failed, and the caller sends all again.

        A batch of singles that fails half-way is queued in part; a retry with the same `request_id` completes it.
        """
        if len(records) <= SINGLES_MAX:
            send_all(self.sqs, self.records_queue_url, (Message(render_message(record)) for record in records))
            return
        body = render_packed(records)
        if len(body.encode()) > PACKED_BYTES_MAX:
            body = render_pointer(self._put_body(body.encode()))
        send_all(self.sqs, self.packed_queue_url, [Message(body)])

    def _put_body(self, body: bytes) -> Pointer:
        # Named by content: a retry overwrites the object with itself.
        pointer = Pointer(self.bucket, f"requests/{hashlib.sha256(body).hexdigest()}.json")
        try:
            self.s3.put_object(Bucket=pointer.bucket, Key=pointer.key, Body=body, ContentType="application/json")
        except (BotoCoreError, ClientError) as error:
            raise Unavailable(f"the request could not be stored: {error}") from error
        return pointer
