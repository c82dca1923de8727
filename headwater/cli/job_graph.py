"""The graph of jobs and datasets around a node, read from a running service."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from headwater.cli.layers import Edge
from headwater.cli.service import NoResponse, fetch_json, printable


@dataclass(frozen=True, slots=True)
class Job:
    """A job, with the state and duration of its latest run; both None if it never ran.

    The state is empty if the caller may not read it.
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

    `truncated`: more is connected than the response holds.
    """

    nodes: Mapping[str, Node]
    edges: tuple[Edge, ...]
    truncated: bool = False


def fetch_graph(url: str, node_id: str, *, depth: int, token: str | None = None) -> JobGraph:
    """Fetch the graph within `depth` jobs of a node (`job:<namespace>:<name>`, `dataset:<namespace>:<name>`).

    Raises:
        NoResponse: no such node, no such service, or a response that is no graph.
    """
    return parse_graph(fetch_response(url, node_id, depth=depth, token=token))


def fetch_response(url: str, node_id: str, *, depth: int, token: str | None = None) -> Any:
    """Fetch the API's response about the graph of a node.

    Raises:
        NoResponse: no such node, or no such service.
    """
    return fetch_json(url, "/api/v1/lineage", {"nodeId": node_id, "depth": depth}, token=token)


def parse_graph(response: Any) -> JobGraph:
    """Parse the response of `GET /api/v1/lineage`; an edge with an end outside it is left out.

    Raises:
        NoResponse: it is no such response.
    """
    try:
        nodes = {
            document["id"]: _parse_node(document)
            for document in sorted(response["graph"], key=lambda document: document["id"])
        }
        edges = {
            edge for document in response["graph"] for edge in _edges(document) if len(nodes.keys() & {*edge}) == 2
        }
        return JobGraph(nodes, tuple(sorted(edges)), bool(response.get("truncated")))
    except (KeyError, TypeError, AttributeError) as error:
        raise NoResponse(f"not a response about lineage: {type(error).__name__} {error}") from error


def short_name(node: Node) -> str:
    """Return a job's name, or a dataset's; of a dataset that is a path, its last part.

    >>> short_name(Dataset("dataset:file:/demo/checked", "file", "/demo/checked"))
    'checked'
    >>> short_name(Dataset("dataset:db:shop.orders", "db", "shop.orders"))
    'shop.orders'
    """
    if isinstance(node, Job):
        return node.name
    return node.name.rstrip("/").rpartition("/")[2] or node.name


def _parse_node(document: Mapping[str, Any]) -> Node:
    data = document["data"]
    if data is None:
        # The caller may not read this neighbour: only its id is known.
        return Job(*_named(document), state="") if document["type"] == "JOB" else Dataset(*_named(document))
    if document["type"] == "JOB":
        run = data["latestRun"] or {}
        return Job(*_named(document), run.get("state"), run.get("durationMs"))
    writer = data.get("lastWrittenBy")
    return Dataset(*_named(document), bool(data.get("stale")), printable(writer["job"]["name"]) if writer else None)


def _named(document: Mapping[str, Any]) -> tuple[str, str, str]:
    data = document["data"] or {"namespace": "", "name": document["id"].partition(":")[2]}
    return document["id"], printable(data["namespace"]), printable(data["name"])


def _edges(document: Mapping[str, Any]) -> Iterator[Edge]:
    for edge in (*document["inEdges"], *document["outEdges"]):
        yield edge["origin"], edge["destination"]
