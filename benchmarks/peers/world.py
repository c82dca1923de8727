"""The world of the comparison with Marquez: its events, and the queries that both services get.

Jobs run in chains of ten (`benchmarks.pipelines`), each once. A job copies ten columns of its first input into both
outputs, by `columnLineage` of its COMPLETE. A hub of 200 readers stands beside the chains at every size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias
from urllib.parse import quote

from benchmarks.fields_pipelines import sends_copies
from benchmarks.pipelines import CHAIN, NAMESPACE, STORE, Step, chain, hub, run_events

Json: TypeAlias = dict[str, Any]
# Sizes of a response by name: "nodes", "edges", "names".
Counts: TypeAlias = Mapping[str, int]

READERS = 200
_COLUMNS = 10
_LIST = 100
_DATASETS = f"/api/v1/namespaces/{quote(STORE, safe='')}/datasets"


@dataclass(frozen=True, slots=True)
class Query:
    """A query of both services: its path at ours and at Marquez, and the counts of a response.

    `differs` gives the reason where the counts differ; empty if they must be equal.
    """

    name: str
    ours: str
    marquez: str
    count: Callable[[Json], Counts]
    differs: str = ""


def events(begin: int, end: int, *, hub: bool) -> Iterator[Json]:
    """Yield the events of the jobs from a number to another, in chains, and of the readers of the hub."""
    for step in steps(begin, end, readers=hub):
        yield from events_of(step)


def steps(begin: int, end: int, *, readers: bool) -> Iterator[Step]:
    """Yield the jobs from a number to another, in chains, after the readers of the hub."""
    if readers:
        yield from hub(READERS)
    for number in range(begin // CHAIN, end // CHAIN):
        yield from chain(number)


def events_of(step: Step) -> list[Json]:
    """Return the START and COMPLETE of a job's run; of a job in a chain, the COMPLETE has column lineage."""
    if step.inputs == ("hub",):
        return run_events(step, 0)
    start, complete = sends_copies(_COLUMNS)(step, 0)
    for output in start["outputs"]:
        del output["facets"]["columnLineage"]
    return [start, complete]


def queries() -> list[Query]:
    """Return the queries: of the first chain, of the hub, and of the lists."""
    first = chain(0)
    middle, last = first[CHAIN // 2], first[-1]
    hub_node, column = f"dataset:{STORE}:hub", "feature_0003"
    upstream = f"nodeId=datasetField:{STORE}:{last.outputs[0]}:{column}&depth=20"
    both = f"nodeId=datasetField:{STORE}:{middle.outputs[0]}:{column}&depth=20&withDownstream=true"
    return [
        _graph("/lineage of a job, depth 2", middle, 2),
        _graph("/lineage of a job, depth 20", middle, 20),
        _same(f"/lineage of a hub of {READERS} readers, depth 2", f"/api/v1/lineage?nodeId={hub_node}&depth=2", _nodes),
        _same(
            f"/lineage of a hub of {READERS} readers, depth 20", f"/api/v1/lineage?nodeId={hub_node}&depth=20", _nodes
        ),
        _same("/column-lineage, upstream", f"/api/v1/column-lineage?{upstream}", _columns),
        _same("/column-lineage, withDownstream", f"/api/v1/column-lineage?{both}", _columns, _SIBLINGS),
        _same("a dataset", f"{_DATASETS}/{quote(middle.outputs[0], safe='')}", _fields),
        _same(f"a list of {_LIST} jobs", f"/api/v1/namespaces/{NAMESPACE}/jobs?limit={_LIST}", _names),
        _same(f"a list of {_LIST} datasets", f"{_DATASETS}?limit={_LIST}", _names),
        _same("a search, 41 matches", _search("chain_00001"), _found),
        _same("a search, 10 to 1,000 matches", _search("stage_5"), _found),
    ]


_SIBLINGS = "Marquez goes down from every source, too, and so returns their other copies"


def _graph(name: str, step: Step, depth: int) -> Query:
    """Return a query around a job; Marquez puts the name of a job's parent before its own."""
    path = "/api/v1/lineage?nodeId=job:{}:{}&depth={}"
    theirs = path.format(NAMESPACE, f"{step.pipeline}.{step.job}", depth)
    return Query(name, path.format(NAMESPACE, step.job, depth), theirs, _nodes)


def _search(text: str) -> str:
    return f"/api/v1/search?q={text}&filter=DATASET&limit=10"


def _same(name: str, path: str, count: Callable[[Json], Counts], differs: str = "") -> Query:
    return Query(name, path, path, count, differs)


def _nodes(response: Json) -> Counts:
    nodes = response["graph"]
    return {"nodes": len(nodes), "edges": sum(len(node["outEdges"]) for node in nodes)}


def _columns(response: Json) -> Counts:
    nodes = response["graph"]
    return {"nodes": len(nodes), "sources": sum(len((node["data"] or {})["inputFields"]) for node in nodes)}


def _fields(response: Json) -> Counts:
    return {"columns": len(response["fields"])}


def _names(response: Json) -> Counts:
    return {"names": len(response.get("jobs") or response["datasets"])}


def _found(response: Json) -> Counts:
    return {"names": len(response["results"])}
