"""An AWS endpoint that answers every request at once with `{}`; `python -m benchmarks.instant_endpoint`.

It prints its port, keeps connections open, and stands in for DynamoDB where only the caller's own work is measured.
"""

from __future__ import annotations

import asyncio

_HEAD_END = b"\r\n\r\n"
_ANSWER = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/x-amz-json-1.0\r\n"
    b"x-amzn-RequestId: 4A5EXAMPLE\r\nContent-Length: 2\r\n\r\n{}"
)


class _Connection(asyncio.Protocol):
    """One kept-open connection: an answer for each complete request."""

    def __init__(self) -> None:
        self._received = bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        while (end := self._received.find(_HEAD_END)) >= 0:
            size = end + len(_HEAD_END) + _body_bytes(bytes(self._received[:end]))
            if len(self._received) < size:
                return
            del self._received[:size]
            self._transport.write(_ANSWER)


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


async def serve() -> None:
    """Listen on a free port, print it, and answer until the process is ended."""
    server = await asyncio.get_running_loop().create_server(_Connection, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve())
