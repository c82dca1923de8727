"""An AWS endpoint with immediate responses: `python -m benchmarks.instant_endpoint table|events`.

It prints its port, keeps connections open, and replaces AWS in measurements of the caller's own work. With `table` it
responds as DynamoDB, from a table in memory, and with nothing to S3. With `events` it is the HTTP API: it accepts every
event.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import TypeAlias
from zlib import crc32

import orjson
from botocore.exceptions import ClientError

from tests.fakes.memory_dynamodb import MemoryDynamo

# From a request's head and body to the status and body of its response.
Respond: TypeAlias = Callable[[bytes, bytes], tuple[int, bytes]]

_HEAD_END = b"\r\n\r\n"
_EXPECTS = b"expect: 100-continue"
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


class _Connection(asyncio.Protocol):
    """A connection kept open: a response for each complete request."""

    def __init__(self, respond: Respond) -> None:
        self._respond = respond
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
                # botocore requests permission from S3 to send a body, and would wait a second for it.
                if _EXPECTS in head.lower():
                    self._transport.write(_CONTINUE)
                return
            status, body = self._respond(head, bytes(self._received[begin:size]))
            del self._received[:size]
            self._transport.write(_render(status, body))


def _render(status: int, body: bytes) -> bytes:
    head = (
        f"HTTP/1.1 {status} \r\nServer: Server\r\nDate: Thu, 20 Nov 2025 12:00:00 GMT\r\n"
        f"Content-Type: application/x-amz-json-1.0\r\nContent-Length: {len(body)}\r\nConnection: keep-alive\r\n"
        f"x-amzn-RequestId: 4A5EXAMPLE\r\nx-amz-crc32: {crc32(body)}\r\n\r\n"
    )
    return head.encode() + body


def _body_bytes(head: bytes) -> int:
    r"""Read the declared length in a request's head.

    >>> _body_bytes(b"POST / HTTP/1.1\r\ncontent-length: 12")
    12
    """
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    return 0


def accept_events(head: bytes, _body: bytes) -> tuple[int, bytes]:
    """Respond to an event, or to a batch of events, as the API does."""
    path = head.split(b" ", 2)[1]
    return (204, b"") if path.endswith(b"/batch") else (201, b"")


def respond_as_table(table: MemoryDynamo) -> Respond:
    """Build a responder to calls of DynamoDB from the table."""

    def respond(head: bytes, body: bytes) -> tuple[int, bytes]:
        operation = _operation(head)
        if operation is None:
            return 200, b""
        try:
            return 200, orjson.dumps(table.respond(operation, orjson.loads(body)))
        except ClientError as error:
            refusal = error.response
            document = {"__type": f"com.amazonaws.dynamodb.v20120810#{refusal['Error']['Code']}", **refusal}
            return 400, orjson.dumps(document)

    return respond


def _operation(head: bytes) -> str | None:
    r"""Read the operation of DynamoDB in a request's head; None for a different service.

    >>> _operation(b"POST / HTTP/1.1\r\nX-Amz-Target: DynamoDB_20120810.Query")
    'Query'
    """
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.lower() == b"x-amz-target" and b"DynamoDB" in value:
            return value.rpartition(b".")[2].decode()
    return None


async def serve(respond: Respond) -> None:
    """Listen on a free port, print it, and respond until the process ends."""
    server = await asyncio.get_running_loop().create_server(lambda: _Connection(respond), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    responders: dict[str, Respond] = {"table": respond_as_table(MemoryDynamo()), "events": accept_events}
    asyncio.run(serve(responders[sys.argv[1]]))
