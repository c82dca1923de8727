"""A lineage request: one step or many, sent by a Step Functions task, a PySpark job or an HTTP caller.

The JSON is Carbonlake's (`record` or `records`), or a top-level `storage_location` as its minimum. Records of different
roots, parents or actions travel in one request if each names its own and the request names none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Annotated

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from headwater.records.field_types import Action, EpochSeconds, NodeId, ParentId, RootId, ShortId, StorageLocation
from headwater.records.record import LineageRecord
from headwater.validation import invalid
from headwater_model.errors import Fault, Invalid, TooLarge
from headwater_model.ids import derive_node_id

RECORDS_MAX = 10_000
# A clock that is further ahead than this is wrong.
AHEAD_MAX_S = 24 * 3600


class RecordModel(BaseModel):
    """A record of a request, with its position in the tree unless the request names one for all records."""

    model_config = ConfigDict(frozen=True)

    root_id: RootId | None = None
    parent_id: ParentId | None = None
    action_taken: Action | None = None
    node_id: NodeId | None = None
    storage_location: StorageLocation | None = None


class RequestModel(BaseModel):
    """A request as it is sent. Unknown fields are ignored: pipelines often pass their whole state along."""

    model_config = ConfigDict(frozen=True)

    root_id: RootId | None = Field(default=None, description="Beside `records` it overrides each one's own.")
    parent_id: ParentId | None = Field(default=None, description="Beside `records` it overrides each one's own.")
    action_taken: Action | None = Field(default=None, description="Beside `records` it overrides each one's own.")
    record: RecordModel | None = None
    records: Annotated[list[RecordModel], Field(min_length=1, max_length=RECORDS_MAX)] | None = None
    storage_location: StorageLocation | None = Field(
        default=None, description="The single record's; beside `record` or `records` it overrides each one's own."
    )
    node_id: NodeId | None = None
    request_id: ShortId | None = Field(
        default=None, description="Names the request, so that a retry makes the same nodes again and no others."
    )
    requested_at: EpochSeconds | None = Field(
        default=None, description="When it was first sent: whole seconds since 1970, or ISO 8601 with a time zone."
    )
    run_id: ShortId | None = None

    def record_models(self) -> list[RecordModel]:
        """Return the requested records, without the fields that the request gives for all of them."""
        if self.record is None and self.records is None:
            return [RecordModel.model_construct(node_id=self.node_id)]
        return self.records or ([self.record] if self.record else [])


@dataclass(frozen=True, slots=True)
class LineageRequest:
    """A valid request: its records, and whether they were sent as a batch."""

    records: tuple[LineageRecord, ...]
    batch: bool


def parse_request(payload: object, *, now_s: int, new_id: Callable[[], str]) -> LineageRequest:
    """Return all records of a request, or raise `Invalid` with every fault found.

    `new_id` names the nodes of a request that carries neither node ids nor a `request_id`.
    """
    if not isinstance(payload, Mapping):
        raise Invalid.because("request", payload, "must be a JSON object")
    try:
        form = RequestModel.model_validate(payload)
    except ValidationError as error:
        raise invalid(error, "request") from error
    records = _records(form, now_s, new_id)
    faults = [
        *_form_faults(form),
        *_time_faults(form, now_s),
        *_place_faults(form, records),
        *_record_faults(form, records),
    ]
    if faults:
        raise Invalid(faults)
    return LineageRequest(records, batch=form.records is not None)


def _records(form: RequestModel, now_s: int, new_id: Callable[[], str]) -> tuple[LineageRecord, ...]:
    """Return the records with the fields that are given; missing fields are empty."""
    recorded_at = now_s if form.requested_at is None else form.requested_at

    def record(index: int, model: RecordModel) -> LineageRecord:
        root_id, parent_id = form.root_id or model.root_id or "", form.parent_id or model.parent_id or ""
        action_taken = form.action_taken or model.action_taken or ""
        node_id = model.node_id
        if node_id is None:
            request_id = form.request_id
            node_id = derive_node_id(root_id, parent_id, action_taken, request_id, index) if request_id else new_id()
        return LineageRecord(
            root_id=root_id,
            node_id=node_id,
            parent_id=parent_id,
            action_taken=action_taken,
            storage_location=form.storage_location or model.storage_location or "",
            recorded_at=recorded_at,
            run_id=form.run_id,
        )

    return tuple(record(index, model) for index, model in enumerate(form.record_models()))


def _form_faults(form: RequestModel) -> Iterator[Fault]:
    if form.record is not None and form.records is not None:
        yield Fault("record", "record and records", "only one of record and records may be given")
    if form.node_id is not None and (form.record is not None or form.records is not None):
        yield Fault("node_id", form.node_id, "goes inside record or records where one is given")


def _time_faults(form: RequestModel, now_s: int) -> Iterator[Fault]:
    if form.requested_at is not None and form.requested_at > now_s + AHEAD_MAX_S:
        now = datetime.fromtimestamp(now_s, timezone.utc).isoformat()
        yield Fault("requested_at", form.requested_at, f"must not be more than 24 hours after now ({now})")


def _place_faults(form: RequestModel, records: tuple[LineageRecord, ...]) -> Iterator[Fault]:
    """Yield a fault for a root, parent or action given neither for all records nor by each."""
    for name in ("root_id", "parent_id", "action_taken"):
        lacking = [index for index, record in enumerate(records) if not getattr(record, name)]
        if len(lacking) == len(records):
            yield Fault(name, None, "is required", missing=True)
        else:
            for index in lacking:
                yield Fault(f"{_place(form, index)}{name}", None, "is required, or for all records", missing=True)


def _record_faults(form: RequestModel, records: tuple[LineageRecord, ...]) -> Iterator[Fault]:
    seen = Counter(record.key for record in records)
    for index, record in enumerate(records):
        place = _place(form, index)
        if not record.storage_location:
            rule = "is required" if place else "is required, or record, or records"
            yield Fault(f"{place}storage_location", None, rule, missing=True)
        if record.node_id == record.parent_id != record.root_id:
            yield Fault(f"{place}node_id", record.node_id, "must not be its own parent (only the root may be)")
        if seen[record.key] > 1:
            yield Fault(f"{place}node_id", record.node_id, "must be given once in a request")


def _place(form: RequestModel, index: int) -> str:
    if form.records is not None:
        return f"records[{index}]."
    return "record." if form.record is not None else ""


def render_response(request: LineageRequest, ttl_s: int) -> dict[str, object]:
    """Return the response for the next step of a Step Functions pipeline: its `parent_id` is this `node_id`.

    `{"root_id", "action_taken", "recordedAt", "ttl_expiry"}` with `node_id` and `storage_location`, or for a batch
    `records: [{"node_id", "storage_location"}]`. Times are whole seconds since 1970 UTC.
    """
    first = request.records[0]
    nodes: list[dict[str, object]] = [
        {"node_id": record.node_id, "storage_location": record.storage_location} for record in request.records
    ]
    return {
        "root_id": first.root_id,
        "action_taken": first.action_taken,
        "recordedAt": first.recorded_at,
        "ttl_expiry": first.recorded_at + ttl_s,
        **({"records": nodes} if request.batch else nodes[0]),
    }


def render_bounded_response(
    request: LineageRequest, ttl_s: int, *, bytes_max: int, size_of: Callable[[bytes], int] = len
) -> dict[str, object]:
    """Return the response, or raise `TooLarge` if it could not be sent: accepted, the request would come again.

    `size_of` returns the bytes that the response's JSON takes on its way back.
    """
    response = render_response(request, ttl_s)
    size = size_of(orjson.dumps(response))
    if size > bytes_max:
        raise TooLarge(f"records: the response must be at most {bytes_max} bytes, got {size}; send fewer at once")
    return response
