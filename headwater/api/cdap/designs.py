"""Routes of CDAP's designs. What is unknown has no lineage: 200, and nothing in it."""

from __future__ import annotations

from collections.abc import Mapping

from aws_lambda_powertools.event_handler import Response

from headwater.api.cdap import design_types as types
from headwater.api.cdap.design_views import View, render_detail, render_mapping, render_paths
from headwater.api.cdap.parameters import DATASET, DIRECTION, ENDPOINT, FIELD, RANGE, read_endpoint
from headwater.api.cdap.responses import cdap_route, respond_cut
from headwater.api.http.parameters import choice, number
from headwater.api.http.request import HttpRequest
from headwater.api.http.requested_range import read_range
from headwater.api.services import Services

_VIEWS: Mapping[str, View] = {"simple": "simple", "detailed": "detailed"}
_LEVEL = number("level", "How many endpoints far, in each direction.", least=1, most=1_000).default(10)
_VIEW = choice("view", "How to draw each path, if not as operations in their order.", _VIEWS)


def get_field_mappings(services: Services, request: HttpRequest) -> Response[str]:
    """Map the fields of an endpoint to those they came from and went into.

    What is unknown is empty. `X-Truncated: true` if there was more than a request may read.

    Returns:
        By (source, destination).
    """
    requested = read_range(request, services.now_s())
    endpoint = read_endpoint(request, ENDPOINT)
    mappings = services.queries.find_mappings(endpoint, requested.time_range, level=_LEVEL.read(request))
    kinds = dict(mappings.types)
    return respond_cut(
        services, [render_mapping(mapping, kinds) for mapping in mappings.items], truncated=mappings.truncated
    )


def get_field_detail(services: Services, request: HttpRequest) -> Response[str]:
    """Return the operations that made a field, or took it.

    What is unknown is empty. `X-Truncated: true` if there was more than a request may read.

    Returns:
        One level: from the endpoints that were read to those that were written.
    """
    requested, field, direction = read_range(request, services.now_s()), FIELD.read(request), DIRECTION.read(request)
    detail = services.queries.find_detail(read_endpoint(request, ENDPOINT), field, requested.time_range, direction)
    return respond_cut(services, render_detail(detail), truncated=detail.truncated)


def get_field_paths(services: Services, request: HttpRequest) -> Response[str]:
    """Return the different paths in which a field was made.

    What is unknown is empty. `X-Truncated: true` if there was more than a request may read.

    Returns:
        That of the newest run first.
    """
    requested, field, view = read_range(request, services.now_s()), FIELD.read(request), _VIEW.read(request)
    paths = services.queries.find_paths(read_endpoint(request, DATASET), field, requested.time_range)
    return respond_cut(services, render_paths(paths, field, requested, view), truncated=paths.truncated)


ROUTES = (
    cdap_route(
        "endpoints/<endpoint>/fields/lineage",
        get_field_mappings,
        ENDPOINT,
        *RANGE,
        _LEVEL,
        returns=types.FieldMappings,
    ),
    cdap_route(
        "endpoints/<endpoint>/fields/<field>/lineage",
        get_field_detail,
        ENDPOINT,
        FIELD,
        *RANGE,
        DIRECTION,
        returns=types.FieldDetail,
    ),
    cdap_route(
        "datasets/<dataset>/fields/<field>/lineage",
        get_field_paths,
        DATASET,
        FIELD,
        *RANGE,
        _VIEW,
        returns=types.FieldPaths,
    ),
)
