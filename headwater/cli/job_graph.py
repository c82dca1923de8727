"""The graph of jobs and datasets around a node, read from a running service, with the layers of its nodes.

Every edge leads to a later layer, unless it closes a cycle.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from headwater.cli.service import NoResponse, fetch_json, printable

Edge: TypeAlias = tuple[str, str]
_Successors: TypeAlias = Mapping[str, list[str]]


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
    """A dataset; `stale` without a current writer, then `last_writer` is the former."""

    id: str
    namespace: str
    name: str
    stale: bool = False
    last_writer: str | None = None


Node: TypeAlias = Job | Dataset


@dataclass(frozen=True, slots=True)
class JobGraph:
    """Nodes by id, in the order of their ids, and edges in the direction of the data.

    `truncated`: the response lacks connected nodes.
    """

    nodes: Mapping[str, Node]
    edges: tuple[Edge, ...]
    truncated: bool = False


def fetch_response(url: str, node_id: str, *, depth: int, token: str | None = None) -> Any:
    """Fetch the API's response about the graph within `depth` jobs of a node.

    Raises:
        NoResponse: no such node, or no such service.
    """
    return fetch_json(url, "/api/v1/lineage", {"nodeId": node_id, "depth": depth}, token=token)


def parse_graph(response: Any) -> JobGraph:
    """Parse the response of `GET /api/v1/lineage`; an edge with an end outside it is left out.

    Raises:
        NoResponse: the response has a different form.
    """
    try:
        nodes = {
            document["id"]: _parse_node(document)
            for document in sorted(response["graph"], key=lambda document: document["id"])
        }
        edges = {
            (edge["origin"], edge["destination"])
            for document in response["graph"]
            for edge in (*document["inEdges"], *document["outEdges"])
        }
        between = sorted(edge for edge in edges if len(nodes.keys() & {*edge}) == 2)
        return JobGraph(nodes, tuple(between), bool(response.get("truncated")))
    except (KeyError, TypeError, AttributeError) as error:
        raise NoResponse(f"not a response about lineage: {type(error).__name__} {error}") from error


def short_name(node: Node) -> str:
    """Shorten a name: a job's in full, a dataset's in full or, of a path, its last part.

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
        # A neighbour outside the caller's rights: only its id is known.
        return Job(*_parse_names(document), state="") if document["type"] == "JOB" else Dataset(*_parse_names(document))
    if document["type"] == "JOB":
        run = data["latestRun"] or {}
        return Job(*_parse_names(document), run.get("state"), run.get("durationMs"))
    writer = data.get("lastWrittenBy")
    return Dataset(
        *_parse_names(document), bool(data.get("stale")), printable(writer["job"]["name"]) if writer else None
    )


def _parse_names(document: Mapping[str, Any]) -> tuple[str, str, str]:
    data = document["data"] or {"namespace": "", "name": document["id"].partition(":")[2]}
    return document["id"], printable(data["namespace"]), printable(data["name"])


def layers_of(nodes: Collection[str], edges: Iterable[Edge]) -> Mapping[str, int]:
    """Compute each node's layer from 0: the longest path to it; a source is just before its first successor.

    >>> layers_of("abcx", [("a", "b"), ("b", "c"), ("x", "c")])
    {'a': 0, 'b': 1, 'c': 2, 'x': 1}
    >>> layers_of("ab", [("a", "b"), ("b", "a")])
    {'a': 0, 'b': 1}
    """
    edges = sorted(set(edges))
    successors = _successors_of(edges)
    fed = {destination for _, destination in edges}
    order = _in_order(sorted(nodes, key=lambda node: (node in fed, node)), successors)
    # An edge back in the order closes a cycle.
    onward = _successors_of(edge for edge in edges if order[edge[0]] < order[edge[1]])
    layers = dict.fromkeys(nodes, 0)
    for node in order:
        for successor in onward.get(node, ()):
            layers[successor] = max(layers[successor], layers[node] + 1)
    for node in set(onward).difference(*onward.values()):
        layers[node] = min(layers[successor] for successor in onward[node]) - 1
    return layers


def _in_order(nodes: Iterable[str], successors: _Successors) -> Mapping[str, int]:
    """Number the nodes in the reverse order of their ends in a depth-first walk: a node before its successors."""
    ended: list[str] = []
    seen: set[str] = set()
    path = [iter(nodes)]
    below: list[str] = []
    while path:
        node = next((node for node in path[-1] if node not in seen), None)
        if node is not None:
            seen.add(node)
            below.append(node)
            path.append(iter(successors.get(node, ())))
        else:
            path.pop()
            ended += [below.pop()] if below else []
    return {node: number for number, node in enumerate(reversed(ended))}


def _successors_of(edges: Iterable[Edge]) -> _Successors:
    successors: dict[str, list[str]] = defaultdict(list)
    for origin, destination in edges:
        successors[origin].append(destination)
    return successors
