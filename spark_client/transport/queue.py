"""Messages into an SQS queue, several a call; those that the queue did not take are named, none is lost in silence."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spark_client.transport.aws_calls import AwsConnection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.type_defs import BatchResultErrorEntryTypeDef, SendMessageBatchRequestEntryTypeDef

    from spark_client.transport.retry import Patience

# SQS quotas: entries of a call; bytes of a message, and of all messages of a call together (1 MiB since 2025).
ENTRIES_MAX = 10
CALL_BYTES_MAX = 1024 * 1024


class Unsent(NamedTuple):
    """A message that the queue did not take: its place in the call, why, and whether trying again cannot help."""

    place: int
    reason: str
    final: bool


class SqsQueue:
    """One queue, usable by many threads; the retries are the caller's, not botocore's.

    Without a `region` it is the one in the URL's host, else the session's.
    """

    def __init__(self, queue_url: str, patience: Patience, region: str | None = None) -> None:
        self._url = queue_url
        self._connection: AwsConnection[SQSClient] = AwsConnection(
            "sqs", queue_url, region or _region(queue_url), patience
        )

    def send(self, bodies: Sequence[str]) -> list[Unsent]:
        """Send up to 10 messages of 1 MiB together in one call; those that were not taken.

        Raises:
            Refused: the call as a whole was (no such queue, no right to send, too large).
            Undelivered: no answer, or a failure that may pass; some may have been taken all the same.
            Misconfigured: no region or no credentials.
        """
        entries: list[SendMessageBatchRequestEntryTypeDef] = [
            {"Id": str(place), "MessageBody": body} for place, body in enumerate(bodies)
        ]
        with self._connection.use() as sqs:
            answer = sqs.send_message_batch(QueueUrl=self._url, Entries=entries)
        return [_unsent(entry) for entry in answer.get("Failed", [])]

    def close(self) -> None:
        """Close the connections; the next message makes new ones."""
        self._connection.close()


def _unsent(entry: BatchResultErrorEntryTypeDef) -> Unsent:
    reason = f"{entry['Code']}: {entry.get('Message', '')}".rstrip(": ")
    return Unsent(int(entry["Id"]), reason, entry["SenderFault"])


def _region(queue_url: str) -> str | None:
    """The region in the host of a queue of AWS; None leaves it to the session.

    >>> _region("https://sqs.eu-west-1.amazonaws.com/123456789012/packed")
    'eu-west-1'
    >>> _region("http://127.0.0.1:4566/123456789012/packed")
    """
    host = queue_url.partition("://")[2].partition("/")[0].split(".")
    return host[1] if len(host) > 3 and host[0] == "sqs" else None
