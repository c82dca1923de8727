"""The route of raw events."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import Response

from lineage.api.marquez import types
from lineage.api.marquez.parameters import LIMIT, OFFSET, read_paging
from lineage.api.marquez.responses import respond_list
from lineage.api.parameters import choice, moment
from lineage.api.request import HttpRequest
from lineage.api.route import Route
from lineage.api.services import Services

_AFTER = moment("after", "From this time on.")
_BEFORE = moment("before", "Before this time.")
_NEWEST_FIRST = choice("sortDirection", "By eventTime.", {"desc": True, "asc": False}, default="desc")


def list_events(services: Services, request: HttpRequest) -> Response[str]:
    """List run events as they were sent.

    Returns:
        By eventTime.
    """
    limit, offset = read_paging(request)
    events = services.event_log.list_events(
        before=_BEFORE.read(request),
        after=_AFTER.read(request),
        newest_first=_NEWEST_FIRST.read(request),
        limit=limit,
        offset=offset,
    )
    return respond_list(services.links, "events", events, events.items)


ROUTES = (
    Route(
        "GET",
        "/api/v1/events/lineage",
        list_events,
        parameters=(_AFTER, _BEFORE, _NEWEST_FIRST, LIMIT, OFFSET),
        returns=types.RawEvents,
        errors=(400, 503),
    ),
)
