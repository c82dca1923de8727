"""Requests for traces, and their messages: Carbonlake's `{"root_id"}`, with optional fields."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from headwater.aws.bodies import parse_body, render_body
from headwater.aws.items import GET_KEYS_MAX
from headwater.aws.queues import QueuedMessage
from headwater.times import day_of, is_day
from headwater_model.errors import Invalid
from headwater_model.json_checks import at_most, faults_of, fields_of, list_of, not_empty, text
from headwater_model.record_requests import REQUEST_FIELDS, parse_seconds

_DAY_S = 24 * 3600


_DAY = text(lambda day: None if is_day(day) else "must be a day as YYYY-MM-DD")
_MESSAGE = fields_of(
    {
        "root_id": REQUEST_FIELDS["root_id"],
        "day": _DAY,
        "execution": text(not_empty, at_most(2048)),
        "started_at": REQUEST_FIELDS["requested_at"],
        # A trace reads a root's marks of these days in a single request.
        "marked": list_of(_DAY, most=GET_KEYS_MAX),
    },
    required=("root_id",),
)


@dataclass(frozen=True, slots=True)
class TraceRequest:
    """A root to trace, the day of the trace (YYYY-MM-DD), and its compaction (started at seconds since 1970).

    `marked` are days of dirty marks, as compaction found them; a request by hand names no day, and always traces.
    """

    root_id: str
    day: str
    execution: str
    started_at: int
    marked: tuple[str, ...] = ()


def render_trace_request(request: TraceRequest) -> str:
    """Render the body of the request's message: `{"root_id":"file-1","day":"2026-11-20",...}`."""
    return render_body(asdict(request))


def parse_trace_request(message: QueuedMessage) -> TraceRequest:
    """Parse the request in a message; defaults come from the message, so every delivery gives an equal request.

    An object of a day after the next could not be sealed for long, and a root's objects never go back in days.

    Raises:
        Invalid: the message breaks a rule, or names a time or a day later than the day after it was sent.
    """
    form, sent_at = parse_body(message.body), (message.sent_ms or 0) // 1000
    if faults := faults_of(_MESSAGE, form, "message"):
        raise Invalid(faults)
    given = {name: value for name, value in form.items() if value is not None}
    started_at, latest_s = parse_seconds(given.get("started_at", sent_at)), sent_at + _DAY_S
    if started_at > latest_s:
        raise Invalid.because("started_at", started_at, f"must be at most {latest_s}, a day after the message")
    day, marked = given.get("day") or day_of(started_at), tuple(given.get("marked", ()))
    for named in (day, *marked):
        if named > day_of(latest_s):
            raise Invalid.because("day", named, f"must be at the latest {day_of(latest_s)}, the day after the message")
    return TraceRequest(form["root_id"], day, given.get("execution", message.message_id), started_at, marked)
