"""Lineage requests and their results, as the client makes them, by the rules of `headwater_model.record_requests`."""

from __future__ import annotations

import json
import operator
import os
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from uuid import UUID

from headwater_model.errors import Invalid, print_value
from headwater_model.ids import derive_node_id
from headwater_model.record_requests import RECORDS_MAX, parse_record_request
from spark_client.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# The service's bound on the bytes of a request's body.
BODY_MAX_BYTES = 4_000_000
# Names of a request's own fields: at most 4 of 2,048 characters and 3 shorter, each escaped to 6 bytes at the worst.
HEAD_MAX_BYTES = 100_000
# Rule of `requested_at`.
SECONDS = "must be whole seconds since 1970"
T = TypeVar("T")


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
    """Fields shared by all records of a request."""

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

    def check(self, now_s: float) -> None:
        """Check the request before it is sent; raise `Refused` with every fault."""
        head = {**self.action._asdict(), "storage_location": None, "request_id": self.request_id}
        records = [record._asdict() for record in self.records]
        check_request({**head, "records": records}, now_s)


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
    """Numbers of records or events that arrived, and of lost records or events."""

    sent: int
    failed: int


def check_request(payload: object, now_s: float) -> None:
    """Check a request by the service's rules; raise `Refused`, as the service would."""
    try:
        parse_record_request(payload, now_s=int(now_s), new_id=str)
    except Invalid as error:
        raise Refused("Invalid", str(error), responded=False) from error


def items_of(given: object, argument: str, kind: type[T]) -> Iterator[T]:
    """Yield the items of an argument, which may be a generator.

    Raises:
        TypeError: the argument, or an item, has another type; a dict, a row or a plain tuple may mean another order.

    >>> list(items_of(["ab"], "records", Record))
    Traceback (most recent call last):
    TypeError: records[0]: must be a Record(storage_location, node_id), got 'ab'
    """
    form = f"{kind.__name__}({', '.join(kind.__annotations__)})"
    if not isinstance(given, Iterable) or isinstance(given, (str, bytes, dict, kind)):
        raise TypeError(f"{argument}: must be an iterable of {form}, got {print_value(given)}")
    for index, item in enumerate(given):
        if not isinstance(item, kind):
            raise TypeError(f"{argument}[{index}]: must be a {form}, got {print_value(item)}")
        yield item


def as_text(value: Any) -> Any:
    """Convert a path or a UUID, `Path("raw/a.csv")`, to text; the rules of requests judge any other value."""
    return str(value) if isinstance(value, (os.PathLike, UUID)) else value


def text_option(argument: str, value: object) -> str | None:
    """Check an optional argument to be text; raise `TypeError` for another type."""
    if (text := as_text(value)) is None or isinstance(text, str):
        return text
    raise TypeError(f"{argument}: must be a string, got {print_value(value)}")


def whole_number(argument: str, value: object, rule: str) -> int:
    """Check an argument to be a whole number; raise `TypeError` with the rule if it is none."""
    try:
        if not isinstance(value, bool):
            return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        pass
    raise TypeError(f"{argument}: {rule}, got {print_value(value)}")


def requests_of(
    action: Action, records: Iterable[Record], request_id: str, *, single: bool = False
) -> Iterator[Request]:
    """Yield the requests of `records`, in order: each within the service's bounds, each with its own id.

    The ids are `request_id`, `request_id/1`, `request_id/2`: the same records sent again make the same requests and
    node ids. `single` makes the form of a single record.
    """
    for number, (named, lines) in enumerate(_filled(_named(action, records, request_id))):
        numbered = request_id if number == 0 else f"{request_id}/{number}"
        yield Request(action, numbered, tuple(named), _render(action, numbered, lines, single=single))


def requests_of_steps(
    steps: Iterable[Step], request_id: str, requested_at: int, run_id: str | None
) -> Iterator[Request]:
    """Yield requests for a stream of steps: neighbours with the same root, parent and action share a request."""
    for number, ((root_id, parent_id, action_taken), group) in enumerate(groupby(steps, key=lambda step: step[:3])):
        place = as_text(root_id), as_text(parent_id), as_text(action_taken)
        action = Action(*place, run_id, None, requested_at)
        records = (Record(step.storage_location, step.node_id) for step in group)
        yield from requests_of(action, records, f"{request_id}#{number}")


def _named(action: Action, records: Iterable[Record], request_id: str) -> Iterator[RecordedNode]:
    shared = (_text(action.root_id), _text(action.parent_id), _text(action.action_taken), _text(request_id))
    for number, (storage_location, node_id) in enumerate(records):
        location = action.storage_location if action.storage_location is not None else storage_location
        yield RecordedNode(
            as_text(location), as_text(node_id) if node_id is not None else derive_node_id(*shared, number)
        )


def _text(value: object) -> str:
    """Encode the value as text with UTF-8 bytes; the service refuses null or broken strings of the job's data."""
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
    return json.dumps(value, default=str).encode()  # values without JSON are refused before
