"""Lineage requests and their results, as the client sees them: pure, and without a schema library.

The service checks the rules (lengths, form of a record, no node its own parent); the client only keeps to its sizes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from headwater_model.ids import derive_node_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

# The service's bounds on the records of a request and the bytes of its body.
RECORDS_MAX = 10_000
BODY_MAX_BYTES = 4_000_000
# Names of a request's own fields: at most 4 of 2,048 characters and 3 shorter, each escaped to 6 bytes at the worst.
HEAD_MAX_BYTES = 100_000


class Record(NamedTuple):
    """Result of a step: its location, and its node id if the job names it itself."""

    storage_location: str | None = None
    node_id: str | None = None


class Step(NamedTuple):
    """Record with its position in the tree, for `LineageClient.record_all`."""

    root_id: str
    parent_id: str
    action_taken: str
    storage_location: str
    node_id: str | None = None


class Action(NamedTuple):
    """Fields that all records of a request share."""

    root_id: str
    parent_id: str
    action_taken: str
    run_id: str | None
    storage_location: str | None
    requested_at: int


class RecordedNode(NamedTuple):
    """Record as it was sent, with its node id in the tree."""

    storage_location: str | None
    node_id: str


@dataclass(frozen=True)
class Request:
    """Request as it is sent, with the node ids of its records."""

    action: Action
    request_id: str
    records: tuple[RecordedNode, ...]
    body: bytes


@dataclass(frozen=True)
class RecordResult:
    """Result of `record`, known before the service responds, since the client chose the id and the time.

    `node_id` is the next step's `parent_id`. `recorded_at` and `ttl_expiry` are whole seconds since 1970; the latter is
    None when the service did not return it (a file, a failure). `delivered` is False unless the service accepted it.
    """

    root_id: str
    action_taken: str
    recorded_at: int
    ttl_expiry: int | None
    node_id: str
    storage_location: str | None
    delivered: bool


@dataclass(frozen=True)
class RecordsResult:
    """Result of `record_many`, its records in the order of the call; `delivered` is False unless all were accepted."""

    root_id: str
    action_taken: str
    recorded_at: int
    ttl_expiry: int | None
    records: tuple[RecordedNode, ...]
    delivered: bool


class DeliveryCounts(NamedTuple):
    """Numbers of records or events that arrived and that did not."""

    sent: int
    failed: int


def requests_of(
    action: Action, records: Iterable[Record], request_id: str, *, single: bool = False
) -> Iterator[Request]:
    """Yield the requests that carry `records`, in order: each within the service's bounds, each with its own id.

    The first has `request_id` itself, the next ones `request_id/1` and so on, so that the same records sent again make
    the same requests and the same node ids. `single` makes the one-record form.
    """
    for number, (named, lines) in enumerate(_filled(_named(action, records, request_id))):
        numbered = request_id if number == 0 else f"{request_id}/{number}"
        yield Request(action, numbered, tuple(named), _render(action, numbered, lines, single=single))


def requests_of_steps(
    steps: Iterable[Step], request_id: str, requested_at: int, run_id: str | None
) -> Iterator[Request]:
    """Yield requests for a stream of steps: neighbours with the same root, parent and action share a request."""
    for number, ((root_id, parent_id, action_taken), group) in enumerate(groupby(steps, key=lambda step: step[:3])):
        action = Action(root_id, parent_id, action_taken, run_id, None, requested_at)
        records = (Record(step.storage_location, step.node_id) for step in group)
        yield from requests_of(action, records, f"{request_id}#{number}")


def _named(action: Action, records: Iterable[Record], request_id: str) -> Iterator[RecordedNode]:
    shared = (_text(action.root_id), _text(action.parent_id), _text(action.action_taken), _text(request_id))
    for index, (storage_location, node_id) in enumerate(records):
        location = action.storage_location if action.storage_location is not None else storage_location
        yield RecordedNode(location, node_id if node_id is not None else derive_node_id(*shared, index))


def _text(value: object) -> str:
    """Return the value as text that has UTF-8 bytes; the service refuses null or broken strings of the job's data."""
    return str(value).encode(errors="replace").decode()


def _filled(records: Iterable[RecordedNode]) -> Iterator[tuple[list[RecordedNode], list[bytes]]]:
    """Yield full batches of records and their JSON: at most `RECORDS_MAX`, a body of at most `BODY_MAX_BYTES`."""
    load: list[RecordedNode] = []
    lines: list[bytes] = []
    left_bytes = BODY_MAX_BYTES - HEAD_MAX_BYTES
    for record in records:
        line = _dump({"node_id": record.node_id, "storage_location": record.storage_location})
        if load and (len(load) == RECORDS_MAX or left_bytes < len(line) + 1):
            yield load, lines
            load, lines, left_bytes = [], [], BODY_MAX_BYTES - HEAD_MAX_BYTES
        load.append(record)
        lines.append(line)
        left_bytes -= len(line) + 1
    if load:
        yield load, lines


def _render(action: Action, request_id: str, lines: list[bytes], *, single: bool) -> bytes:
    head: dict[str, str | int] = {
        "root_id": action.root_id,
        "parent_id": action.parent_id,
        "action_taken": action.action_taken,
        "request_id": request_id,
        "requested_at": action.requested_at,
    }
    if action.run_id is not None:
        head["run_id"] = action.run_id
    rest = b', "record": ' + lines[0] if single else b', "records": [' + b",".join(lines) + b"]"
    return _dump(head)[:-1] + rest + b"}"


def _dump(value: Mapping[str, str | int | None]) -> bytes:
    return json.dumps(value, default=str).encode()  # a Path or a UUID travels as its text
