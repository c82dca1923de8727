"""Rendering of records as messages of their queues; `messages` parses them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from headwater.aws.bodies import render_body
from headwater.records.record import LineageRecord


@dataclass(frozen=True, slots=True)
class Refused:
    """A record that breaks a rule, as it was sent, and the reason."""

    body: str
    reason: str


def render_record(record: LineageRecord) -> dict[str, object]:
    """Return the record as Carbonlake's JSON. Metadata is not sent: the load function adds it."""
    form: dict[str, object] = {
        "root_id": record.root_id,
        "parent_id": record.parent_id,
        "action_taken": record.action_taken,
        "recordedAt": record.recorded_at,
        "storage_location": record.storage_location,
        "node_id": record.node_id,
    }
    if record.run_id is not None:
        form["run_id"] = record.run_id
    return form


def render_message(record: LineageRecord) -> str:
    """Return the body of a message with one record."""
    return render_body(render_record(record))


def render_packed(records: Iterable[LineageRecord]) -> str:
    """Return the body of a message, or of an S3 object, with many records."""
    return render_body({"records": [render_record(record) for record in records]})
