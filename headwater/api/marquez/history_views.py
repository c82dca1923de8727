"""The history of a graph as JSON."""

from __future__ import annotations

from collections.abc import Iterable

from headwater.api.marquez import graph_types as types
from headwater.api.types import Edge
from headwater.api.values import when
from headwater.queries.results.graphs import History, HistoryStep, SchemaColumn
from headwater.times import just_after


def render_history(node_id: str, start: str, end: str, history: History) -> types.GraphHistory:
    """Return the changes of the graph around a node in a range of times."""
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
