"""A demand to trace a root, as the trace queue carries it: the seed's `{"root_id"}`, and what is known beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from lineage.aws.bodies import render_body
from lineage.days import day_of
from lineage.records.wire import RootId
from lineage.wire import invalid

_Day = Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")]


@dataclass(frozen=True, slots=True)
class TraceRequest:
    """What to trace, for which day (YYYY-MM-DD), and the compaction that it is a step of (seconds since 1970).

    `marked` are days on which compaction found the root dirty; a request by hand names none, and always traces.
    """

    root_id: str
    day: str
    execution: str
    started_at: int
    marked: tuple[str, ...] = ()


class _Form(BaseModel):
    model_config = ConfigDict(frozen=True)

    root_id: RootId
    day: _Day | None = None
    execution: Annotated[str, Field(min_length=1)] | None = None
    started_at: Annotated[int, Field(strict=True, ge=0)] | None = None
    marked: tuple[_Day, ...] = ()


def render_trace_request(request: TraceRequest) -> str:
    """The body of its message."""
    form = {
        "root_id": request.root_id,
        "day": request.day,
        "execution": request.execution,
        "started_at": request.started_at,
        "marked": request.marked,
    }
    return render_body(form)


def parse_trace_request(body: str, *, message_id: str, sent_at: int) -> TraceRequest:
    """What a message demands; what it leaves out follows from the message, so that every delivery gives the same.

    `sent_at` is when it was first sent, in seconds since 1970. Raises `Invalid`.
    """
    try:
        form = _Form.model_validate_json(body)
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
