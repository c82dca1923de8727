"""The routes that take OpenLineage events, one or a batch."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import Response

from lineage.api.answers import answer
from lineage.api.request import HttpRequest
from lineage.api.route import Route
from lineage.api.services import Services
from lineage.openlineage.ingest import accept_event, accept_events, render_accepted


def post_event(services: Services, request: HttpRequest) -> Response[str]:
    """Accept an event."""
    accept_event(request.json(), services.events, now=services.now(), caller=request.caller)
    services.count("EventsAccepted", 1)
    return Response(201, body="")


def post_events(services: Services, request: HttpRequest) -> Response[str]:
    """Accept each event of a batch that can be: 204 if all were, else 200 and what became of them."""
    accepted = accept_events(request.json(), services.events, now=services.now(), caller=request.caller)
    services.count("EventsAccepted", accepted.received - len(accepted.failed))
    return answer(render_accepted(accepted)) if accepted.failed else Response(204, body="")


ROUTES = (
    Route("POST", "/api/v1/lineage", post_event),
    Route("POST", "/api/v1/lineage/batch", post_events),
)
