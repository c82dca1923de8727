"""Field lineage as CDAP's designs draw it: mappings between endpoints, a field's graph, the paths it was made by.

Fields are printed as paths with slashes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from headwater.api.cdap import design_types as types
from headwater.api.http.requested_range import RequestedRange
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
from headwater_model.ids import DatasetId, FieldPath

View: TypeAlias = Literal["simple", "detailed"]


def render_mapping(mapping: FieldMapping, kinds: Mapping[Column, str]) -> types.FieldMapping:
    """Return a lineage mapping; the design spells `Destination` with a capital, people will look for a small one.

    Pairs are in order of destination fields, as the design has them.
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
    """Return `{"nodes", "operations", "connections"}`."""
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
    """Return the paths in which a field was made: by default as operations in their order."""
    rendered: types.FieldPaths = {
        "fieldName": print_slashed(field),
        "startTimeInSeconds": requested.start_ms // 1_000,
        "endTimeInSeconds": requested.end_ms // 1_000,
        "paths": [_render_path(path, field, view) for path in paths.items],
    }
    if paths.type is not None:
        rendered["fieldType"] = paths.type
    return rendered


def render_endpoint(endpoint: DatasetId, description: str | None = None) -> types.EndPoint:
    """Return an endpoint as the designs have it: with a description only where one was given."""
    if description is None:
        return {"namespace": endpoint.namespace, "name": endpoint.name}
    return {"namespace": endpoint.namespace, "name": endpoint.name, "description": description}


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
    """Return a source's field, and the operations between it and the requested field."""
    rendered: types.FieldEdge = {
        "from": print_slashed(edge.field),
        "to": print_slashed(field),
        "operations": list(edge.operations),
        "source": render_endpoint(edge.source, edge.source_description),
    }
    if edge.type is not None:
        rendered["fromType"] = edge.type
    return rendered
