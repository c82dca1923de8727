"""Field lineage as CDAP's designs draw it: mappings between endpoints, a field's graph, the ways it was made.

Fields are printed as paths with slashes.
"""

from __future__ import annotations

from lineage.api.cdap.query import View
from lineage.api.marquez.values import Form, render_id
from lineage.api.time_range import RequestedRange
from lineage.queries.columns.results import (
    Connection,
    Detail,
    DetailNode,
    FieldMapping,
    FieldOperationPath,
    FieldOperationPaths,
    PathOperation,
    SimpleEdge,
)
from lineage_model.field_paths import print_slashed
from lineage_model.ids import DatasetId, FieldPath


def render_mapping(mapping: FieldMapping) -> Form:
    """A lineage mapping; the design spells `Destination` with a capital, people will look for a small one.

    Pairs are in order of destination fields, as the design has them.
    """
    destination = render_id(mapping.destination)
    pairs = sorted(mapping.pairs, key=lambda pair: pair[::-1])
    return {
        "source": render_id(mapping.source),
        "destination": destination,
        "Destination": destination,
        "fieldmap": [{"from": print_slashed(one), "to": print_slashed(other)} for one, other in pairs],
    }


def render_detail(detail: Detail) -> Form:
    """`{"nodes", "operations", "connections"}`."""
    return {
        "nodes": [_render_node(node) for node in detail.nodes],
        "operations": [{"name": one.name, "description": one.description} for one in detail.operations],
        "connections": [_render_connection(one) for one in detail.connections],
    }


def render_paths(paths: FieldOperationPaths, field: FieldPath, asked: RequestedRange, view: View | None) -> Form:
    """The ways in which a field was made: by default as operations in their order."""
    return {
        "fieldName": print_slashed(field),
        "startTimeInSeconds": asked.start_ms // 1_000,
        "endTimeInSeconds": asked.end_ms // 1_000,
        "paths": [_render_path(path, field, view) for path in paths.items],
    }


def _render_endpoint(endpoint: DatasetId, description: str | None) -> Form:
    """Return an endpoint as the designs have it: with a description only where one was given."""
    form = render_id(endpoint)
    return form if description is None else {**form, "description": description}


def _render_node(node: DetailNode) -> Form:
    form: Form = {"id": node.id, "label": node.label}
    if node.source is not None:
        form["sourceEndPoint"] = _render_endpoint(node.source, node.source_description)
    if node.destination is not None:
        form["destinationEndPoint"] = _render_endpoint(node.destination, node.destination_description)
    return form


def _render_connection(connection: Connection) -> Form:
    return {"from": connection.origin, "to": connection.destination, "operation": connection.operation}


def _render_path(path: FieldOperationPath, field: FieldPath, view: View | None) -> Form:
    form = _render_way(path, field, view)
    if path.destination is not None and path.destination_description is not None:
        form["destination"] = _render_endpoint(path.destination, path.destination_description)
    return {**form, "runs": list(path.runs)}


def _render_way(path: FieldOperationPath, field: FieldPath, view: View | None) -> Form:
    if view == "simple":
        return {"edges": [_render_edge(edge, field) for edge in path.edges]}
    if view == "detailed":
        nodes, connections = map(_render_node, path.nodes), map(_render_connection, path.connections)
        return {"nodes": list(nodes), "edges": list(connections)}
    return {"operations": [_render_operation(one) for one in path.operations]}


def _render_operation(operation: PathOperation) -> Form:
    form: Form = {
        "inputs": list(operation.inputs),
        "outputs": list(operation.outputs),
        "name": operation.name,
        "description": operation.description,
    }
    if operation.source is None:
        return form
    return {**form, "source": _render_endpoint(operation.source, operation.source_description)}


def _render_edge(edge: SimpleEdge, field: FieldPath) -> Form:
    """A source's field, and the operations between it and the field that was asked for."""
    return {
        "from": print_slashed(edge.field),
        "to": print_slashed(field),
        "operations": list(edge.operations),
        "source": _render_endpoint(edge.source, edge.source_description),
    }
