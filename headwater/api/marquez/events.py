"""The route of raw events."""

from __future__ import annotations

from functools import partial

from aws_lambda_powertools.event_handler import Response

from headwater.api.http.parameters import choice, moment, text
from headwater.api.http.request import HttpRequest
from headwater.api.marquez import types
from headwater.api.marquez.parameters import LIMIT, OFFSET, read_paging
from headwater.api.marquez.responses import require, respond_list
from headwater.api.route import Services, Within, read_route

_AFTER = moment("after", "From this time on.")
_BEFORE = moment("before", "Before this time.")
_RUN_ID = text("runId", "Ours: the events of this run alone, of its latest hundred times.")
_NEWEST_FIRST = choice("sortDirection", "By eventTime.", {"desc": True, "asc": False}).default(True, "desc")


def list_events(services: Services, request: HttpRequest) -> Response[str]:
    """List run events as they were sent.

    Returns:
        By eventTime. If runs in several namespaces have the `runId`, the events of the earliest run within the caller's
        rights.
    """
    list_events = services.event_log.list_events
    if (run_id := _RUN_ID.read(request)) is not None:
        run = require(services.queries.find_run_key(run_id), "Run", run_id)
        list_events = partial(services.event_log.list_run_events, run)
    events = list_events(
        before=_BEFORE.read(request),
        after=_AFTER.read(request),
        newest_first=_NEWEST_FIRST.read(request),
        **read_paging(request),
    )
    return respond_list(services.links, "events", events, events.items)


ROUTES = (
    read_route(
        "/api/v1/events/lineage",
        list_events,
        Within.SEEN,
        (_RUN_ID, _AFTER, _BEFORE, _NEWEST_FIRST, LIMIT, OFFSET),
        types.RawEvents,
    ),
)
