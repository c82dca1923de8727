"""The lineage graph, job by job, read from a running service for an export.

    reading = Reading(partial(fetch_json, url, token=token), columns=True)
    for part in reading.parts(Scope(namespace="emissions")):
        ...                           # a `JobPart` or a `DatasetPart`
    reading.cuts                      # reasons why parts of the scope are missing

Memory holds the names of the datasets, and the responses about `_AT_ONCE` jobs. The parts are in the order of the
service's lists: first jobs with their edges, then datasets. Requests take time, and the graph may change meanwhile: an
export is no snapshot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias
from urllib.parse import quote

from headwater.aws.items import chunks
from headwater.cli.job_graph import Edge
from headwater.cli.service import Get, NoResponse

Direction: TypeAlias = Literal["both", "up", "down"]
Document: TypeAlias = Mapping[str, Any]

_PAGE = 100
# Jobs read side by side.
_AT_ONCE = 8


class Name(NamedTuple):
    """The namespace and name of a job or dataset."""

    namespace: str
    name: str


@dataclass(frozen=True, slots=True)
class Scope:
    """The part of the graph to export: around a node, of a namespace, or all of it without either.

    A namespace has its jobs, with all their inputs and outputs, and its datasets.
    """

    node_id: str | None = None
    depth: int = 20
    direction: Direction = "both"
    namespace: str | None = None


@dataclass(frozen=True, slots=True)
class JobPart:
    """A job with its edges, in the direction of the data: `node` and `neighbours` are documents of `/lineage` by id.

    A neighbour hidden from the caller is left out. `resource` is the job's own document, and `columns` the response of
    `/column-lineage` about its outputs: both None in an export without columns.
    """

    node: Document
    neighbours: Mapping[str, Document]
    edges: tuple[Edge, ...]
    resource: Document | None = None
    columns: Document | None = None


@dataclass(frozen=True, slots=True)
class DatasetPart:
    """A dataset as its own route returns it; in short for an export without columns.

    `columns` is the response of `/column-lineage`, if it has columns and no job writes it: events declared them.
    """

    resource: Document
    columns: Document | None = None


Part: TypeAlias = JobPart | DatasetPart


@dataclass
class Reading:
    """A reader of parts; with `columns`, of all parts of events, else of nodes and edges alone.

    `report` gets the progress as text.
    """

    get: Get
    columns: bool
    report: Callable[[str], None] = lambda _: None
    cuts: list[str] = field(default_factory=list)
    _named: dict[Name, None] = field(default_factory=dict)
    _listed: set[Name] = field(default_factory=set)
    _written: set[Name] = field(default_factory=set)
    _jobs: int = 0

    def parts(self, scope: Scope) -> Iterator[Part]:
        """Yield the jobs of a scope, then its datasets.

        Raises:
            NoResponse: no such node or namespace, no such service, or a response of another form.
        """
        try:
            if scope.node_id:
                yield from self._around(scope)
            else:
                of_namespace = "" if scope.namespace is None else f"/namespaces/{_segment(scope.namespace)}"
                yield from self._side_by_side(self._pages(f"/api/v1{of_namespace}/jobs", "jobs"), self._read_job)
                yield from self._listed_datasets(scope.namespace)
            if self.columns:
                # The datasets that jobs named and no list had.
                for number, name in enumerate(name for name in self._named if name not in self._listed):
                    self.report(f"{self._jobs:,} jobs, {len(self._listed) + number:,} datasets")
                    yield self._dataset_part(self.get(_path_of("datasets", name), {}))
        except (KeyError, TypeError, AttributeError) as error:
            raise NoResponse(f"not a response about lineage: {type(error).__name__} {error}") from error

    def _around(self, scope: Scope) -> Iterator[Part]:
        query = {"nodeId": scope.node_id, "depth": scope.depth, "direction": scope.direction}
        response = self.get("/api/v1/lineage", query)
        if response["truncated"]:
            self.cuts.append(
                f"the graph around {scope.node_id} is more than a response holds: the nearest nodes are here"
            )
        nodes = {document["id"]: document for document in response["graph"]}
        jobs = [node for node in nodes.values() if node["type"] == "JOB" and node["data"] is not None]
        yield from self._side_by_side(jobs, lambda job: self._part_of(job, nodes))
        datasets = [node for node in nodes.values() if node["type"] == "DATASET" and node["data"] is not None]
        for dataset in datasets:
            self._named[name_of(dataset["data"])] = None
            if not self.columns:
                yield DatasetPart(dataset["data"])

    def _read_job(self, job: Document) -> JobPart:
        """Read a job of a list with the graph of its own datasets."""
        node_id = f"job:{job['namespace']}:{job['name']}"
        nodes = self._graph_of(node_id, depth=0)
        if "flows" in nodes[node_id]["data"] or "lineage" in job.get("facets", {}):
            # Its `lineage` facet may name further jobs whose data it takes: they are a hop away.
            nodes = self._graph_of(node_id, depth=1)
        return self._part_of(nodes[node_id], nodes, job)

    def _graph_of(self, node_id: str, *, depth: int) -> Mapping[str, Document]:
        response = self.get("/api/v1/lineage", {"nodeId": node_id, "depth": depth})
        if response["truncated"] and depth == 0:
            self.cuts.append(f"{node_id} has more inputs and outputs than a response holds")
        return {document["id"]: document for document in response["graph"]}

    def _part_of(self, node: Document, nodes: Mapping[str, Document], resource: Document | None = None) -> JobPart:
        """Make the part of a job in a graph: its edges to the nodes of the graph."""
        pairs = [(edge["origin"], edge["destination"]) for edge in (*node["inEdges"], *node["outEdges"])]
        ends = {end: nodes[end] for edge in pairs for end in edge if end in nodes and end != node["id"]}
        hidden = [end for end, document in ends.items() if document["data"] is None]
        if hidden:
            self.cuts.append(f"{node['id']} has {len(hidden):,} neighbours that this caller may not read")
        neighbours = {end: ends[end] for end in ends if end not in hidden}
        shown = neighbours.keys() | {node["id"]}
        edges = tuple(sorted({edge for edge in pairs if shown >= {*edge}}))
        columns = None
        if self.columns:
            resource = resource or self.get(_path_of("jobs", name_of(node["data"])), {})
            columns = self._columns_of(node["id"]) if node["data"]["outputs"] else None
        return JobPart(node, neighbours, edges, resource, columns)

    def _columns_of(self, node_id: str) -> Document:
        """Read the columns of a dataset, or of a job's outputs."""
        response: Document = self.get("/api/v1/column-lineage", {"nodeId": node_id})
        if response["truncated"]:
            self.cuts.append(f"{node_id} has more columns than a response holds")
        return response

    def _side_by_side(self, jobs: Iterable[Document], read: Callable[[Document], JobPart]) -> Iterator[JobPart]:
        """Yield the jobs' parts in order, several read at once; remember the datasets in them."""
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            for batch in chunks(jobs, _AT_ONCE):
                for part in pool.map(read, batch):
                    self._jobs += 1
                    datasets = {
                        node["id"]: name_of(node["data"])
                        for node in part.neighbours.values()
                        if node["type"] == "DATASET"
                    }
                    self._named.update(dict.fromkeys(datasets.values()))
                    self._written.update(datasets[end] for _, end in part.edges if end in datasets)
                    self.report(f"{self._jobs:,} jobs")
                    yield part

    def _listed_datasets(self, namespace: str | None) -> Iterator[DatasetPart]:
        listed = (
            document["name"] for document in self._pages("/api/v1/namespaces", "namespaces") if not document["isHidden"]
        )
        for name in listed if namespace is None else [namespace]:
            for dataset in self._pages(f"/api/v1/namespaces/{_segment(name)}/datasets", "datasets"):
                self._listed.add(name_of(dataset))
                self.report(f"{self._jobs:,} jobs, {len(self._listed):,} datasets")
                yield self._dataset_part(dataset)

    def _dataset_part(self, resource: Document) -> DatasetPart:
        name = name_of(resource)
        if not self.columns or name in self._written or resource["columnLineage"] is None:
            return DatasetPart(resource)
        return DatasetPart(resource, self._columns_of(f"dataset:{name.namespace}:{name.name}"))

    def _pages(self, path: str, items: str) -> Iterator[Document]:
        """Yield the items of a list, whose pages may be cut to the size of a response."""
        form = {} if self.columns or items == "namespaces" else {"form": "summary"}
        offset = 0
        while True:
            page = self.get(path, {"limit": _PAGE, "offset": offset, **form})
            yield from page[items]
            offset += len(page[items])
            if not page[items] or offset >= page["totalCount"]:
                if page.get("truncated"):
                    self.cuts.append(f"the service did not read all {items} for {path}")
                return


def name_of(document: Document) -> Name:
    """Read the name in a document of a job or dataset."""
    return Name(document["namespace"], document["name"])


def _path_of(kind: str, name: Name) -> str:
    return f"/api/v1/namespaces/{_segment(name.namespace)}/{kind}/{_segment(name.name)}"


def _segment(text: str) -> str:
    return quote(text, safe="")
