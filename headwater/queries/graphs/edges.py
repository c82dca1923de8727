"""Edges of a graph: the ways along a job's, those between datasets, and those to another part of a dataset.

The last DatasetEvent of a dataset with a `lineage` or a `columnLineage` facet says what it is made of (a view). Such a
declaration is walked as a job would be: from its sources to its dataset, and back.

    edges = DatasetEdges(view)
    edges.load_edges(groups)    # datasets of the loaded graph
    edges.derived(group)        # the visible datasets that are made of this one
    possible, more = possible_children([dag], view)    # a superset: each job's node says which job its parent is

A job that runs a day late reads the part of the day before: an edge to another part is marked, and leads on as others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, TypeAlias

from headwater.events.subsets import Part, are_apart
from headwater.facts.facts import DatasetFacts, IdText, dataset_of, job_of
from headwater.facts.index_rows import child_jobs_query
from headwater.facts.table import RowQuery
from headwater.queries.results.entities import Job
from headwater.queries.results.graphs import Direction
from headwater.queries.view import GraphView, ResolvedDataset
from headwater.queries.view.graph_view import WithUsers
from headwater.queries.view.names import datasets_beyond
from headwater_model.ids import DatasetId, JobId

# Jobs, of a namespace and of all, that are read for one parent.
CHILD_JOBS_MAX = 1_000
# Datasets, the first by name, that are read below a dataset.
DERIVED_MAX = 1_000
# Datasets that are read for the declared edges of one graph.
READ_MAX = 10_000
# A job, the direction of the way that led there, and the dataset before it on that way. The dataset is empty where the
# walk begins, or the job does not say which outputs are made of which inputs: the way leads on to all on that side.
Step: TypeAlias = tuple[JobId, Direction, IdText]
OPPOSITE: Mapping[Direction, Direction] = {"both": "both", "up": "down", "down": "up"}


def declared_sources(facts: DatasetFacts) -> set[DatasetId]:
    """Return the sources of a dataset by its last declaration, under the names that the declaration used."""
    if not facts.declarations:
        return set()
    last = facts.declarations[max(facts.declarations)]
    return {dataset_of(source) for sources in last["outputs"].values() for source in sources}


class DatasetEdges:
    """The declared edges of datasets that are loaded; `truncated`: there may be more than were read."""

    def __init__(self, view: GraphView) -> None:
        self._view = view
        self._read: set[DatasetId] = set()
        self.truncated = False

    def load_edges(self, groups: Iterable[ResolvedDataset]) -> None:
        """Read the datasets below these, and their sources."""
        names: set[DatasetId] = set()
        for group in groups:
            derived = sorted(group.derived)
            self.truncated |= len(derived) > DERIVED_MAX
            names.update(derived[:DERIVED_MAX], declared_sources(group.facts))
        new = sorted(names - self._read)
        left = READ_MAX - len(self._read)
        self.truncated |= len(new) > left
        if new[:left]:
            self._view.load(new[:left], users="writers")
            self._read.update(new[:left])

    def derived(self, group: ResolvedDataset) -> list[ResolvedDataset]:
        """Return the visible datasets that are made of a dataset for which `load` was called, by name."""
        made_of = set(group.names)
        possible = self._visible(group, group.derived)
        return [dataset for dataset in possible if not made_of.isdisjoint(declared_sources(dataset.facts))]

    def sources(self, group: ResolvedDataset) -> list[ResolvedDataset]:
        """Return the visible sources of a dataset for which `load` was called, by name."""
        return self._visible(group, declared_sources(group.facts))

    def _visible(self, group: ResolvedDataset, names: Set[DatasetId]) -> list[ResolvedDataset]:
        """Return the visible datasets of these names that were read, each once, without the dataset itself."""
        return [other for other in self._view.datasets(names & self._read) if other.primary != group.primary]


def with_users(names: Sequence[tuple[DatasetId, Direction]], *, is_last: bool) -> Iterator[WithUsers]:
    """Yield the datasets that are read alike, with the jobs to which their way leads.

    The readers of a dataset at the border are not read: it may be a hub. Nor are those beside a way up.
    """
    if is_last:
        yield [name for name, _ in names], "writers"
        return
    up, others = ([name for name, way in names if (way == "up") == is_up] for is_up in (True, False))
    if up:
        yield up, "up"
    if others:
        yield others, "down"


def users_beyond(group: ResolvedDataset, way: Direction) -> set[JobId]:
    """Return the jobs to which a way may lead from a dataset."""
    return {*(group.producers if way != "down" else ()), *(group.readers if way != "up" else ())}


def entered(job: Job, way: Direction, names: Mapping[DatasetId, IdText]) -> list[Step]:
    """Return the steps by which a way leads to the job from these datasets, given by each of their names."""
    entries = {names[name] for name in datasets_beyond(job, OPPOSITE[way]) if name in names}
    return [(job.id, way, entry) for entry in sorted(entries if has_flows(job, way) else {"" for _ in entries})]


def has_flows(job: Job, way: Direction) -> bool:
    """True if a way through the job leads only to what is made of the dataset that led there, or that it is made of."""
    return way != "both" and job.flows is not None


def edges_apart(
    jobs: Iterable[Job], nodes: Mapping[JobId, Mapping[str, Any]], primary: Callable[[DatasetId], DatasetId]
) -> Iterator[tuple[DatasetId, JobId]]:
    """Yield the edges from datasets to the jobs that read another part than all other jobs wrote.

    An edge counts only if the parts of all are known: of the job that reads, and of each other job that writes.
    """
    read: dict[tuple[DatasetId, JobId], Part | None] = {}
    written: dict[DatasetId, dict[JobId, Part | None]] = {}
    for job in jobs:
        for dataset, part in _parts(nodes[job.id], "inputs", primary).items():
            read[dataset, job.id] = part
        for dataset, part in _parts(nodes[job.id], "outputs", primary).items():
            written.setdefault(dataset, {})[job.id] = part
    for (dataset, reader), part in read.items():
        others = [other for writer, other in written.get(dataset, {}).items() if writer != reader]
        if part and others and all(other is not None and are_apart(part, other) for other in others):
            yield dataset, reader


def _parts(
    node: Mapping[str, Any], side: str, primary: Callable[[DatasetId], DatasetId]
) -> dict[DatasetId, Part | None]:
    """Return the part of each dataset on a side of a job, by primary name; None if unknown, or under two names."""
    known = node.get("parts", {}).get(side, {})
    parts: dict[DatasetId, Part | None] = {}
    for text in node[side]:
        dataset = primary(dataset_of(text))
        parts[dataset] = None if dataset in parts else known.get(text)
    return parts


def possible_children(parents: Iterable[JobId], view: GraphView) -> tuple[Sequence[JobId], bool]:
    """Return the jobs that ever named one of these as their parent, by id, and true if there are more.

    The parent's own namespace and those that the caller's token names are read by themselves, so that no number of
    others leaves their jobs out.
    """
    pages = view.query([query for parent in parents for query in _queries(parent, view)])
    children = {job_of(row.data["job"]) for page in pages for row in page.rows}
    return sorted(children), any(page.more for page in pages)


def _queries(parent: JobId, view: GraphView) -> Iterator[RowQuery]:
    named = {parent.namespace, *(name for name in view.caller.namespaces if not name.endswith("*"))}
    yield from (child_jobs_query(parent, namespace, CHILD_JOBS_MAX) for namespace in sorted(named))
    if not view.caller.strict or any(name.endswith("*") for name in view.caller.namespaces):
        yield child_jobs_query(parent, None, CHILD_JOBS_MAX)
