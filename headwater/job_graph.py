"""The graph of jobs and datasets around a node, as a running service answers it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from headwater.layers import Edge
from headwater.service import NoAnswer, ask, printable


@dataclass(frozen=True, slots=True)
class Job:
    """A job, with the state of its latest run and how long that took; both None for one that never ran.

    The state is empty where it is not shown.
    """

    id: str
    namespace: str
    name: str
    state: str | None = None
    duration_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Dataset:
    """A dataset; `stale` if no job writes it any more, `last_writer` is the job that did."""

    id: str
    namespace: str
    name: str
    stale: bool = False
    last_writer: str | None = None


Node: TypeAlias = Job | Dataset


@dataclass(frozen=True, slots=True)
class JobGraph:
    """Nodes by id, in the order of their ids, and edges in the direction of the data.

    `truncated`: more is connected than the answer holds.
    """

    nodes: Mapping[str, Node]
    edges: tuple[Edge, ...]
    truncated: bool = False


def ask_graph(url: str, node_id: str, *, depth: int, token: str | None = None) -> JobGraph:
    """The graph within `depth` jobs of a node (`job:<namespace>:<name>`, `dataset:<namespace>:<name>`).

    Raises:
        NoAnswer: no such node, no such service, or another answer than a graph.
    """
    return parse_graph(ask(url, "/api/v1/lineage", {"nodeId": node_id, "depth": depth}, token=token))


def parse_graph(answer: Any) -> JobGraph:
    """The answer of `GET /api/v1/lineage`; an edge with an end that is not in it is left out.

    Raises:
        NoAnswer: it is no such answer.
    """
    try:
        nodes = {form["id"]: _parse_node(form) for form in sorted(answer["graph"], key=lambda form: form["id"])}
        edges = {edge for form in answer["graph"] for edge in _edges(form) if len(nodes.keys() & {*edge}) == 2}
        return JobGraph(nodes, tuple(sorted(edges)), bool(answer.get("truncated")))
    except (KeyError, TypeError, AttributeError) as error:
        raise NoAnswer(f"not an answer about lineage: {type(error).__name__} {error}") from error


def short_name(node: Node) -> str:
    """A job's name; of a dataset that is a path, its last part.

    >>> short_name(Dataset("dataset:file:/demo/checked", "file", "/demo/checked"))
    'checked'
    >>> short_name(Dataset("dataset:db:shop.orders", "db", "shop.orders"))
    'shop.orders'
    """
    if isinstance(node, Job):
        return node.name
    return node.name.rstrip("/").rpartition("/")[2] or node.name


def _parse_node(form: Mapping[str, Any]) -> Node:
    data = form["data"]
    if data is None:
        # A neighbour of which the caller is shown the id alone.
        return Job(*_named(form), state="") if form["type"] == "JOB" else Dataset(*_named(form))
    if form["type"] == "JOB":
        run = data["latestRun"] or {}
        return Job(*_named(form), run.get("state"), run.get("durationMs"))
    writer = data.get("lastWrittenBy")
    return Dataset(*_named(form), bool(data.get("stale")), printable(writer["job"]["name"]) if writer else None)


def _named(form: Mapping[str, Any]) -> tuple[str, str, str]:
    data = form["data"] or {"namespace": "", "name": form["id"].partition(":")[2]}
    return form["id"], printable(data["namespace"]), printable(data["name"])


def _edges(form: Mapping[str, Any]) -> Iterator[Edge]:
    for edge in (*form["inEdges"], *form["outEdges"]):
        yield edge["origin"], edge["destination"]
