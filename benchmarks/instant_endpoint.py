"""An AWS endpoint with immediate responses: `python -m benchmarks.instant_endpoint table|events`.

It prints its port, keeps connections open, and replaces AWS in measurements of the caller's own work. With `table` it
responds as DynamoDB, from a table in memory, and with nothing to S3. With `events` it is the HTTP API: it accepts every
event.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TypeAlias
from zlib import crc32

import orjson
from botocore.exceptions import ClientError

from local_stack.web.server import Reply, Request, Server
from tests.fakes.memory_dynamodb import MemoryDynamo

Respond: TypeAlias = Callable[[Request], Reply]


def accept_events(request: Request) -> Reply:
    """Respond to an event, or to a batch of events, as the API does."""
    return Reply(204 if request.target.endswith("/batch") else 201, [], b"")


def respond_as_table(table: MemoryDynamo) -> Respond:
    """Build a responder to calls of DynamoDB from the table, one call at a time."""
    lock = threading.Lock()

    def respond(request: Request) -> Reply:
        service, _, operation = request.header("x-amz-target").rpartition(".")
        if "DynamoDB" not in service:
            return Reply(200, [], b"")
        try:
            with lock:
                return _render(200, orjson.dumps(table.respond(operation, orjson.loads(request.body))))
        except ClientError as error:
            refusal = error.response
            document = {"__type": f"com.amazonaws.dynamodb.v20120810#{refusal['Error']['Code']}", **refusal}
            return _render(400, orjson.dumps(document))

    return respond


def _render(status: int, body: bytes) -> Reply:
    headers = {"Content-Type": "application/x-amz-json-1.0", "x-amzn-RequestId": "4A5EXAMPLE"}
    return Reply(status, [*headers.items(), ("x-amz-crc32", str(crc32(body)))], body)


if __name__ == "__main__":
    responders: dict[str, Respond] = {"table": respond_as_table(MemoryDynamo()), "events": accept_events}
    server = Server(0, responders[sys.argv[1]], body_bytes_max=sys.maxsize, idle_s=None).open()
    print(server.server_address[1], flush=True)
    threading.Event().wait()
