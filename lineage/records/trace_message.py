"""Parsing of the trace queue's messages; rendering needs no models (see `trace_request`)."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from lineage.records.field_types import RootId
from lineage.records.trace_request import TraceRequest
from lineage.times import day_of
from lineage.validation import invalid

_Day = Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")]


class _TraceRequestModel(BaseModel):
    model_config = ConfigDict(frozen=True)

    root_id: RootId
    day: _Day | None = None
    execution: Annotated[str, Field(min_length=1)] | None = None
    started_at: Annotated[int, Field(strict=True, ge=0)] | None = None
    marked: tuple[_Day, ...] = ()


def parse_trace_request(body: str, *, message_id: str, sent_at: int) -> TraceRequest:
    """Return the request in a message; defaults come from the message, so that every delivery gives the same.

    `sent_at` is the time when it was first sent, in seconds since 1970. Raises `Invalid`.
    """
    try:
        form = _TraceRequestModel.model_validate_json(body)
    except ValidationError as error:
        raise invalid(error, "message") from error
    started_at = sent_at if form.started_at is None else form.started_at
    return TraceRequest(
        root_id=form.root_id,
        day=form.day or day_of(started_at),
        execution=form.execution or message_id,
        started_at=started_at,
        marked=form.marked,
    )
