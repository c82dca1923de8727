"""An AWS endpoint that answers every request at once; `python -m benchmarks.instant_endpoint [table | events | queue]`.

It prints its port, keeps connections open, and stands in for AWS where only the caller's own work is measured. The
answer is `{}`, or, with `table`, what a graph table in memory answers; to S3 it is nothing at all. With `events` it
stands in for the HTTP API, and takes every event; with `queue` for SQS, which takes all messages but every fiftieth.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from itertools import count
from typing import TypeAlias

import orjson
from botocore.exceptions import ClientError

from benchmarks.memory_dynamodb import MemoryDynamo

# From a request's head and body to the status and body of its answer.
Answer: TypeAlias = Callable[[bytes, bytes], tuple[int, bytes]]

_HEAD_END = b"\r\n\r\n"
_EXPECTS = b"expect: 100-continue"
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


class _Connection(asyncio.Protocol):
    """One kept-open connection: an answer for each complete request."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._received = bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        while (end := self._received.find(_HEAD_END)) >= 0:
            head, begin = bytes(self._received[:end]), end + len(_HEAD_END)
            size = begin + _body_bytes(head)
            if len(self._received) < size:
                # botocore asks S3 whether it may send a body, and would wait a second for the answer.
                if _EXPECTS in head.lower():
                    self._transport.write(_CONTINUE)
                return
            status, body = self._answer(head, bytes(self._received[begin:size]))
            del self._received[:size]
            self._transport.write(_render(status, body))


def _render(status: int, body: bytes) -> bytes:
    head = (
        f"HTTP/1.1 {status} \r\nContent-Type: application/x-amz-json-1.0\r\n"
        f"x-amzn-RequestId: 4A5EXAMPLE\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def _body_bytes(head: bytes) -> int:
    r"""The length that a request's head declares.

    >>> _body_bytes(b"POST / HTTP/1.1\r\ncontent-length: 12")
    12
    """
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    return 0


def answer_nothing(_head: bytes, _body: bytes) -> tuple[int, bytes]:
    """An empty object, whatever was asked."""
    return 200, b"{}"


def take_events(head: bytes, _body: bytes) -> tuple[int, bytes]:
    """What the API answers to an event, or to a batch of them."""
    path = head.split(b" ", 2)[1]
    return (204, b"") if path.endswith(b"/batch") else (201, b"")


def queue_answer(fails_every: int) -> Answer:
    """What SQS answers to calls of `SendMessageBatch`, if it fails every so many messages."""
    numbers = count(1)

    def answer(_head: bytes, body: bytes) -> tuple[int, bytes]:
        entries = [(entry["Id"], next(numbers) % fails_every) for entry in orjson.loads(body)["Entries"]]
        taken = [{"Id": one, "MessageId": "m", "MD5OfMessageBody": "0"} for one, left in entries if left]
        failed = [{"Id": one, "Code": "InternalError", "SenderFault": False} for one, left in entries if not left]
        return 200, orjson.dumps({"Successful": taken, "Failed": failed})

    return answer


def table_answer(table: MemoryDynamo) -> Answer:
    """What the table answers to calls of DynamoDB."""

    def answer(head: bytes, body: bytes) -> tuple[int, bytes]:
        operation = _operation(head)
        if operation is None:
            return 200, b""
        try:
            return 200, orjson.dumps(table.answer(operation, orjson.loads(body)))
        except ClientError as error:
            told = error.response
            form = {"__type": f"com.amazonaws.dynamodb.v20120810#{told['Error']['Code']}", **told}
            return 400, orjson.dumps(form)

    return answer


def _operation(head: bytes) -> str | None:
    r"""The operation of DynamoDB that a request's head names.

    >>> _operation(b"POST / HTTP/1.1\r\nX-Amz-Target: DynamoDB_20120810.Query")
    'Query'
    """
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.lower() == b"x-amz-target":
            return value.rpartition(b".")[2].decode()
    return None


async def serve(answer: Answer) -> None:
    """Listen on a free port, print it, and answer until the process is ended."""
    server = await asyncio.get_running_loop().create_server(lambda: _Connection(answer), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    answers = {
        (): answer_nothing,
        ("table",): table_answer(MemoryDynamo()),
        ("events",): take_events,
        ("queue",): queue_answer(fails_every=50),
    }
    asyncio.run(serve(answers[tuple(sys.argv[1:])]))
