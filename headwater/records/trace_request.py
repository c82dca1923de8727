"""A request to trace a root, as the trace queue carries it: Carbonlake's `{"root_id"}`, and optional fields."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.aws.bodies import render_body


@dataclass(frozen=True, slots=True)
class TraceRequest:
    """A root to trace, the day of the trace (YYYY-MM-DD), and its compaction (started at seconds since 1970).

    `marked` are days on which compaction found the root dirty; a request by hand names none, and always traces.
    """

    root_id: str
    day: str
    execution: str
    started_at: int
    marked: tuple[str, ...] = ()


def render_trace_request(request: TraceRequest) -> str:
    """Return the body of the request's message."""
    form = {
        "root_id": request.root_id,
        "day": request.day,
        "execution": request.execution,
        "started_at": request.started_at,
        "marked": request.marked,
    }
    return render_body(form)
