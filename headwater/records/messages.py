"""Parsing of the records queues' messages: one record (Carbonlake's JSON), many packed, or a pointer to S3."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from headwater.aws.bodies import StoredBody, parse_body, parse_pointer, render_body
from headwater.records.record import LineageRecord, Refused
from headwater_model.errors import Invalid
from headwater_model.json_checks import faults_of, field_path, fields_of
from headwater_model.record_requests import LIMITS, REQUEST_FIELDS, parse_seconds

# A record in a message: as Carbonlake's input function publishes it, with `run_id`.
_RECORD = fields_of(
    {**{name: REQUEST_FIELDS[name] for name in (*LIMITS, "run_id")}, "recordedAt": REQUEST_FIELDS["requested_at"]},
    required=(*LIMITS, "recordedAt"),
)


@dataclass(frozen=True, slots=True)
class Packed:
    """The records of a packed body: the valid and the refused."""

    records: list[LineageRecord] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)


def parse_message(body: str | bytes) -> Packed | StoredBody:
    """Parse a message, or raise `Invalid`; wrong records of a pack are refused by themselves."""
    document = parse_body(body)
    if "s3" in document:
        return parse_pointer(document["s3"])
    if "records" in document:
        return _parse_pack(document["records"])
    return Packed([parse_record(document)])


def parse_record(form: Any) -> LineageRecord:
    """Parse Carbonlake's JSON, or raise `Invalid` with every fault."""
    if faults := faults_of(_RECORD, form, "record"):
        raise Invalid(faults)
    given = {name: form[name] for name in LIMITS}
    return LineageRecord(**given, recorded_at=parse_seconds(form["recordedAt"]), run_id=form.get("run_id"))


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
