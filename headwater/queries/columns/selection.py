"""Columns of a node id, now, of a version, or at a time: the start of queries of columns."""

from __future__ import annotations

from headwater.queries.columns.column_graph import ColumnWalk
from headwater.queries.columns.column_versions import VersionWalk
from headwater.queries.graphs.node_ids import FieldNode, Node, field_candidates, nodes_named, selected_version
from headwater.queries.results.columns import ColumnGraph
from headwater.queries.view import GraphView
from headwater_model.columns import Column
from headwater_model.ids import DatasetId, JobId


def find_columns(
    view: GraphView,
    node_id: str,
    *,
    depth: int,
    downstream: bool = False,
    at: str | None = None,
    version: str | None = None,
) -> ColumnGraph | None:
    """Find the graph of columns around a dataset, a field or a job: now, as of a time, or upstream of a version.

    Depth 0 is the requested columns with their sources; each further level adds the sources as nodes, and with
    `downstream` the derived columns. As of a time, the graph has versions; with `downstream` it is the graph
    current at the time. None if the node is unknown.

    Raises:
        Invalid: the node id cannot be read, or selectors disagree (a version with `downstream`, ...).
    """
    for node in nodes_named(node_id, view):
        of_job = isinstance(node.id, JobId)
        selected = selected_version(node.version, version, at, of_job=of_job, downstream=downstream)
        graph = _find_graph(node, view.as_of(at), selected, depth=depth, downstream=downstream)
        if graph is not None:
            return graph
    return None


def find_field(view: GraphView, node_id: str) -> Column | None:
    """Find the column of an id (`datasetField:...`), under its dataset's primary name; None if it is unknown now.

    Raises:
        Invalid: the id cannot be read as a field's.
    """
    candidates = field_candidates(node_id, view)
    return next((column for node in candidates if (column := view.find_column(node.id, node.field))), None)


def _find_graph(
    node: FieldNode | Node, view: GraphView, version: str | None, *, depth: int, downstream: bool
) -> ColumnGraph | None:
    """Walk the columns around a node, of a version or as of the view's time; None if there is no such node.

    As of a time, the graph has versions; with `downstream` it is the current graph of the time.
    """
    if version is None and (view.at is None or downstream):
        columns = _select_current(node, view, downstream=downstream)
        return None if columns is None else ColumnWalk(view).graph(columns, depth=depth, downstream=downstream)
    past = VersionWalk(view.as_of(None))
    nodes = past.columns_at(node, view) if version is None else past.columns_of_version(node, version)
    return None if nodes is None else past.graph(nodes, depth=depth)


def _select_current(node: FieldNode | Node, view: GraphView, *, downstream: bool) -> list[Column] | None:
    """List the columns of a node now; None if the node does not exist."""
    if isinstance(node, FieldNode):
        column = view.find_column(node.id, node.field)
        return [column] if column else None
    if isinstance(node.id, DatasetId):
        return view.list_columns(node.id, used=downstream) if view.find_columns(node.id) else None
    outputs = view.find_outputs(node.id)
    if outputs is None:
        return None
    return list(dict.fromkeys(column for output in outputs for column in view.list_columns(output, used=downstream)))
