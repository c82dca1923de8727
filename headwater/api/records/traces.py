"""Routes of a root's trace: its lines in the response, behind a link, or later; and the demand to archive it now.

GET trace             200 the lines, or 303 to them in S3, or 202 and the location to poll, `?after=<version>`
GET trace?after=v     303 once an archive later than version v is committed, else 202; demands nothing
POST trace            202 and the same location to poll
"""

from __future__ import annotations

from collections.abc import Callable

from aws_lambda_powertools.event_handler import Response

from headwater.api.http.parameters import number
from headwater.api.http.request import HttpRequest
from headwater.api.http.responses import LINES, RESPONSE_BYTES_MAX, fit_within, respond, within
from headwater.api.records.parameters import ROOT_ID
from headwater.api.records.types import Outline, TraceQueued
from headwater.api.records.views import render_group
from headwater.api.route import Reply, Services, Within, record_route
from headwater.api.types import Redirect
from headwater.aws.queues import Message, send_all
from headwater.records.dirty_roots import DirtyRoot
from headwater.records.forest import outline_of
from headwater.records.live_records import is_known, unknown_root
from headwater.records.pointers import LastArchive
from headwater.records.root_records import RootRecords, read_root
from headwater.records.trace_message import TraceRequest, render_trace_request
from headwater.times import day_of, days_between, shift
from headwater_model.errors import TooLarge, print_value

# The bound of a trace within a request; a larger root needs the trace function.
RECORDS_MAX = 50_000
# The rest of the request's time, enough to demand a trace instead.
_RESERVE_S = 8.0
_POLL_S = 30
# The bytes around the groups of an outline, and the most bytes for a byte of the root's id.
_FRAME_BYTES = 200
_ESCAPED_BYTES = 8
AFTER = number(
    "after",
    "From a `Location` to poll: returns the archive once it is later than this version.",
    least=0,
    most=10**9,
)
# A finished mark is stored for 40 days, and some more until TTL removes it.
_LOOK_BACK_DAYS = 60


def get_trace(services: Services, request: HttpRequest) -> Response[str]:
    """Trace a root: everything known of it, a line for each leaf.

    Live, expired and archived records together. Responses above 4 MB are links.

    Returns:
        A `TraceLine` a line.
    """
    root_id = ROOT_ID.read(request)
    after = AFTER.read(request)
    if after is not None:
        return _poll(services, root_id, after)

    try:
        findings = read_root(root_id, services.sources, records_max=RECORDS_MAX, check=check_time(request))
        if not findings.records:
            raise unknown_root(root_id)
        return _lines(services, findings)
    except TooLarge:
        return _respond_or_demand(services, root_id)


def get_outline(services: Services, request: HttpRequest) -> Response[str]:
    """Outline a root: everything known of it, folded by action.

    Live, expired and archived records together, as in a trace. Above 50,000 records the status is 413: read the trace
    instead.

    Returns:
        Groups of records by their chain of actions, with counts, times and three examples each.
    """
    root_id = ROOT_ID.read(request)
    trace = read_root(root_id, services.sources, records_max=RECORDS_MAX, check=check_time(request))
    if not trace.records:
        raise unknown_root(root_id)
    rendered = [render_group(number, group) for number, group in enumerate(outline_of(trace.forest()))]
    groups = list(fit_within(rendered, RESPONSE_BYTES_MAX - len(root_id.encode()) * _ESCAPED_BYTES - _FRAME_BYTES))
    body: Outline = {
        "root_id": root_id,
        "records": trace.count,
        "groups": groups,
        "truncated": len(groups) < len(rendered),
    }
    return respond(body)


def post_trace(services: Services, request: HttpRequest) -> Response[str]:
    """Trace and archive a root now.

    Returns:
        The root's trace is queued. Poll the `Location`.
    """
    root_id = ROOT_ID.read(request)
    if not is_known(root_id, services.sources):
        raise unknown_root(root_id)
    pointer = services.sources.pointers.find(root_id)
    _demand(services, root_id, marked=())
    return _later(root_id, pointer)


def check_time(request: HttpRequest) -> Callable[[], None]:
    """Build a check that raises `TooLarge` shortly before the end of the request's time."""

    def check() -> None:
        if request.remaining_s() < _RESERVE_S:
            raise TooLarge("the request's time is nearly over")

    return check


def _lines(services: Services, findings: RootRecords) -> Response[str]:
    body, lines = within(findings.lines(None))
    if body is not None:
        return Response(200, LINES, body)
    pointer = findings.pointer
    # The root's archive object may hold every record that was read.
    if pointer is not None and pointer.object.records == len(findings.records) and not findings.displaced:
        return services.links.to_archive(pointer.object.key)
    return services.links.to_object(lines, LINES)


def _respond_or_demand(services: Services, root_id: str) -> Response[str]:
    """Link to the archive if nothing has happened since it was written; else demand a trace."""
    pointer = services.sources.pointers.find(root_id)
    dirty = _dirty(services, root_id)
    if pointer is not None and not dirty and next(services.sources.staged.read(root_id), None) is None:
        return services.links.to_archive(pointer.object.key)
    _refuse_if_left(root_id, dirty)
    # With the days named, a second demand for the same records traces nothing.
    _demand(services, root_id, marked=tuple(mark.day for mark in dirty))
    return _later(root_id, pointer)


def _poll(services: Services, root_id: str, after: int) -> Response[str]:
    pointer = services.sources.pointers.find(root_id)
    if pointer is not None and pointer.version > after:
        return services.links.to_archive(pointer.object.key)
    if pointer is None and not is_known(root_id, services.sources):
        raise unknown_root(root_id)
    _refuse_if_left(root_id, _dirty(services, root_id))
    return _respond_queued(root_id, after)


def _later(root_id: str, pointer: LastArchive | None) -> Response[str]:
    return _respond_queued(root_id, pointer.version if pointer else 0)


def _respond_queued(root_id: str, after: int) -> Response[str]:
    body: TraceQueued = {"root_id": root_id, "status": "queued"}
    # Relative to the path of the request, for any stage or domain before the API.
    return respond(body, status=202, headers={"Location": f"?after={after}", "Retry-After": str(_POLL_S)})


def _dirty(services: Services, root_id: str) -> list[DirtyRoot]:
    today = day_of(services.now_s())
    marks = services.dirty_roots.find_on(root_id, days_between(shift(today, -_LOOK_BACK_DAYS), today))
    return [mark for mark in marks if mark.is_dirty]


def _refuse_if_left(root_id: str, dirty: list[DirtyRoot]) -> None:
    if any(mark.is_refused for mark in dirty):
        raise TooLarge(
            f"root {print_value(root_id)} has too many steps in its lines; its outline and searches have its records"
        )
    if dirty and not any(mark.is_pending for mark in dirty):
        raise TooLarge(
            f"root {print_value(root_id)} is too large for the trace function; it is left to the Spark tracer"
        )


def _demand(services: Services, root_id: str, *, marked: tuple[str, ...]) -> None:
    now_s = services.now_s()
    request = TraceRequest(root_id, day_of(now_s), services.new_id(), now_s, marked)
    send_all(services.sqs, services.trace_queue_url, [Message(render_trace_request(request))])


_TRACE = "/api/v1/records/roots/<root_id>/trace"
_POLLED = ("Location", "Retry-After")
ROUTES = (
    record_route(
        "GET",
        _TRACE,
        get_trace,
        within=Within.ROOT,
        parameters=(ROOT_ID, AFTER),
        returns=str,
        content_types=(LINES,),
        errors=(400, 404, 413, 503),
        replies=(
            Reply(
                303, Redirect, "The lines lie in S3, gzipped, behind this link for 15 minutes.", headers=("Location",)
            ),
            Reply(202, TraceQueued, "Too large to be traced at once. `Location` is where to poll.", headers=_POLLED),
        ),
    ),
    record_route(
        "GET",
        "/api/v1/records/roots/<root_id>/outline",
        get_outline,
        within=Within.ROOT,
        parameters=(ROOT_ID,),
        returns=Outline,
        errors=(400, 404, 413, 503),
    ),
    record_route(
        "POST",
        _TRACE,
        post_trace,
        within=Within.ROOT,
        parameters=(ROOT_ID,),
        returns=TraceQueued,
        status=202,
        headers=_POLLED,
    ),
)
