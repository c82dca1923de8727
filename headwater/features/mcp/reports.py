"""Results about a single thing: the uses of a column, the trouble of a dataset, a record's trace with its proof."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timezone
from itertools import pairwise
from statistics import median
from typing import Any, TypeAlias
from urllib.parse import quote

from headwater.cli.service import Get, NoResponse, printable
from headwater.features.mcp.graphs import hops_from
from headwater.features.mcp.result import Result

# A GET of JSON lines.
GetLines: TypeAlias = Callable[[str], Iterable[Mapping[str, Any]]]

_VERSIONS = 20
_DEPTH = 20


def column_usage(get: Get, node_id: str, start: str, end: str) -> Result:
    """List the runs with uses of a column, by kind, and the columns made of it."""
    report = get("/api/v1/reports/usage", {"nodeId": node_id, "start": start, "end": end})
    uses, flows = report["uses"], report["flows"]
    result = Result(f"{printable(node_id)}: {len(uses)} uses, {len(flows)} columns that it flowed into")
    result.rows("uses", uses, map(_use_line, uses))
    result.rows("flows", flows, map(_flow_line, flows))
    result.cut_if(report["truncated"], "there were more runs than a request may read: take a shorter time range")
    return result


def _use_line(use: Mapping[str, Any]) -> str:
    job = f"job:{use['job']['namespace']}:{use['job']['name']}" if use["job"] else "an event without a job"
    fields = ", ".join(_column(field) for field in use["fields"][:10])
    return f"{use['kind']} by {printable(job)}, {use['count']} runs, last {use['last']}: {fields}"


def _flow_line(flow: Mapping[str, Any]) -> str:
    marks = ["direct" if flow["direct"] else "condition alone", *(["masked"] if flow["masked"] else []), flow["status"]]
    return f"-> {_column(flow['column'])}  {flow['hops']} hops, {', '.join(marks)}"


def _column(column: Mapping[str, Any]) -> str:
    dataset = column["dataset"]
    return printable(f"{column['field'] or '(unknown column)'} of {dataset['namespace']}:{dataset['name']}")


def dataset_status(get: Get, namespace: str, name: str, now: datetime) -> Result:
    """Report a dataset's last and usual times of writing, and the trouble above it: facts, nearest first."""
    path = f"/api/v1/namespaces/{quote(namespace, safe='')}/datasets/{quote(name, safe='')}"
    dataset = get(path, {})
    versions = get(f"{path}/versions", {"limit": _VERSIONS})["versions"]
    node_id = f"dataset:{dataset['namespace']}:{dataset['name']}"
    graph = get("/api/v1/lineage", {"nodeId": node_id, "depth": _DEPTH, "direction": "up", "form": "summary"})
    result = Result(f"status of {printable(node_id)}")
    written = [_written(version) for version in versions]
    facts = _freshness(dataset, written, now)
    result.document |= {"nodeId": node_id, **facts}
    result.lines += [f"{title}: {value}" for title, value in facts.items() if value is not None]
    result.rows("versions", written, map(_version_line, written), 5)
    suspects = list(_suspects(node_id, graph))
    result.rows("suspects", suspects, map(_suspect_line, suspects))
    if not suspects:
        result.lines.append("nothing upstream is failed, aborted, running or stale")
    result.cut_if(graph["truncated"], "not all that is upstream was read")
    return result


def _written(version: Mapping[str, Any]) -> dict[str, Any]:
    run = version["createdByRun"] or {}
    job = run.get("job")
    return {
        "version": version["version"],
        "createdAt": version["createdAt"],
        "failed": version["failed"],
        "job": f"job:{job['namespace']}:{job['name']}" if job else None,
        "run": run.get("id"),
        "state": run.get("state"),
    }


def _version_line(version: Mapping[str, Any]) -> str:
    writer = f"{printable(version['job'] or 'an event')} {version['state'] or ''}"
    return f"version of {version['createdAt']} by {writer}{' (never current)' if version['failed'] else ''}"


def _freshness(dataset: Mapping[str, Any], versions: Sequence[Mapping[str, Any]], now: datetime) -> dict[str, Any]:
    """Compute the age of the last good version in seconds, beside the median of the times between good versions."""
    good = [version["createdAt"] for version in versions if not version["failed"] and version["run"]]
    times = sorted(datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(timezone.utc) for text in good)
    gaps = [(after - before).total_seconds() for before, after in pairwise(times)]
    age = (now - times[-1]).total_seconds() if times else None
    usual = median(gaps) if len(gaps) >= 3 else None
    writer = dataset["lastWrittenBy"]
    return {
        "stale": dataset["stale"],
        "lastWrittenBy": f"job:{writer['job']['namespace']}:{writer['job']['name']}" if writer else None,
        "lastGoodVersionAt": times[-1].isoformat() if times else None,
        "ageS": age and round(age),
        "usualIntervalS": usual and round(usual),
        "olderThanUsual": None if age is None or usual is None else age > usual,
    }


def _suspects(node_id: str, graph: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield possible reasons, nearest first: upstream jobs whose last run is not complete, and stale datasets."""
    edges = {(edge["destination"], edge["origin"]) for node in graph["graph"] for edge in node["inEdges"]}
    hops = hops_from(node_id, edges)
    for node in sorted(graph["graph"], key=lambda node: (hops.get(node["id"], 0), node["id"])):
        data = node["data"] or {}
        run = data.get("latestRun")
        if run and run["state"] != "COMPLETED":
            yield {"nodeId": node["id"], "hops": hops.get(node["id"], 0), "reason": run["state"], "run": run["id"]}
        elif data.get("stale") and node["id"] != node_id:
            yield {"nodeId": node["id"], "hops": hops.get(node["id"], 0), "reason": "STALE", "run": None}


def _suspect_line(suspect: Mapping[str, Any]) -> str:
    run = f" (run {suspect['run']})" if suspect["run"] else ""
    return f"{suspect['hops']} hops up: {printable(suspect['nodeId'])} is {suspect['reason']}{run}"


def record_trace(get: Get, get_lines: GetLines, root_id: str, node_id: str | None) -> Result:
    """Report a record's path from its root, and the state of its proof; for a root alone, its records by action."""
    root = f"/api/v1/records/roots/{quote(root_id, safe='')}"
    if node_id is None:
        return _outline(root_id, get(f"{root}/outline", {}))
    proof = get(f"{root}/proof", {"node": node_id})
    result = Result(f"record {printable(node_id)} of root {printable(root_id)}: {proof['state']}")
    result.document["proof"] = {
        "state": proof["state"],
        "fault": proof["fault"],
        "object": _without_links(proof["object"]),
        "digests": len(proof["digests"]),
        "end": _without_links(proof["end"]),
    }
    if proof["object"]:
        result.lines.append(f"archived in {printable(str(proof['object'].get('key', '')))}")
    result.lines.append(f"{len(proof['digests'])} digests from its day to the last sealed day")
    if proof["fault"]:
        result.lines.append(f"FAULT: {printable(proof['fault'])}")
    result.cut_if(proof["next"], f"the proof has more digests, from {proof['next']} on")
    steps = _path(get, get_lines, root, root_id, node_id)
    result.rows("path", steps, map(_step_line, steps))
    return result


def _path(get: Get, get_lines: GetLines, root: str, root_id: str, node_id: str) -> list[dict[str, Any]]:
    """List the records from the root to the node: of a live record by its own route, else from the root's trace."""
    steps: Sequence[Mapping[str, Any]]
    try:
        response = get(f"/api/v1/records/nodes/{quote(node_id, safe='')}", {})
        # A node id in several roots comes with all of its places.
        places = response.get("matches", [response])
        steps = next((place["path"] for place in places if place["record"]["root_id"] == root_id), [])
    except NoResponse:
        steps = []
    names = ("node_id", "parent_id", "action_taken", "recordedAt", "storage_location")
    return [{name: step[name] for name in names} for step in steps or _traced(get_lines(f"{root}/trace"), node_id)]


def _traced(lines: Iterable[Mapping[str, Any]], node_id: str) -> list[Mapping[str, Any]]:
    """Find the steps to the node in the first trace line with it."""
    for line in lines:
        if "lineage" not in line:
            raise NoResponse("the trace of this root is being made: call again in a minute")
        names = [step["node_id"] for step in line["lineage"]]
        if node_id in names:
            steps: list[Mapping[str, Any]] = line["lineage"]
            return steps[: names.index(node_id) + 1]
    return []


def _without_links(form: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Drop the links of a part of a proof: they are secrets for fifteen minutes."""
    return None if form is None else {name: value for name, value in form.items() if name != "location"}


def _step_line(step: Mapping[str, Any]) -> str:
    time = datetime.fromtimestamp(step["recordedAt"], timezone.utc).isoformat()
    return printable(f"{time}  {step['action_taken']}  {step['node_id']}  {step['storage_location']}")


def _outline(root_id: str, outline: Mapping[str, Any]) -> Result:
    groups = outline["groups"]
    result = Result(f"root {printable(root_id)}: {outline['records']} records in {len(groups)} groups")
    result.rows("groups", groups, map(_group_line, groups))
    result.document["records"] = outline["records"]
    result.cut_if(outline["truncated"], "there are more groups than a response holds")
    return result


def _group_line(group: Mapping[str, Any]) -> str:
    above = "the root" if group["parent"] is None else f"group {group['parent']}"
    examples = ", ".join(example["node_id"] for example in group["examples"])
    text = f"group {group['id']} of {above}: {group['action_taken']}, {group['records']} records, such as {examples}"
    return printable(text if group["complete"] else f"{text} (incomplete: a parent is missing)")
