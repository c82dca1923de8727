"""Messages into an SQS queue, several a call; refused messages are returned, none is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spark_client.transport.aws_calls import AwsConnection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.type_defs import BatchResultErrorEntryTypeDef, SendMessageBatchRequestEntryTypeDef

    from spark_client.transport.retry import RetryPolicy


class Unsent(NamedTuple):
    """Message refused by the queue: its index in the call, the reason, and True if a retry cannot help."""

    position: int
    reason: str
    final: bool


class SqsQueue:
    """SQS queue, usable by many threads; the caller retries, botocore does not.

    Without a `region` it is the region in the URL's host, else the session's.
    """

    def __init__(self, queue_url: str, policy: RetryPolicy, region: str | None = None) -> None:
        self._url = queue_url
        self._connection: AwsConnection[SQSClient] = AwsConnection(
            "sqs", queue_url, region or _region(queue_url), policy
        )

    def send(self, bodies: Sequence[str]) -> list[Unsent]:
        """Send up to 10 messages of 1 MiB together in a call; return the messages not accepted.

        Raises:
            Refused: the whole call was refused (no such queue, no right to send, too large).
            Undelivered: no response, or a temporary failure; some messages may have been accepted nevertheless.
            Misconfigured: no region or no credentials.
        """
        entries: list[SendMessageBatchRequestEntryTypeDef] = [
            {"Id": str(index), "MessageBody": body} for index, body in enumerate(bodies)
        ]
        with self._connection.use() as sqs:
            result = sqs.send_message_batch(QueueUrl=self._url, Entries=entries)
        return [_unsent(entry) for entry in result.get("Failed", [])]

    def close(self) -> None:
        """Close the connections; the next message connects again."""
        self._connection.close()


def _unsent(entry: BatchResultErrorEntryTypeDef) -> Unsent:
    reason = f"{entry['Code']}: {entry.get('Message', '')}".rstrip(": ")
    return Unsent(int(entry["Id"]), reason, entry["SenderFault"])


def _region(queue_url: str) -> str | None:
    """Parse the region in the host of an AWS queue; None leaves it to the session.

    >>> _region("https://sqs.eu-west-1.amazonaws.com/123456789012/packed")
    'eu-west-1'
    >>> _region("http://127.0.0.1:4566/123456789012/packed")
    """
    host = queue_url.partition("://")[2].partition("/")[0].split(".")
    return host[1] if len(host) > 3 and host[0] == "sqs" else None
