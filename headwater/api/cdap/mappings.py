"""Routes of CDAP's designs, and their JSON: mappings between endpoints, a field's graph, the paths to a field.

Fields are printed as paths with slashes. An unknown dataset or field has no lineage: 200, with an empty list.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from aws_lambda_powertools.event_handler import Response

from headwater.api.cdap import types
from headwater.api.cdap.route import (
    DATASET,
    DIRECTION,
    ENDPOINT,
    FIELD,
    RANGE,
    cdap_route,
    read_endpoint,
    render_endpoint,
    respond_cut,
)
from headwater.api.http.parameters import RequestedRange, choice, number, read_range
from headwater.api.http.request import HttpRequest
from headwater.api.route import Services
from headwater.queries.results.columns import (
    Connection,
    Detail,
    DetailNode,
    FieldMapping,
    FieldOperationPath,
    FieldOperationPaths,
    PathOperation,
    SimpleEdge,
)
from headwater_model.columns import Column
from headwater_model.field_paths import print_slashed
from headwater_model.ids import FieldPath

_VIEWS: Mapping[str, View] = {"simple": "simple", "detailed": "detailed"}
_LEVEL = number("level", "How many endpoints far, in each direction.", least=1, most=1_000).default(10)
_VIEW = choice("view", "How to draw each path, if not as operations in their order.", _VIEWS)
View: TypeAlias = Literal["simple", "detailed"]


def get_field_mappings(services: Services, request: HttpRequest) -> Response[str]:
    """Map the fields of an endpoint to their sources and destinations.

    An unknown endpoint has an empty list. `X-Truncated: true` beyond the bounds of a request.

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
    """Find the operations that made a field, or used it.

    An unknown field has an empty list. `X-Truncated: true` beyond the bounds of a request.

    Returns:
        One level: from the read endpoints to the written endpoints.
    """
    requested, field, direction = read_range(request, services.now_s()), FIELD.read(request), DIRECTION.read(request)
    detail = services.queries.find_detail(read_endpoint(request, ENDPOINT), field, requested.time_range, direction)
    return respond_cut(services, render_detail(detail), truncated=detail.truncated)


def get_field_paths(services: Services, request: HttpRequest) -> Response[str]:
    """Find the different paths to a field.

    An unknown field has an empty list. `X-Truncated: true` beyond the bounds of a request.

    Returns:
        The newest run's path first.
    """
    requested, field, view = read_range(request, services.now_s()), FIELD.read(request), _VIEW.read(request)
    paths = services.queries.find_paths(read_endpoint(request, DATASET), field, requested.time_range)
    return respond_cut(services, render_paths(paths, field, requested, view), truncated=paths.truncated)


def render_mapping(mapping: FieldMapping, kinds: Mapping[Column, str]) -> types.FieldMapping:
    """Render a lineage mapping, with the design's `Destination`, and `destination` in regular spelling.

    Pairs are in order of destination fields, as in the design.
    """
    destination = render_endpoint(mapping.destination)
    pairs = sorted(mapping.pairs, key=lambda pair: pair[::-1])
    return {
        "source": render_endpoint(mapping.source),
        "destination": destination,
        "Destination": destination,
        "fieldmap": [
            _render_pair(Column(mapping.source, source_path), Column(mapping.destination, destination_path), kinds)
            for source_path, destination_path in pairs
        ],
    }


def _render_pair(source: Column, destination: Column, kinds: Mapping[Column, str]) -> types.FieldPair:
    pair: types.FieldPair = {"from": print_slashed(source.field), "to": print_slashed(destination.field)}
    if source in kinds:
        pair["fromType"] = kinds[source]
    if destination in kinds:
        pair["toType"] = kinds[destination]
    return pair


def render_detail(detail: Detail) -> types.FieldDetail:
    """Render `{"nodes", "operations", "connections"}`."""
    return {
        "nodes": [_render_node(node) for node in detail.nodes],
        "operations": [
            {"name": operation.name, "description": operation.description} for operation in detail.operations
        ],
        "connections": [_render_connection(connection) for connection in detail.connections],
    }


def render_paths(
    paths: FieldOperationPaths, field: FieldPath, requested: RequestedRange, view: View | None
) -> types.FieldPaths:
    """Render the paths to a field: by default as operations in their order."""
    rendered: types.FieldPaths = {
        "fieldName": print_slashed(field),
        "startTimeInSeconds": requested.start_ms // 1_000,
        "endTimeInSeconds": requested.end_ms // 1_000,
        "paths": [_render_path(path, field, view) for path in paths.items],
    }
    if paths.type is not None:
        rendered["fieldType"] = paths.type
    return rendered


def _render_node(node: DetailNode) -> types.FieldNode:
    rendered: types.FieldNode = {"id": node.id, "label": node.label}
    if node.type is not None:
        rendered["type"] = node.type
    if node.source is not None:
        rendered["sourceEndPoint"] = render_endpoint(node.source, node.source_description)
    if node.destination is not None:
        rendered["destinationEndPoint"] = render_endpoint(node.destination, node.destination_description)
    return rendered


def _render_connection(connection: Connection) -> types.FieldConnection:
    return {"from": connection.origin, "to": connection.destination, "operation": connection.operation}


def _render_path(path: FieldOperationPath, field: FieldPath, view: View | None) -> types.Path:
    if view == "simple":
        return {"edges": [_render_edge(edge, field) for edge in path.edges], **_render_end(path)}
    if view == "detailed":
        nodes, connections = map(_render_node, path.nodes), map(_render_connection, path.connections)
        return {"nodes": list(nodes), "edges": list(connections), **_render_end(path)}
    return {"operations": [_render_operation(operation) for operation in path.operations], **_render_end(path)}


def _render_end(path: FieldOperationPath) -> types.PathEnd:
    runs = list(path.runs)
    if path.destination is None or path.destination_description is None:
        return {"runs": runs}
    return {"destination": render_endpoint(path.destination, path.destination_description), "runs": runs}


def _render_operation(operation: PathOperation) -> types.PathOperation:
    rendered: types.PathOperation = {
        "inputs": list(operation.inputs),
        "outputs": list(operation.outputs),
        "name": operation.name,
        "description": operation.description,
    }
    if operation.source is not None:
        rendered["source"] = render_endpoint(operation.source, operation.source_description)
    return rendered


def _render_edge(edge: SimpleEdge, field: FieldPath) -> types.FieldEdge:
    """Render a source's field, and the operations between it and the requested field."""
    rendered: types.FieldEdge = {
        "from": print_slashed(edge.field),
        "to": print_slashed(field),
        "operations": list(edge.operations),
        "source": render_endpoint(edge.source, edge.source_description),
    }
    if edge.type is not None:
        rendered["fromType"] = edge.type
    return rendered


ROUTES = (
    cdap_route(
        "endpoints/<endpoint>/fields/lineage", get_field_mappings, (ENDPOINT, *RANGE, _LEVEL), types.FieldMappings
    ),
    cdap_route(
        "endpoints/<endpoint>/fields/<field>/lineage",
        get_field_detail,
        (ENDPOINT, FIELD, *RANGE, DIRECTION),
        types.FieldDetail,
    ),
    cdap_route(
        "datasets/<dataset>/fields/<field>/lineage", get_field_paths, (DATASET, FIELD, *RANGE, _VIEW), types.FieldPaths
    ),
)
