"""A route of a report, as JSON or as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aws_lambda_powertools.event_handler import Response

from headwater.api.http.parameters import AnyParameter, choice
from headwater.api.http.request import HttpRequest
from headwater.api.http.responses import CSV, JSON, respond_json, respond_or_link
from headwater.api.route import Handler, Route, Services, Within

IS_TABLE = choice("format", "Without it `Accept: text/csv` requests a table.", {"json": False, "csv": True})
_KINDS = frozenset({"application/json", "text/csv"})


def is_table(request: HttpRequest, parameters: Sequence[AnyParameter]) -> bool:
    """True if a table is requested: by `format`, else by the first known kind of the header Accept.

    `Accept: text/html, text/csv, application/json` requests a table.

    Raises:
        Invalid: the request has an unknown parameter.
    """
    request.refuse_unknown([parameter.name for parameter in parameters])
    chosen = IS_TABLE.read(request)
    if chosen is not None:
        return chosen
    accepted = (
        kind.partition(";")[0].strip() for kind in (request.event.headers.get("Accept") or "").lower().split(",")
    )
    return next((kind for kind in accepted if kind in _KINDS), None) == "text/csv"


def respond(services: Services, request: HttpRequest, report: str | Mapping[str, object]) -> Response[str]:
    """Respond with a report: text is a table, in a file with its route's name (`usage.csv`)."""
    if not isinstance(report, str):
        return respond_json(services.links, report)
    name = request.event.path.rpartition("/")[2]
    headers = {"Content-Disposition": f'attachment; filename="{name}.csv"'}
    return respond_or_link(services.links, report.encode(), CSV, headers)


def report_route(
    name: str, handler: Handler, within: Within, parameters: tuple[AnyParameter, ...], returns: object
) -> Route:
    """Make the route `/api/v1/reports/<name>`, as JSON or as a table."""
    return Route(
        "GET",
        f"/api/v1/reports/{name}",
        handler,
        scope="read",
        within=within,
        parameters=parameters,
        returns=returns,
        content_types=(JSON, CSV),
        headers=("Content-Disposition",),
    )
