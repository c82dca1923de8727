"""A lineage request of a Step Functions task, a PySpark job or an HTTP caller, one step or many, and its response.

The rules of requests are in `headwater_model.record_requests`, for the client, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import orjson

from headwater.records.record import LineageRecord
from headwater_model.errors import TooLarge
from headwater_model.record_requests import parse_record_request


@dataclass(frozen=True, slots=True)
class LineageRequest:
    """A valid request: its records, and True if they were sent as a batch."""

    records: tuple[LineageRecord, ...]
    batch: bool


def parse_request(payload: object, *, now_s: int, new_id: Callable[[], str]) -> LineageRequest:
    """Parse all records of a request, or raise `Invalid` with every fault; see `parse_record_request`."""
    request = parse_record_request(payload, now_s=now_s, new_id=new_id)
    records = (
        LineageRecord(**record._asdict(), recorded_at=request.recorded_at, run_id=request.run_id)
        for record in request.records
    )
    return LineageRequest(tuple(records), request.batch)


def render_response(request: LineageRequest, ttl_s: int) -> dict[str, object]:
    """Render the response for the next step of a Step Functions pipeline, whose `parent_id` is this `node_id`.

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
    """Render the response, or raise `TooLarge` if it cannot be sent: accepted, the request would come again.

    `size_of` counts the bytes of the response's JSON on the wire.
    """
    response = render_response(request, ttl_s)
    size = size_of(orjson.dumps(response))
    if size > bytes_max:
        raise TooLarge(f"records: the response must be at most {bytes_max} bytes, got {size}; send fewer at once")
    return response
