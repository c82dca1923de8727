"""The AWS calls of handlers by stage and operation, from botocore's events and the DynamoDB client's requests."""

from __future__ import annotations

import io
import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any, cast

import boto3
import orjson

from headwater import settings
from headwater.aws import clients
from headwater.aws.connections import Connections, Response
from headwater.aws.dynamodb import DynamoDB
from tests.fakes.capacity import read_units, write_units

if TYPE_CHECKING:
    from functools import _lru_cache_wrapper

# SQS bills every 64 KB of a call as a request.
SQS_REQUEST_BYTES = 64 * 1024


@dataclass(slots=True)
class Tally:
    """The calls of an operation: their number, billed units and requests."""

    calls: int = 0
    write_units: float = 0
    read_units: float = 0
    requests: int = 0

    def __add__(self, other: Tally) -> Tally:
        units = self.write_units + other.write_units, self.read_units + other.read_units
        return Tally(self.calls + other.calls, *units, self.requests + other.requests)


@dataclass(slots=True)
class Ledger:
    """Tallies by stage, service and operation; invocations, bytes of log and simultaneous calls by stage."""

    tallies: dict[str, dict[tuple[str, str], Tally]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(Tally))
    )
    invocations: Counter[str] = field(default_factory=Counter)
    log_bytes: Counter[str] = field(default_factory=Counter)
    at_once: Counter[str] = field(default_factory=Counter)
    # Sizes, the base of storage.
    archive_bytes: int = 0
    item_bytes: int = 0
    graph_bytes: int = 0
    # Billed requests of Lambda's pollers: receives, and a delete for each message.
    poll_requests: int = 0
    _stage: str = ""

    @contextmanager
    def invocation(self, stage: str, at_once: int = 1) -> Iterator[None]:
        """Count an invocation of the stage's function, with the calls inside; its output is its log."""
        self._stage, self.at_once[stage] = stage, at_once
        self.invocations[stage] += 1
        printed = io.StringIO()
        try:
            with redirect_stdout(printed):
                yield
        finally:
            self._stage = ""
            self.log_bytes[stage] += len(printed.getvalue().encode())

    def total(self, service: str) -> Tally:
        """Sum all operations of a service over all stages."""
        of_stages = (of_stage.items() for of_stage in self.tallies.values())
        return sum((tally for tallies in of_stages for (name, _), tally in tallies if name == service), Tally())

    def of_stage(self, stage: str) -> Tally:
        """Sum all operations of a stage."""
        return sum(self.tallies[stage].values(), Tally())

    def write(self, service: str, operation: str, request: Mapping[str, Any], response: Mapping[str, Any]) -> Tally:
        """Count a call by its parameters and parsed response; outside of invocations nothing counts."""
        if not self._stage:
            return Tally()
        tally = self.tallies[self._stage][service, operation]
        tally.calls += 1
        if service == "dynamodb":
            copies = {os.environ[settings.RECORDS_TABLE]: 3}
            tally.write_units += write_units(operation, request, copies)
            tally.read_units += read_units(operation, request, response)
        return tally


class Listener:
    """A listener to every client made while it is open; it counts in the current ledger."""

    def __init__(self) -> None:
        self.ledger = Ledger()

    @contextmanager
    def open(self) -> Iterator[None]:
        """Listen to clients made inside; drop all clients before and after."""
        _drop_clients()
        boto3.setup_default_session(botocore_session=clients.session())
        assert boto3.DEFAULT_SESSION is not None
        events = boto3.DEFAULT_SESSION.events
        events.register("provide-client-params.*.*", self._note_request)
        events.register("before-call.*.*", self._note_sent)
        events.register("after-call.*.*", self._note_response)
        dynamodb = cast("DynamoDB", clients.dynamodb())
        connections = dynamodb.connections
        dynamodb.connections = _CountedConnections(connections, self)
        try:
            yield
        finally:
            connections.close()
            _drop_clients()
            boto3.DEFAULT_SESSION = None

    def _note_request(self, params: Mapping[str, Any], context: dict[str, Any], **_: object) -> None:
        context["counted_request"] = params

    def _note_sent(self, params: Mapping[str, Any], context: dict[str, Any], **_: object) -> None:
        context["sent_bytes"] = _size(params["body"])

    def _note_response(self, parsed: Mapping[str, Any], model: Any, context: Mapping[str, Any], **_: object) -> None:
        service = model.service_model.service_name
        tally = self.ledger.write(service, model.name, context["counted_request"], parsed)
        if service == "sqs":
            tally.requests += max(1, -(-context["sent_bytes"] // SQS_REQUEST_BYTES))


class _CountedConnections(Connections):
    """Connections to DynamoDB that count each call in the current ledger."""

    def __init__(self, connections: Connections, listener: Listener) -> None:
        self._connections, self._listener = connections, listener

    def post(self, headers: Mapping[str, str], body: bytes) -> Response:
        """Send as the connections do."""
        response = self._connections.post(headers, body)
        operation = headers["x-amz-target"].rpartition(".")[2]
        self._listener.ledger.write("dynamodb", operation, orjson.loads(body), orjson.loads(response.content))
        return response


def _drop_clients() -> None:
    # mypy sees the overloads of `client` and not the cache around them.
    cast("_lru_cache_wrapper[object]", clients.client).cache_clear()
    clients.dynamodb.cache_clear()
    clients.session.cache_clear()


def _size(body: str | bytes | IO[bytes]) -> int:
    if isinstance(body, str | bytes | bytearray):
        return len(body)
    position = body.seek(0, io.SEEK_CUR)
    size = body.seek(0, io.SEEK_END)
    body.seek(position)
    return size
