"""Parsing of the trace queue's messages; rendering needs no models (see `trace`)."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from headwater.aws.items import GET_KEYS_MAX
from headwater.records.field_types import RootId
from headwater.records.trace import TraceRequest
from headwater.times import day_of, is_day
from headwater.validation import invalid
from headwater_model.errors import Invalid

_DAY_S = 24 * 3600

# A trace reads a root's marks of these days in a single request.
_MARKED_MAX = GET_KEYS_MAX
_TEXT_MAX = 2048


def _check_day(text: str) -> str:
    if not is_day(text):
        raise ValueError("must be a day as YYYY-MM-DD")
    return text


_Day = Annotated[str, AfterValidator(_check_day)]


class _TraceRequestModel(BaseModel):
    model_config = ConfigDict(frozen=True)

    root_id: RootId
    day: _Day | None = None
    execution: Annotated[str, Field(min_length=1, max_length=_TEXT_MAX)] | None = None
    started_at: Annotated[int, Field(strict=True, ge=0)] | None = None
    marked: Annotated[tuple[_Day, ...], Field(max_length=_MARKED_MAX)] = ()


def parse_trace_request(body: str, *, message_id: str, sent_at: int) -> TraceRequest:
    """Parse the request in a message; defaults come from the message, so every delivery gives an equal request.

    `sent_at` is the time of the first sending, in seconds since 1970. An object of a day after the next could not be
    sealed for long, and a root's objects never go back to an earlier day.

    Raises:
        Invalid: the message breaks a rule, or names a time or a day later than the day after it was sent.
    """
    try:
        form = _TraceRequestModel.model_validate_json(body)
    except ValidationError as error:
        raise invalid(error, "message") from error
    started_at = sent_at if form.started_at is None else form.started_at
    latest_s = sent_at + _DAY_S
    if started_at > latest_s:
        raise Invalid.because("started_at", started_at, f"must be at most {latest_s}, a day after the message")
    for day in (form.day or "", *form.marked):
        if day > day_of(latest_s):
            raise Invalid.because("day", day, f"must be at the latest {day_of(latest_s)}, the day after the message")
    return TraceRequest(
        root_id=form.root_id,
        day=form.day or day_of(started_at),
        execution=form.execution or message_id,
        started_at=started_at,
        marked=form.marked,
    )
