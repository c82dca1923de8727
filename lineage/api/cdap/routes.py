"""Routes of CDAP's designs. What is unknown has no lineage: 200, and nothing in it."""

from __future__ import annotations

from collections.abc import Mapping

from aws_lambda_powertools.event_handler import Response

from lineage.api.cdap import types
from lineage.api.cdap.views import View, render_detail, render_mapping, render_paths
from lineage.api.links import respond_json
from lineage.api.parameters import AnyParameter, Parameter, number, path_value, segment, word
from lineage.api.request import HttpRequest
from lineage.api.requested_range import END, START, read_range
from lineage.api.route import Handler, Route
from lineage.api.services import Services
from lineage.queries.columns.results import Direction
from lineage_model.field_paths import parse_slashed
from lineage_model.ids import DatasetId, FieldPath

# The designs' responses have no field that marks them as cut.
_TRUNCATED = "X-Truncated"
_VIEWS: Mapping[str, View] = {"simple": "simple", "detailed": "detailed"}
# The design's words, and those of CDAP's own routes.
_DIRECTIONS: Mapping[str, Direction] = {
    "backward": "backward",
    "forward": "forward",
    "both": "both",
    "incoming": "backward",
    "outgoing": "forward",
}

_NAMESPACE = segment("namespace", "s3://flights")
# An endpoint is a dataset, and called so by some routes.
_ENDPOINT = segment("endpoint", "estimated")
_DATASET = segment("dataset", "estimated")
_FIELD: Parameter[FieldPath] = path_value(
    "field",
    {"type": "string", "minLength": 1, "examples": ["co2_kg"]},
    lambda request: parse_slashed(request.segment("field")),
    "A path: `employees%2Fname`.",
)
_LEVEL = number("level", "How many endpoints far, in each direction.", least=1, most=1_000, default=10)
_DIRECTION = word(
    "direction", "In any case; `incoming` is `backward`, `outgoing` is `forward`.", _DIRECTIONS, default="both"
)
_VIEW = word("view", "How to draw each path, if not as operations in their order.", _VIEWS)


def get_field_mappings(services: Services, request: HttpRequest) -> Response[str]:
    """Map the fields of an endpoint to those they came from and went into.

    What is unknown is empty. `X-Truncated: true` if there was more than a request may read.

    Returns:
        By (source, destination).
    """
    requested = read_range(request, services.now_s())
    endpoint = _read_endpoint(request, _ENDPOINT)
    found = services.queries.find_mappings(endpoint, requested.window, level=_LEVEL.read(request))
    return _respond(services, [render_mapping(one) for one in found.items], truncated=found.truncated)


def get_field_detail(services: Services, request: HttpRequest) -> Response[str]:
    """Return the operations that made a field, or took it.

    What is unknown is empty. `X-Truncated: true` if there was more than a request may read.

    Returns:
        One level: from the endpoints that were read to those that were written.
    """
    requested, field, direction = read_range(request, services.now_s()), _FIELD.read(request), _DIRECTION.read(request)
    found = services.queries.find_detail(_read_endpoint(request, _ENDPOINT), field, requested.window, direction)
    return _respond(services, render_detail(found), truncated=found.truncated)


def get_field_paths(services: Services, request: HttpRequest) -> Response[str]:
    """Return the different paths in which a field was made.

    What is unknown is empty. `X-Truncated: true` if there was more than a request may read.

    Returns:
        That of the newest run first.
    """
    requested, field, view = read_range(request, services.now_s()), _FIELD.read(request), _VIEW.read(request)
    found = services.queries.find_paths(_read_endpoint(request, _DATASET), field, requested.window)
    return _respond(services, render_paths(found, field, requested, view), truncated=found.truncated)


def _read_endpoint(request: HttpRequest, name: Parameter[str]) -> DatasetId:
    return DatasetId(_NAMESPACE.read(request), name.read(request))


def _respond(services: Services, body: object, *, truncated: bool) -> Response[str]:
    return respond_json(services.links, body, {_TRUNCATED: "true"} if truncated else None)


def _route(path: str, handler: Handler, *parameters: AnyParameter, returns: object) -> Route:
    return Route(
        "GET",
        f"/v3/namespaces/<namespace>/{path}",
        handler,
        parameters=(_NAMESPACE, *parameters),
        returns=returns,
        headers=(_TRUNCATED,),
        errors=(400, 503),
    )


_RANGE = (START, END)
ROUTES = (
    _route(
        "endpoints/<endpoint>/fields/lineage",
        get_field_mappings,
        _ENDPOINT,
        *_RANGE,
        _LEVEL,
        returns=types.FieldMappings,
    ),
    _route(
        "endpoints/<endpoint>/fields/<field>/lineage",
        get_field_detail,
        _ENDPOINT,
        _FIELD,
        *_RANGE,
        _DIRECTION,
        returns=types.FieldDetail,
    ),
    _route(
        "datasets/<dataset>/fields/<field>/lineage",
        get_field_paths,
        _DATASET,
        _FIELD,
        *_RANGE,
        _VIEW,
        returns=types.FieldPaths,
    ),
)
