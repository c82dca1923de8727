"""Queries of graphs of jobs and datasets: around a node, downstream of it, beside it, and its history."""

from __future__ import annotations

from collections.abc import Collection

from headwater.facts.job_edges import DATA_ALONE, WITH_CONTROL, Kind
from headwater.queries.graphs.folded_graph import FoldedGraphWalk
from headwater.queries.graphs.history import HistoryWalk
from headwater.queries.graphs.impact import impact_of
from headwater.queries.graphs.job_graph import JobGraphWalk
from headwater.queries.graphs.neighbours import NeighbourPage, Neighbours
from headwater.queries.graphs.node_ids import Node, check_unfolded, find_node, selected_version
from headwater.queries.graphs.version_graph import VersionGraphWalk
from headwater.queries.results.graphs import Graph, GraphDirection, History, Impact, Side
from headwater.queries.view import GraphView
from headwater_model.errors import Invalid
from headwater_model.ids import JobId


def find_graph(
    view: GraphView,
    node_id: str,
    *,
    depth: int,
    at: str | None = None,
    version: str | None = None,
    direction: GraphDirection = "both",
    fold: int | None = None,
    dependencies: bool = False,
) -> Graph | None:
    """Find the graph around a node: current, as of a time (`at`), or upstream of a version (`#` or `version`).

    `fold` bounds the shown neighbours on each side of a node. `dependencies`: walks follow edges of control, too.

    Raises:
        Invalid: the node id cannot be read, or selectors disagree.
    """
    node = find_node(node_id, view)
    if node is None:
        return None
    selected = selected_version(node.version, version, at, of_job=isinstance(node.id, JobId))
    if selected:
        check_unfolded(direction, fold)
        if isinstance(node.id, JobId):
            return VersionGraphWalk(view).from_job(node.id, selected, depth)
        return VersionGraphWalk(view).from_dataset(node.id, selected, depth)
    walk = _graph_walk(view.as_of(at), direction, fold, WITH_CONTROL if dependencies else DATA_ALONE)
    if isinstance(node.id, JobId):
        return walk.from_job(node.id, depth)
    return walk.from_dataset(node.id, depth)


def report_impact(view: GraphView, node_id: str, *, depth: int) -> Impact | None:
    """Report everything downstream of a job or dataset now, up to `depth` jobs away; None if it is unknown.

    Downstream of a job is everything downstream of it and of its descendants, without the descendants.

    Raises:
        Invalid: the node id cannot be read, or names a version.
    """
    node = _find_unversioned(view, node_id, "what is downstream is known of now")
    graph = find_graph(view, node_id, depth=depth, direction="down") if node else None
    return impact_of(graph) if graph else None


def report_history(
    view: GraphView, node_id: str, *, depth: int, direction: GraphDirection, start: str, end: str
) -> History | None:
    """List the changes of the graph around a node by events from `start` on and before `end`; None if unknown.

    Raises:
        Invalid: the node id cannot be read, or names a version.
        TooLarge: more is connected than a graph holds.
    """
    node = _find_unversioned(view, node_id, "a version has no history")
    if node is None:
        return None
    walk = HistoryWalk(view.as_of(start, "start").as_of(None), node.id, depth, direction=direction)
    return walk.between(start, end)


def list_neighbours(
    view: GraphView, node_id: str, side: Side, *, text: str = "", limit: int, after: str = ""
) -> NeighbourPage | None:
    """List a page of the current neighbours on a side of a node, by name.

    Raises:
        Invalid: the node id cannot be read, or names a version.
    """
    node = _find_unversioned(view, node_id, "neighbours are those of now")
    if node is None:
        return None
    neighbours = Neighbours(view)
    if isinstance(node.id, JobId):
        return neighbours.of_job(node.id, side, text=text, limit=limit, after=after)
    return neighbours.of_dataset(node.id, side, text=text, limit=limit, after=after)


def _find_unversioned(view: GraphView, node_id: str, reason: str) -> Node | None:
    node = find_node(node_id, view)
    if node is not None and node.version:
        raise Invalid.because("nodeId", node_id, f"must name no version: {reason}")
    return node


def _graph_walk(
    view: GraphView, direction: GraphDirection, fold: int | None, job_edges: Collection[Kind]
) -> JobGraphWalk:
    if fold is None:
        return JobGraphWalk(view, direction=direction, job_edges=job_edges)
    return FoldedGraphWalk(view, direction=direction, job_edges=job_edges, fold=fold)
