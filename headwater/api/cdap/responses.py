"""Responses of CDAP's routes. What is unknown has no lineage: 200, and nothing in it."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import Response

from headwater.api.cdap.parameters import NAMESPACE
from headwater.api.http.links import respond_json
from headwater.api.http.parameters import AnyParameter
from headwater.api.route import Handler, Route
from headwater.api.services import Services

# CDAP's responses have no field that marks them as cut.
_TRUNCATED = "X-Truncated"


def respond_cut(services: Services, body: object, *, truncated: bool) -> Response[str]:
    """Return the JSON, or a redirect to it where it is large; a header says if it was cut."""
    return respond_json(services.links, body, {_TRUNCATED: "true"} if truncated else None)


def cdap_route(path: str, handler: Handler, *parameters: AnyParameter, returns: object) -> Route:
    """Return a route of a namespace."""
    return Route(
        "GET",
        f"/v3/namespaces/<namespace>/{path}",
        handler,
        parameters=(NAMESPACE, *parameters),
        returns=returns,
        headers=(_TRUNCATED,),
        errors=(400, 503),
    )
