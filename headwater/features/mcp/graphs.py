"""Results about the graph: find, upstream, downstream, paths, changes."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Any

from headwater.cli.column_graph import parse_columns
from headwater.cli.service import Get, NoResponse, printable
from headwater.features.mcp.result import Result
from headwater.walk import Walked, walk

_PATHS_MAX = 10
_PATH_DEPTH = 100
# Steps of the search for paths: a graph may have more paths than a person reads.
_STEPS_MAX = 20_000
# Parts of a change in a line.
_PARTS_MAX = 12
_MORE = "the service did not read or send all of it: lower the depth"


def find(
    get: Get, q: str, *, kind: str | None = None, namespace: str | None = None, tag: str | None = None, limit: int = 20
) -> Result:
    """Find the jobs and datasets, or the columns, with the words in their names, best first."""
    query: dict[str, object] = {"limit": limit, "sort": "relevance", "form": "summary"}
    query |= {name: text for name, text in (("q", q), ("filter", kind), ("namespace", namespace), ("tag", tag)) if text}
    response = get("/api/v1/search", query)
    result = Result(f"{response['totalCount']} found for {q or tag!r}")
    result.rows("results", response["results"], (_hit(hit) for hit in response["results"]), limit)
    result.document["totalCount"] = response["totalCount"]
    result.cut_if(
        response["totalCount"] > len(response["results"]), "more match: give more words, a namespace or a filter"
    )
    result.cut_if(response["truncated"], "the service read the first matches of each word alone: give a rarer word")
    return result


def _hit(hit: Mapping[str, Any]) -> str:
    run = hit.get("latestRun")
    more = f"  last run {run['state']} {run['endedAt'] or run['startedAt']}" if run else ""
    return f"{hit['type']}  {printable(hit['nodeId'])}{more}"


def upstream(get: Get, node_id: str, depth: int) -> Result:
    """List the sources of a job, dataset or column, nearest first."""
    if _is_column(node_id):
        return _sources(get, node_id, depth)
    graph = get("/api/v1/lineage", {"nodeId": node_id, "depth": depth, "direction": "up", "form": "summary"})
    start = _id_shown(get, node_id, {node["id"] for node in graph["graph"]})
    hops = hops_from(start, {(edge["destination"], edge["origin"]) for edge in _edges(graph)})
    nodes = sorted(
        (node for node in graph["graph"] if hops.get(node["id"])), key=lambda node: (hops[node["id"]], node["id"])
    )
    rows = [{**_short(node["id"], node["type"], node["data"]), "hops": hops[node["id"]]} for node in nodes]
    result = Result(f"{len(rows)} jobs and datasets upstream of {printable(node_id)}, nearest first")
    result.rows("upstream", rows, map(_line, rows))
    result.cut_if(graph["truncated"], _MORE)
    return result


def _sources(get: Get, node_id: str, depth: int) -> Result:
    response = get("/api/v1/column-lineage", {"nodeId": node_id, "depth": depth})
    graph = parse_columns(response)
    start = _id_shown(get, node_id, graph.columns)
    hops = hops_from(start, ((edge.destination, edge.origin) for edge in graph.edges))
    nearest = sorted(
        graph.edges, key=lambda edge: (hops.get(edge.destination, len(hops)), edge.destination, edge.origin)
    )
    edges = [
        {"source": edge.origin, "destination": edge.destination, "operations": list(edge.operations)}
        | {"indirect": edge.indirect, "masked": edge.masked}
        for edge in nearest
    ]
    result = Result(f"{len(edges)} edges upstream of {printable(node_id)}; indirect ones decide which rows exist")
    result.rows("edges", edges, map(_edge_line, edges))
    result.cut_if(graph.truncated, _MORE)
    return result


def _edge_line(edge: Mapping[str, Any]) -> str:
    arrow = "..>" if edge["indirect"] else "-->"
    about = "; ".join(edge["operations"]) or "unknown operation"
    return f"{printable(edge['source'])} {arrow} {printable(edge['destination'])}  [{about}]"


def downstream(get: Get, node_id: str, depth: int) -> Result:
    """List the nodes made of a job, dataset or column, nearest first."""
    report = get("/api/v1/reports/impact", {"nodeId": node_id, "depth": depth})
    rows = [
        {
            **_short(impacted["nodeId"], impacted["type"], impacted["data"]),
            **{name: impacted[name] for name in ("hops", "through", "direct", "masked", "certain") if name in impacted},
        }
        for impacted in report["impacted"]
    ]
    result = Result(f"{len(rows)} jobs, datasets and columns downstream of {printable(node_id)}, nearest first")
    result.rows("downstream", rows, map(_line, rows))
    result.cut_if(report["truncated"], _MORE)
    return result


def paths(get: Get, source: str, destination: str) -> Result:
    """List the paths of the data between two nodes, shortest first: between columns, or jobs and datasets.

    Raises:
        NoResponse: only one end is a column, or the service does not know an end.
    """
    if _is_column(source) != _is_column(destination):
        raise NoResponse("source, destination: must both be columns, or both jobs or datasets")
    if _is_column(source):
        graph = parse_columns(get("/api/v1/column-lineage", {"nodeId": destination, "depth": _PATH_DEPTH}))
        edges, truncated = {(edge.origin, edge.destination) for edge in graph.edges}, graph.truncated
    else:
        query = {"nodeId": source, "depth": _PATH_DEPTH, "direction": "down", "form": "summary"}
        response = get("/api/v1/lineage", query)
        edges = {(edge["origin"], edge["destination"]) for edge in _edges(response)}
        truncated = response["truncated"]
    shown = {end for edge in edges for end in edge}
    paths, whole = _paths(_id_shown(get, source, shown), _id_shown(get, destination, shown), edges)
    result = Result(f"{len(paths)} paths from {printable(source)} to {printable(destination)}, shortest first")
    result.rows("paths", ({"nodes": path} for path in paths), (" -> ".join(map(printable, path)) for path in paths))
    result.cut_if(not whole, f"only the first {_PATHS_MAX} paths are listed: there may be more")
    result.cut_if(truncated, "the graph between them is more than the service sends: there may be other paths")
    return result


def _paths(source: str, destination: str, edges: Iterable[tuple[str, str]]) -> tuple[list[list[str]], bool]:
    """List the paths without a circle, shortest first, and true if there are no more."""
    above: dict[str, list[str]] = {}
    for origin, end in sorted(edges):
        above.setdefault(end, []).append(origin)
    reachable = hops_from(destination, ((end, origin) for end, sources in above.items() for origin in sources))
    below: dict[str, list[str]] = {}
    for end, origins in above.items():
        for origin in origins:
            if end in reachable or end == destination:
                below.setdefault(origin, []).append(end)
    paths: list[list[str]] = []
    pending, steps = deque([[source]]), 0
    while pending and steps < _STEPS_MAX and len(paths) <= _PATHS_MAX:
        path = pending.popleft()
        steps += 1
        if path[-1] == destination and len(path) > 1:
            paths.append(path)
            continue
        pending += [[*path, after] for after in below.get(path[-1], ()) if after not in path]
    return paths[:_PATHS_MAX], not pending and len(paths) <= _PATHS_MAX


def changes(get: Get, node_id: str, start: str, end: str | None, direction: str, depth: int) -> Result:
    """List when the graph around a node changed: nodes, edges and columns that came, went or got another type."""
    query: dict[str, object] = {"nodeId": node_id, "start": start, "depth": depth, "direction": direction}
    history = get("/api/v1/lineage/history", {**query, "end": end} if end else query)
    steps = history["changes"]
    result = Result(f"{len(steps)} changes around {printable(node_id)} from {history['start']} to {history['until']}")
    result.rows("changes", steps, map(_change_line, steps))
    result.document["until"] = history["until"]
    result.cut_if(history["truncated"], f"changes from {history['until']} on are not listed: give that as start")
    return result


def _change_line(change: Mapping[str, Any]) -> str:
    parts = list(_changed(change))
    if len(parts) > _PARTS_MAX:
        parts[_PARTS_MAX:] = [f"and {len(parts) - _PARTS_MAX} more"]
    runs = ", ".join(printable(run["job"]) for run in change["runs"][:3]) or "no run"
    return f"{change['time']} by {runs}: {'; '.join(parts)}"


def _changed(change: Mapping[str, Any]) -> Iterator[str]:
    for sign, side in (("+", "added"), ("-", "removed")):
        yield from (f"{sign}{printable(node)}" for node in change["nodes"][side])
        for edge in change["edges"][side]:
            yield f"{sign}{printable(edge['origin'])} -> {printable(edge['destination'])}"
        for column in change["columns"][side]:
            yield f"{sign}column {printable(column['name'])} of {printable(column['dataset'])}"
    for column in change["columns"]["retyped"]:
        what = f"{printable(column['name'])} of {printable(column['dataset'])}"
        yield f"column {what}: {column['before']} -> {column['type']}"


def _id_shown(get: Get, node_id: str, shown: Container[str]) -> str:
    """Find the node's id in a response: a dataset, or a column of it, may be requested by an alias.

    A version keeps the requested id: reports of impact know the present alone.

    Raises:
        NoResponse: the service does not know the node.
    """
    if node_id in shown or node_id.startswith("job:") or "#" in node_id:
        return node_id
    return str(get("/api/v1/reports/impact", {"nodeId": node_id, "depth": 0})["nodeId"])


def _is_column(node_id: str) -> bool:
    return node_id.startswith(("datasetField:", "dataset_field:"))


def _edges(graph: Mapping[str, Any]) -> Iterator[Mapping[str, str]]:
    for node in graph["graph"]:
        yield from node["inEdges"]


def hops_from(start: str, edges: Iterable[tuple[str, str]]) -> dict[str, int]:
    """Count the edges from the start to each node behind it."""
    following: dict[str, list[str]] = {}
    for origin, end in edges:
        following.setdefault(origin, []).append(end)
    ends = walk(
        [start], lambda level, _: (end for node in level for end in following.get(node, ())), into=Walked(sys.maxsize)
    )
    return ends.hops


def _short(node_id: str, kind: str, data: Mapping[str, Any] | None) -> dict[str, Any]:
    """Shorten a node: a job's last run, a dataset's state; an id alone if the caller may not read it."""
    row: dict[str, Any] = {"nodeId": node_id, "type": kind}
    run = (data or {}).get("latestRun")
    if run:
        row["latestRun"] = {name: run[name] for name in ("id", "state", "startedAt", "endedAt")}
    if data and data.get("stale"):
        row["stale"] = True
    return row


def _line(row: Mapping[str, Any]) -> str:
    run = row.get("latestRun")
    parts = [f"{row['hops']}  {row['type']}  {printable(row['nodeId'])}"]
    parts += [f"last run {run['state']} {run['endedAt'] or run['startedAt']}"] if run else []
    parts += [name for name in ("stale", "masked") if row.get(name)]
    parts += ["possible" if row.get("certain") is False else ""]
    return "  ".join(part for part in parts if part)
