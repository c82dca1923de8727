"""Parsing of the records queues' messages: one record (Carbonlake's JSON), many packed, or a pointer to S3."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from headwater.aws.bodies import StoredBody, parse_body, parse_pointer, render_body
from headwater.records.field_types import Action, EpochSeconds, NodeId, ParentId, RootId, ShortId, StorageLocation
from headwater.records.record import LineageRecord, Refused
from headwater.validation import invalid
from headwater_model.errors import Invalid
from headwater_model.json_checks import field_path


class _RecordModel(BaseModel):
    """A record in a message: as Carbonlake's input function publishes it, with `run_id`."""

    model_config = ConfigDict(frozen=True)

    root_id: RootId
    parent_id: ParentId
    action_taken: Action
    recordedAt: Annotated[EpochSeconds, Field(lt=2**63)]  # noqa: N815 - Carbonlake's spelling
    storage_location: StorageLocation
    node_id: NodeId
    run_id: ShortId | None = None


@dataclass(frozen=True, slots=True)
class Packed:
    """The records of a packed body: the valid and the refused."""

    records: list[LineageRecord] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)


def parse_message(body: str | bytes) -> LineageRecord | Packed | StoredBody:
    """Parse a message, or raise `Invalid`; wrong records of a pack are refused by themselves."""
    document = parse_body(body)
    if "s3" in document:
        return parse_pointer(document["s3"])
    if "records" in document:
        return _parse_pack(document["records"])
    return parse_record(document)


def parse_record(form: object) -> LineageRecord:
    """Parse Carbonlake's JSON, or raise `Invalid` with every fault."""
    try:
        record = _RecordModel.model_validate(form)
    except ValidationError as error:
        raise invalid(error, "record") from error
    return LineageRecord(
        root_id=record.root_id,
        node_id=record.node_id,
        parent_id=record.parent_id,
        action_taken=record.action_taken,
        storage_location=record.storage_location,
        recorded_at=record.recordedAt,
        run_id=record.run_id,
    )


def _parse_pack(forms: object) -> Packed:
    if not isinstance(forms, list) or not forms:
        raise Invalid.because("records", forms, "must be a list of at least one record")
    packed = Packed()
    for index, form in enumerate(forms):
        try:
            packed.records.append(parse_record(form))
        except Invalid as error:
            packed.refused.append(Refused(render_body(form), f"{field_path(('records', index))}: {error}"))
    return packed
