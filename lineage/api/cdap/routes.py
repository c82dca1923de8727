"""The routes of CDAP's designs. What is not known has no lineage: 200, and nothing in it."""

from __future__ import annotations

import orjson
from aws_lambda_powertools.event_handler import Response

from lineage.api.answers import answer_within
from lineage.api.cdap import query
from lineage.api.cdap.views import render_detail, render_mapping, render_paths
from lineage.api.request import HttpRequest
from lineage.api.route import Route
from lineage.api.services import Services
from lineage.api.time_range import parse_range

# The design's answers have no room to say that they were cut.
TRUNCATED = "X-Truncated"
_NAMESPACE = "/v3/namespaces/<namespace>"


def get_mappings(services: Services, request: HttpRequest) -> Response[str]:
    """Which fields of which endpoints went into an endpoint's, and its own into others'."""
    asked = parse_range(request, services.now_s())
    found = services.fields.find_mappings(query.endpoint(request), asked.window, level=query.level(request))
    return _answer(services, [render_mapping(one) for one in found.items], truncated=found.truncated)


def get_detail(services: Services, request: HttpRequest) -> Response[str]:
    """The operations that made a field of others, or others of it; one level."""
    asked, field, direction = parse_range(request, services.now_s()), query.field(request), query.direction(request)
    found = services.fields.find_detail(query.endpoint(request), field, asked.window, direction)
    return _answer(services, render_detail(found), truncated=found.truncated)


def get_paths(services: Services, request: HttpRequest) -> Response[str]:
    """The different ways in which a field was made, and the runs that took each."""
    asked, field, view = parse_range(request, services.now_s()), query.field(request), query.view(request)
    found = services.fields.find_paths(query.endpoint(request), field, asked.window)
    return _answer(services, render_paths(found, field, asked, view), truncated=found.truncated)


def _answer(services: Services, form: object, *, truncated: bool) -> Response[str]:
    return answer_within(services, orjson.dumps(form), headers={TRUNCATED: "true"} if truncated else None)


ROUTES = (
    Route("GET", f"{_NAMESPACE}/endpoints/<endpoint>/fields/lineage", get_mappings),
    Route("GET", f"{_NAMESPACE}/endpoints/<endpoint>/fields/<field>/lineage", get_detail),
    Route("GET", f"{_NAMESPACE}/datasets/<dataset>/fields/<field>/lineage", get_paths),
)
