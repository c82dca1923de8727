"""The graph of columns around a node, read from a running service."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from headwater.cli.service import NoResponse, fetch_json, printable


@dataclass(frozen=True, order=True, slots=True)
class GraphDataset:
    """A dataset with columns, or a version of it."""

    namespace: str
    name: str
    version: str | None = None

    @property
    def id(self) -> str:
        """The node id."""
        return _add_version(f"dataset:{self.namespace}:{self.name}", self.version)

    @property
    def short_name(self) -> str:
        """The last part of a path; the full name of a dataset that is no path."""
        return self.name.rstrip("/").rpartition("/")[2] or self.name

    def id_of(self, column: str) -> str:
        """Build the node id of a column."""
        return _add_version(f"datasetField:{self.namespace}:{self.name}:{column}", self.version)


@dataclass(frozen=True, slots=True)
class GraphColumn:
    """A column or, with `name` None, all of its dataset; `links` are API paths to continue."""

    id: str
    dataset: GraphDataset
    name: str | None
    type: str | None = None
    links: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ColumnEdge:
    """A dependency of a column (or dataset) on an origin; `operations` describe it, each once.

    `indirect`: the origin decides which rows exist, not their values; `masked`: the original values are hidden.
    """

    origin: str
    destination: str
    operations: tuple[str, ...] = ()
    indirect: bool = False
    masked: bool = False

    @property
    def label(self) -> str:
        """The operations as text."""
        return "; ".join(self.operations) or "unknown operation"


@dataclass(frozen=True, slots=True)
class ColumnGraph:
    """Columns by id, in the order of their ids, and the edges between them; `truncated`: the graph has more."""

    columns: Mapping[str, GraphColumn]
    edges: tuple[ColumnEdge, ...]
    truncated: bool = False


def fetch_response(url: str, node_id: str, *, depth: int, down: bool = False, token: str | None = None) -> Any:
    """Fetch the API's response about the columns upstream of a node; with `down`, downstream, too.

    Raises:
        NoResponse: no such node, or no such service.
    """
    query: dict[str, object] = {"nodeId": node_id, "depth": depth}
    if down:
        query["withDownstream"] = "true"
    return fetch_json(url, "/api/v1/column-lineage", query, token=token)


def parse_columns(response: Any) -> ColumnGraph:
    """Parse the response of `GET /api/v1/column-lineage`; a source beyond its depth is a column without a type.

    Raises:
        NoResponse: the response has a different form.
    """
    try:
        # A node without data is outside the caller's rights: its edges come from their other ends.
        documents = [document for document in response["graph"] if document["data"] is not None]
        parsed = [_parse_column(document) for document in documents]
        edges: dict[ColumnEdge, tuple[GraphColumn, GraphColumn]] = {}
        for column, data in zip(parsed, (document["data"] for document in documents), strict=True):
            edges.update(_edges_to(column, data["inputFields"]))
            edges.update(_edges_to(_whole(column.dataset), data.get("datasetDependencies") or ()))
        for document in response.get("datasets") or ():
            dataset = GraphDataset(document["namespace"], document["name"], document["datasetVersion"])
            edges.update(_edges_to(_whole(_of_version(document["id"], dataset)), document["datasetDependencies"]))
        truncated = bool(response.get("truncated"))
    except (KeyError, TypeError, AttributeError) as error:
        raise NoResponse(f"not a response about columns: {type(error).__name__} {error}") from error
    columns = {column.id: column for column in [*chain.from_iterable(edges.values()), *parsed]}
    ordered = tuple(sorted(edges, key=lambda edge: (edge.destination, edge.origin)))
    return ColumnGraph({column_id: columns[column_id] for column_id in sorted(columns)}, ordered, truncated)


def requested_columns(graph: ColumnGraph, node_id: str) -> list[str]:
    """Select the requested columns: the column, the columns of the dataset, or else all columns without a dependant.

    A dataset's node id is also the end of edges for all its rows: that node is no column.
    """
    column = node_id.replace("dataset_field:", "datasetField:", 1)
    if column in graph.columns and graph.columns[column].name is not None:
        return [column]
    of_dataset = [
        graph_column.id
        for graph_column in graph.columns.values()
        if graph_column.dataset.id == node_id and graph_column.name
    ]
    used = {edge.origin for edge in graph.edges}
    return of_dataset or [
        graph_column.id for graph_column in graph.columns.values() if graph_column.id not in used and graph_column.name
    ]


def sources_of(graph: ColumnGraph, node_id: str) -> list[GraphColumn]:
    """Find the origins of a column's values, in the order of their ids: columns without sources of their own.

    A column that only decides which rows exist is no source.
    """
    above: dict[str, list[str]] = {}
    for edge in graph.edges:
        if not edge.indirect:
            above.setdefault(edge.destination, []).append(edge.origin)
    seen, pending = {node_id}, [node_id]
    while pending:
        new = {origin for origin in above.get(pending.pop(), ()) if origin not in seen}
        pending += new
        seen |= new
    return [graph.columns[column_id] for column_id in sorted(seen) if column_id not in above]


def _parse_column(document: Mapping[str, Any]) -> GraphColumn:
    data = document["data"]
    dataset = _of_version(document["id"], _dataset_of(data))
    return GraphColumn(
        document["id"], dataset, printable(data["field"]), printable(data["type"]), data.get("links") or {}
    )


def _of_version(node_id: str, dataset: GraphDataset) -> GraphDataset:
    """Return the dataset, with its version only if the node id has it: current nodes name their latest version, too."""
    return dataset if dataset.version and node_id.endswith(f"#{dataset.version}") else replace(dataset, version=None)


def _dataset_of(document: Mapping[str, Any]) -> GraphDataset:
    return GraphDataset(document["namespace"], document["dataset"], document["datasetVersion"])


def _edges_to(
    end: GraphColumn, sources: Iterable[Mapping[str, Any]]
) -> Iterator[tuple[ColumnEdge, tuple[GraphColumn, GraphColumn]]]:
    """Yield the edges from sources to a column or to all of a dataset, each with both ends."""
    for source in sources:
        dataset, name = _dataset_of(source), source["field"]
        if not end.dataset.version:
            # In a current graph an origin has no version, even if an old version was read.
            dataset = replace(dataset, version=None)
        origin = _whole(dataset) if name is None else GraphColumn(dataset.id_of(name), dataset, printable(name))
        yield _edge(origin.id, end.id, source.get("transformations") or ()), (origin, end)


def _whole(dataset: GraphDataset) -> GraphColumn:
    return GraphColumn(dataset.id, dataset, None)


def _edge(origin: str, destination: str, transformations: Any) -> ColumnEdge:
    operations = tuple(dict.fromkeys(_describe(transformation) for transformation in transformations))
    indirect = bool(transformations) and all(transformation["type"] == "INDIRECT" for transformation in transformations)
    return ColumnEdge(
        origin,
        destination,
        operations,
        indirect,
        any(transformation.get("masking") for transformation in transformations),
    )


def _describe(transformation: Mapping[str, Any]) -> str:
    """Describe a transformation in a few words: its subtype and description, or its operations' names alone."""
    kind = (transformation.get("subtype") or transformation["type"]).lower().replace("_", " ")
    about = transformation.get("description")
    text = about if about and kind == "transformation" else f"{kind}: {about}" if about else kind
    return printable(f"{text} (masked)" if transformation.get("masking") else text)


def _add_version(node_id: str, version: str | None) -> str:
    return f"{node_id}#{version}" if version else node_id
