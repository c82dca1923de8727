"""The message of an alert: what happened, who owns what it is of, everything downstream, and a link.

    {"id": "…", "kind": "ColumnDropped", "node": "dataset:s3://lake:orders", "summary": "…", "link": "https://…",
     "owners": ["team:orders"], "causes": [{"id": "…", "since": "2025-11-20T12:00:00.000000Z", "dropped": ["price"]}],
     "downstream": {"total": 12, "truncated": false, "owners": ["team:finance"], "nodes": [{"node": "job:…", "hops": 1,
     "owners": ["team:finance"]}, …], "columns": ["datasetField:…"]}, "cut": false}

Its lists are cut to what EventBridge takes; `total` counts all, and `cut` says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import orjson

from headwater.alerts.cause import Cause
from headwater.queries.columns.column_graph import ColumnWalk
from headwater.queries.columns.column_impact import ImpactWalk
from headwater.queries.graph_queries import GraphQueries
from headwater.queries.results.entities import Dataset, Job
from headwater.queries.view import GraphView
from headwater_model.field_paths import parse_dotted
from headwater_model.ids import DatasetId, sha256_hex

DEPTH = 20
# The lengths to which the lists of a message are cut, until the message fits an event of EventBridge (256 KB).
LISTED_MAX = (100, 20, 5, 1)
BYTES_MAX = 200_000
# Columns of a cause whose downstream is read.
_STARTS_MAX = 10
# Causes that the summary names.
_CAUSES_NAMED = 3


def render_alert(causes: Sequence[Cause], view: GraphView, explorer: str) -> dict[str, Any]:
    """Return the message of causes of one kind and one node."""
    message = _render_whole(causes, view, explorer)
    cuts = (_cut(message, longest) for longest in LISTED_MAX)
    fitting = (cut for cut in cuts if len(orjson.dumps(cut)) <= BYTES_MAX)
    sent = next(fitting, None) or _cut(message, 0)
    return {**sent, "cut": sent != message}


def _cut(value: Any, longest: int) -> Any:
    """Return a JSON value whose lists are cut to a length."""
    if isinstance(value, dict):
        return {name: _cut(part, longest) for name, part in value.items()}
    return [_cut(part, longest) for part in value[:longest]] if isinstance(value, list) else value


def _render_whole(causes: Sequence[Cause], view: GraphView, explorer: str) -> dict[str, Any]:
    first = causes[0]
    # The node itself, for its owners; and all that is downstream of it, nearest first.
    graph = GraphQueries(view.reader).find_graph(first.node.node_id, depth=0)
    members: Sequence[Job | Dataset] = (*graph.jobs, *graph.datasets) if graph else ()
    owners = _owners(node for node in members if node.id == first.node)
    impact = GraphQueries(view.reader).report_impact(first.node.node_id, depth=DEPTH)
    nodes = [(reached.node, reached.hops) for reached in impact.impacted] if impact else []
    # The address of the node's page in the explorer.
    page = "dataset" if isinstance(first.node, DatasetId) else "job"
    link = f"{explorer}{page}?{urlencode({'node': first.node.node_id})}" if explorer else None
    return {
        "id": sha256_hex("\0".join(sorted(cause.id for cause in causes)))[:32],
        "kind": first.kind,
        "node": first.node.node_id,
        "summary": summarize(causes, len(nodes), owners),
        "link": link,
        "owners": owners,
        "causes": [{"id": cause.id, "since": cause.time, **cause.detail} for cause in causes],
        "downstream": {
            "total": len(nodes),
            "truncated": bool(impact and impact.truncated),
            "owners": _owners(node for node, _ in nodes),
            "nodes": [{"node": node.id.node_id, "hops": hops, "owners": _owners([node])} for node, hops in nodes],
            "columns": _columns_below(causes, view),
        },
    }


def _owners(nodes: Iterable[Job | Dataset]) -> list[str]:
    """Return the owners of nodes, each once, in order of their names."""
    return sorted({owner.name for node in nodes for owner in node.annotations.owners})


def _columns_below(causes: Sequence[Cause], view: GraphView) -> list[str]:
    """Return the columns derived from the columns of the causes, as the graph was before each cause."""
    below: dict[str, None] = {}
    for cause in causes:
        if not isinstance(cause.node, DatasetId):
            continue
        then = view.as_of(cause.before)
        for name in cause.columns[:_STARTS_MAX]:
            column = ColumnWalk(then).exists(cause.node, parse_dotted(name))
            impact = ImpactWalk(then, column, DEPTH).report() if column else None
            below.update(dict.fromkeys(reached.column.node_id for reached in (impact.columns if impact else ())))
    return list(below)


def summarize(causes: Sequence[Cause], downstream: int, owners: Sequence[str]) -> str:
    """Return one line for people: what happened, to whose job or dataset, and how much is downstream."""
    node = causes[0].node
    rest = [f"and {len(causes) - _CAUSES_NAMED} more"] if len(causes) > _CAUSES_NAMED else []
    sentences = "; ".join([*map(_say, causes[:_CAUSES_NAMED]), *rest])
    owned = f" Owners: {', '.join(owners[:5])}." if owners else " Nobody owns it."
    return f"{node.namespace} {node.name}: {sentences}. {downstream} jobs and datasets are downstream.{owned}"


def _say(cause: Cause) -> str:
    detail = cause.detail
    match cause.kind:
        case "RunFailed":
            good = detail["lastGoodRun"]
            since = f"since its good run of {good['ended']}" if good else "and no run of it completed"
            number = detail["failedRuns"]
            return f"{number} run{'' if number == 1 else 's'} failed {since}"
        case "DatasetLate":
            return f"was last written at {detail['lastWritten']}, and is late since {detail['lateSince']}"
        case "TestFailed":
            test = detail["test"]
            return f"the test {test['name'] or test['type']} fails{' of ' + test['column'] if test['column'] else ''}"
        case "TaggedColumnReached":
            return f"{detail['column']} ({detail['tag']}) reaches {', '.join(detail['reached'][:5])} unmasked"
        case _:
            return _say_change(detail)


def _say_change(detail: Mapping[str, Any]) -> str:
    retyped = [f"{column['name']} from {column['from']} to {column['to']}" for column in detail["retyped"]]
    parts = {"lost": detail["dropped"], "changed the type of": retyped, "got": detail["added"]}
    return ", ".join(f"{verb} {', '.join(names[:5])}{_rest(names)}" for verb, names in parts.items() if names)


def _rest(names: Sequence[str]) -> str:
    return f" and {len(names) - 5} more" if len(names) > 5 else ""
