"""Routes for OpenLineage events: a single event, or a batch."""

from __future__ import annotations

from functools import partial

from aws_lambda_powertools.event_handler import Response

from headwater.api.access import spend_budget
from headwater.api.http.request import HttpRequest
from headwater.api.http.responses import respond
from headwater.api.route import Reply, Services, Within, event_route
from headwater.api.types import BatchResult, EventBatch, LineageEvent
from headwater.settings import FORWARDED_HEADER

# Handlers import the modules of events themselves, as in `lambdas/input.py`: other cold starts do without them.


def post_event(services: Services, request: HttpRequest) -> Response[str]:
    """Take an OpenLineage event.

    It may be gzipped (`Content-Encoding: gzip`), 4 MB as sent. Sending it again changes nothing.

    Returns:
        Durable in a queue; queries show it within seconds.
    """
    from headwater.events.ingest import accept_event

    body = request.json()
    spend_budget(services, request, 1)
    accepted = accept_event(
        body,
        queue=services.events,
        now=services.now(),
        caller=request.caller,
        rights=request.rights,
        forwarded=FORWARDED_HEADER in request.event.headers,
        spend=partial(spend_budget, services, request),
    )
    services.count_all(accepted.counts)
    return Response(201, body="")


def post_events(services: Services, request: HttpRequest) -> Response[str]:
    """Take a batch of OpenLineage events.

    Each is taken or refused by itself; at most 1000, 4 MB as sent, gzipped or not.

    Returns:
        All are durable.
    """
    from headwater.events.ingest import accept_events, render_accepted

    bodies = request.json()
    spend_budget(services, request, len(bodies) if isinstance(bodies, list) else 0)
    accepted = accept_events(
        bodies,
        services.events,
        now=services.now(),
        caller=request.caller,
        rights=request.rights,
        spend=partial(spend_budget, services, request),
    )
    services.count_all(accepted.counts)
    return respond(render_accepted(accepted)) if accepted.failed else Response(204, body="")


ROUTES = (
    event_route(
        "POST",
        "/api/v1/lineage",
        post_event,
        within=Within.EVENTS,
        accepts=LineageEvent,
        status=201,
        errors=(400, 413, 422, 429, 503),
    ),
    event_route(
        "POST",
        "/api/v1/lineage/batch",
        post_events,
        within=Within.EVENTS,
        accepts=EventBatch,
        status=204,
        replies=(Reply(200, BatchResult, "Some are durable; which are not, and why."),),
        errors=(400, 413, 422, 429),
    ),
)
