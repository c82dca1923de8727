"""Rules of a lineage request, for the service and the client.

The JSON is Carbonlake's (`record` or `records`), or a top-level `storage_location` as its minimum. Records of different
roots, parents or actions may share a request: then each record names its own, and the request none. Unknown fields are
ignored: pipelines often pass their whole state along.

The sizes are DynamoDB's: 2,048 bytes of partition key (`root_id`; `parent_id` may name it), 1,024 bytes of sort key
(`node_id`, and `action_taken` in the action index). They count UTF-8 bytes, not characters.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any, NamedTuple

from headwater_model.errors import Fault, Invalid
from headwater_model.ids import derive_node_id
from headwater_model.json_checks import Broken, at_most, faults_of, fields_of, list_of, not_empty, text

# The bounds of a record's fields, in bytes of UTF-8, in the order of the checks.
LIMITS = {"root_id": 2048, "parent_id": 2048, "action_taken": 1024, "node_id": 1024, "storage_location": 2048}
# The bound of `request_id` and `run_id`.
SHORT_ID_MAX = 256
RECORDS_MAX = 10_000
# A clock further ahead is wrong.
AHEAD_MAX_S = 24 * 3600


class RequestedRecord(NamedTuple):
    """A record of a request; empty where a field is missing."""

    root_id: str
    parent_id: str
    action_taken: str
    storage_location: str
    node_id: str


class RecordRequest(NamedTuple):
    """A valid request: its records, their common time and run, and True for a batch."""

    records: tuple[RequestedRecord, ...]
    recorded_at: int
    run_id: str | None
    batch: bool


def parse_record_request(payload: object, *, now_s: int, new_id: Callable[[], str]) -> RecordRequest:
    """Parse all records of a request.

    `new_id` names the nodes of a request that carries neither node ids nor a `request_id`.

    Raises:
        Invalid: the request breaks a rule; with every fault.

    >>> parse_record_request({"root_id": 7, "records": []}, now_s=0, new_id=str)
    Traceback (most recent call last):
    headwater_model.errors.Invalid: root_id: must be a string, got 7; records: must have at least 1 item, got []
    """
    if not isinstance(payload, dict):
        raise Invalid.because("request", payload, "must be a JSON object")
    if faults := faults_of(_REQUEST, payload, "request"):
        raise Invalid(faults)
    sent_at = payload.get("requested_at")
    recorded_at = now_s if sent_at is None else parse_seconds(sent_at)
    records = _records(payload, new_id)
    faults = [
        *_form_faults(payload),
        *_time_faults(recorded_at, now_s),
        *_shared_faults(payload, records),
        *_record_faults(payload, records),
    ]
    if faults:
        raise Invalid(faults)
    return RecordRequest(records, recorded_at, payload.get("run_id"), payload.get("records") is not None)


def parse_seconds(value: object) -> int:
    """Parse whole seconds since 1970; Step Functions has its times (`$$.State.EnteredTime`) as ISO 8601 text only.

    Raises:
        ValueError: the value is no time; the message is the rule.

    >>> parse_seconds("1970-01-01T00:01:00.5Z")
    60
    """
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value.replace("Z", "+00:00"))
        except ValueError:
            moment = None
        if moment is not None and moment.tzinfo is None:
            raise ValueError("must carry a time zone, as in 2026-11-20T08:00:00Z")
        value = moment and math.floor(moment.timestamp())
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**63:
        raise ValueError("must be whole seconds since 1970, or ISO 8601 with a time zone")
    return value


def _time(value: object) -> Sequence[Broken]:
    try:
        parse_seconds(value)
    except ValueError as error:
        return [Broken(value, str(error))]
    return ()


_FIELDS = {name: text(not_empty, at_most(limit)) for name, limit in LIMITS.items()}
_RECORD = fields_of(_FIELDS)
_SHORT_ID = text(not_empty, at_most(SHORT_ID_MAX))
REQUEST_FIELDS = {
    **{name: _FIELDS[name] for name in ("root_id", "parent_id", "action_taken")},
    "record": _RECORD,
    "records": list_of(_RECORD, least=1, most=RECORDS_MAX),
    "storage_location": _FIELDS["storage_location"],
    "node_id": _FIELDS["node_id"],
    "request_id": _SHORT_ID,
    "requested_at": _time,
    "run_id": _SHORT_ID,
}
_REQUEST = fields_of(REQUEST_FIELDS)


def _records(payload: Mapping[str, Any], new_id: Callable[[], str]) -> tuple[RequestedRecord, ...]:
    """Build the records from the given fields; missing fields are empty."""
    request_id = payload.get("request_id")

    def record(index: int, form: Mapping[str, Any]) -> RequestedRecord:
        root_id, parent_id, action_taken, location = (
            payload.get(name) or form.get(name) or ""
            for name in ("root_id", "parent_id", "action_taken", "storage_location")
        )
        node_id = form.get("node_id")
        if node_id is None:
            node_id = derive_node_id(root_id, parent_id, action_taken, request_id, index) if request_id else new_id()
        return RequestedRecord(root_id, parent_id, action_taken, location, node_id)

    return tuple(record(index, form) for index, form in enumerate(_forms(payload)))


def _forms(payload: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """List the requested records, without the fields given for all records."""
    record = payload.get("record")
    return payload.get("records") or [{"node_id": payload.get("node_id")} if record is None else record]


def _form_faults(payload: Mapping[str, Any]) -> Iterator[Fault]:
    record, records, node_id = map(payload.get, ("record", "records", "node_id"))
    if record is not None and records is not None:
        yield Fault("record", "record and records", "only one of record and records may be given")
    if node_id is not None and (record is not None or records is not None):
        yield Fault("node_id", node_id, "goes inside record or records where one is given")


def _time_faults(recorded_at: int, now_s: int) -> Iterator[Fault]:
    if recorded_at > now_s + AHEAD_MAX_S:
        now = datetime.fromtimestamp(now_s, timezone.utc).isoformat()
        yield Fault("requested_at", recorded_at, f"must not be more than 24 hours after now ({now})")


def _shared_faults(payload: Mapping[str, Any], records: Sequence[RequestedRecord]) -> Iterator[Fault]:
    """Yield a fault for a root, parent or action given neither for all records nor by each."""
    for name in ("root_id", "parent_id", "action_taken"):
        lacking = [index for index, record in enumerate(records) if not getattr(record, name)]
        if len(lacking) == len(records):
            yield Fault(name, None, "is required", missing=True)
        else:
            for index in lacking:
                yield Fault(f"{_prefix(payload, index)}{name}", None, "is required, or for all records", missing=True)


def _record_faults(payload: Mapping[str, Any], records: Sequence[RequestedRecord]) -> Iterator[Fault]:
    seen = Counter((record.root_id, record.node_id) for record in records)
    for index, record in enumerate(records):
        prefix = _prefix(payload, index)
        if not record.storage_location:
            rule = "is required" if prefix else "is required, or record, or records"
            yield Fault(f"{prefix}storage_location", None, rule, missing=True)
        if record.node_id == record.parent_id != record.root_id:
            yield Fault(f"{prefix}node_id", record.node_id, "must not be its own parent (only the root may be)")
        if seen[record.root_id, record.node_id] > 1:
            yield Fault(f"{prefix}node_id", record.node_id, "must be given once in a request")


def _prefix(payload: Mapping[str, Any], index: int) -> str:
    if payload.get("records") is not None:
        return f"records[{index}]."
    return "record." if payload.get("record") is not None else ""
