"""Graphs as Marquez prints them: nodes by id, each with its edges in and out; and the changes of a graph."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

import orjson

from headwater.api.http.responses import RESPONSE_BYTES_MAX, fit_within, size_of
from headwater.api.marquez import graph_types as types
from headwater.api.marquez.dataset_views import render_dataset_data, render_short_dataset
from headwater.api.marquez.job_views import render_job_data, render_short_job
from headwater.api.types import Edge
from headwater.api.values import redact, render_id, render_node_id, render_version_id, when
from headwater.queries.results.entities import Dataset, Job
from headwater.queries.results.graphs import Graph, History, HistoryStep, SchemaColumn, UpstreamRun
from headwater.times import just_after

N = TypeVar("N", bound=types.Node | types.ShortNode)

_FRAME_BYTES = len('{"graph":[],"truncated":false}')


def render_graph(graph: Graph, *, budget: int = RESPONSE_BYTES_MAX) -> types.Graph:
    """Render `{"graph": [node ...], "truncated"}` in at most `budget` bytes.

    The nodes nearest to the start stay, at least the start itself. Nodes are sorted by id and edges by (origin,
    destination); each edge stands at both of its ends. Nodes of a folded graph have `more`.
    """
    control, budget, cut = _render_control(graph, budget)
    nodes, truncated = _render_nodes(graph, _render_node, budget)
    return {"graph": nodes, "truncated": truncated or cut, **_among(control, nodes)}


def render_short_graph(graph: Graph, *, budget: int = RESPONSE_BYTES_MAX) -> types.ShortGraph:
    """Render the graph, as `render_graph`, with its nodes in short."""
    control, budget, cut = _render_control(graph, budget)
    nodes, truncated = _render_nodes(graph, _render_short_node, budget)
    return {"graph": nodes, "truncated": truncated or cut, **_among(control, nodes)}


def _render_control(graph: Graph, budget: int) -> tuple[list[types.ControlEdge] | None, int, bool]:
    """Render the edges of control within a quarter of the budget; return the rest of it, and true for omitted edges."""
    if graph.dependencies is None:
        return None, budget, False
    edges: list[types.ControlEdge] = [
        {
            "origin": dependency.origin,
            "destination": dependency.destination,
            "dependencyType": dependency.type,
            "sequenceTriggerRule": dependency.sequence_rule,
            "statusTriggerRule": dependency.status_rule,
        }
        for dependency in graph.dependencies
    ]
    fitting = list(fit_within(edges, budget // 4))
    return fitting, budget - sum(size_of(orjson.dumps(edge)) + 1 for edge in fitting), len(fitting) < len(edges)


def _among(control: list[types.ControlEdge] | None, nodes: Iterable[types.NodeOfGraph]) -> types.Controlled:
    """Select the edges of control between these nodes, if requested."""
    if control is None:
        return {}
    shown = {node["id"] for node in nodes}
    return {"dependencies": [edge for edge in control if {edge["origin"], edge["destination"]} <= shown]}


def _render_nodes(graph: Graph, render: Callable[[str, Job | Dataset], N], budget: int) -> tuple[list[N], bool]:
    # Two things may print the same id (`a:b` and `c`, `a` and `b:c`): the nearer is shown, the start above all.
    nodes: dict[str, Job | Dataset] = {}
    for node in graph.nodes:
        nodes.setdefault(render_node_id(node.id, node.version), node)
    neighbours, parts_read = _neighbours(graph.edges), defaultdict[str, list[str]](list)
    for origin, destination in graph.other_part_reads:
        parts_read[destination].append(origin)
    rendered = (
        (node_id, _mark(render(node_id, node), graph, parts_read.get(node_id))) for node_id, node in nodes.items()
    )
    kept = _fit_nodes(rendered, neighbours, budget - _FRAME_BYTES)
    for origin, destination in sorted(edge for edge in set(graph.edges) if kept.keys() >= set(edge)):
        kept[origin]["outEdges"].append({"origin": origin, "destination": destination})
        kept[destination]["inEdges"].append({"origin": origin, "destination": destination})
    for shown in kept.values():
        _leave_out_shown(shown)
    return [kept[node_id] for node_id in sorted(kept)], graph.truncated or len(kept) < len(nodes)


def render_neighbour(node: Job | Dataset) -> types.Neighbour:
    """Render a neighbour in short, without edges."""
    if isinstance(node, Job):
        return {"id": node.id.node_id, "type": "JOB", "data": redact(node, render_short_job)}
    return {"id": node.id.node_id, "type": "DATASET", "data": redact(node, render_short_dataset)}


def render_upstream(upstream: UpstreamRun) -> types.UpstreamRun:
    """Render a run of Marquez's upstream run lineage; ours is `resolvedBy`."""
    run = upstream.run
    return {
        "job": {**render_id(run.job), "version": run.job_version},
        "run": {"id": run.id, "start": when(run.started), "end": when(run.ended), "status": run.state},
        "inputs": [
            {
                **render_version_id(input_version.dataset, input_version.version),
                "producedByRunId": input_version.produced_by,
                "resolvedBy": input_version.resolved_by,
            }
            for input_version in upstream.inputs
        ],
    }


def _render_node(node_id: str, node: Job | Dataset) -> types.Node:
    if isinstance(node, Job):
        return {"id": node_id, "type": "JOB", "data": redact(node, render_job_data), "inEdges": [], "outEdges": []}
    return {"id": node_id, "type": "DATASET", "data": redact(node, render_dataset_data), "inEdges": [], "outEdges": []}


def _render_short_node(node_id: str, node: Job | Dataset) -> types.ShortNode:
    if isinstance(node, Job):
        return {"id": node_id, "type": "JOB", "data": redact(node, render_short_job), "inEdges": [], "outEdges": []}
    return {"id": node_id, "type": "DATASET", "data": redact(node, render_short_dataset), "inEdges": [], "outEdges": []}


def _mark(node: N, graph: Graph, parts_read: Sequence[str] | None) -> N:
    """Add the numbers of all neighbours to a node of a folded graph, in their final number of digits.

    A job's node gets the datasets read in a different part than was written, if any.
    """
    degree = graph.degrees.get(node["id"])
    if degree is not None:
        node["more"] = {"up": degree.up, "down": degree.down, "exact": degree.exact}
    elif graph.degrees:
        node["more"] = None
    if graph.tasks and node["id"] == graph.nodes[0].id.node_id:
        node["tasks"] = dict(sorted(graph.tasks.items()))
    if parts_read:
        node["readsOtherPartOf"] = sorted(parts_read)
    return node


def _leave_out_shown(node: types.Node | types.ShortNode) -> None:
    more = node.get("more")
    if more is not None:
        more["up"] = max(more["up"] - len(node["inEdges"]), 0)
        more["down"] = max(more["down"] - len(node["outEdges"]), 0)


def _neighbours(edges: Iterable[tuple[str, str]]) -> Mapping[str, set[str]]:
    neighbours: dict[str, set[str]] = defaultdict(set)
    for origin, destination in edges:
        neighbours[origin].add(destination)
        neighbours[destination].add(origin)
    return neighbours


def _fit_nodes(nodes: Iterable[tuple[str, N]], neighbours: Mapping[str, set[str]], budget: int) -> dict[str, N]:
    """Keep the first nodes that fit with the edges between them, and the very first in any case."""
    kept: dict[str, N] = {}
    for node_id, node in nodes:
        budget -= size_of(orjson.dumps(node)) + 1
        between = neighbours.get(node_id, set()) & kept.keys()
        # Each edge stands at both of its ends.
        edges = ({"origin": node_id, "destination": neighbour} for neighbour in between)
        budget -= sum(2 * (size_of(orjson.dumps(edge)) + 1) for edge in edges)
        if budget < 0 and kept:
            break
        kept[node_id] = node
    return kept


def render_history(node_id: str, start: str, end: str, history: History) -> types.GraphHistory:
    """Render the changes of the graph around a node in a range of times."""
    return {
        "nodeId": node_id,
        "start": when(start),
        "end": when(end),
        "until": when(history.until),
        "truncated": history.until < end,
        "changes": list(map(_render_change, history.changes)),
    }


def _render_change(change: HistoryStep) -> types.GraphChange:
    return {
        "time": when(change.time),
        "lineageAt": when(just_after(change.time)),
        "runs": [{"job": job.node_id, "run": run} for job, run in change.causes],
        "nodes": {"added": list(change.added_nodes), "removed": list(change.removed_nodes)},
        "edges": {"added": _render_edges(change.added_edges), "removed": _render_edges(change.removed_edges)},
        "columns": {
            "added": list(map(_render_column, change.added_columns)),
            "removed": list(map(_render_column, change.removed_columns)),
            "retyped": [{**_render_column(column), "before": column.before} for column in change.retyped_columns],
        },
    }


def _render_edges(edges: Iterable[tuple[str, str]]) -> list[Edge]:
    return [{"origin": origin, "destination": destination} for origin, destination in edges]


def _render_column(column: SchemaColumn) -> types.SchemaColumn:
    return {"dataset": column.dataset.node_id, "name": column.name, "type": column.type}
