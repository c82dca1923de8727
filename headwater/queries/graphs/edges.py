"""Edges of a graph: between jobs and datasets, between datasets, and to another part of a dataset.

The last DatasetEvent of a dataset with a `lineage` or a `columnLineage` facet names the sources of the dataset, for
example of a view. The walk passes such a declaration like a job: from its sources to its dataset, and back.

    edges = DatasetEdges(view)
    edges.load_edges(groups)    # datasets of the loaded graph
    edges.derived(group)        # the visible datasets derived from the group, by declarations
    possible, more = possible_children([dag], view)    # a superset: each job's node names its parent now

A job that runs a day late reads the part of the day before. An edge to another part is marked; walks follow it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, TypeAlias

from headwater.events.subsets import Part, are_disjoint
from headwater.facts.facts import DatasetFacts, IdText, dataset_of, job_of
from headwater.facts.index_rows import child_jobs_query
from headwater.facts.table import RowQuery
from headwater.queries.results.entities import Job
from headwater.queries.results.graphs import Direction
from headwater.queries.view import GraphView, ResolvedDataset
from headwater.queries.view.loaded import WithUsers
from headwater.queries.view.names import next_datasets
from headwater_model.ids import DatasetId, JobId

# Jobs read for one parent: of a namespace, and of all.
CHILD_JOBS_MAX = 1_000
# Datasets read below a dataset, the first by name.
DERIVED_MAX = 1_000
# Datasets read for the declared edges of one graph.
READ_MAX = 10_000
# A job, the direction of the walk, and the dataset before the job. The dataset is empty at the start of a walk, and
# for a job without flows (pairs of input and output): the walk then leads on to all datasets on the job's next side.
Step: TypeAlias = tuple[JobId, Direction, IdText]
OPPOSITE: Mapping[Direction, Direction] = {"both": "both", "up": "down", "down": "up"}


def declared_sources(facts: DatasetFacts) -> set[DatasetId]:
    """List the sources in a dataset's last declaration as named there: `b` of `{"outputs": {"a": ["b"]}}`."""
    if not facts.declarations:
        return set()
    last = facts.declarations[max(facts.declarations)]
    return {dataset_of(source) for sources in last["outputs"].values() for source in sources}


class DatasetEdges:
    """The declared edges of loaded datasets; `truncated`: there may be more than were read."""

    def __init__(self, view: GraphView) -> None:
        self._view = view
        self._read: set[DatasetId] = set()
        self.truncated = False

    def load_edges(self, groups: Iterable[ResolvedDataset]) -> None:
        """Read the datasets below the groups, and the groups' sources."""
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
        """List the visible datasets derived from a group of `load_edges`, by name."""
        made_of = set(group.names)
        possible = self._visible(group, group.derived)
        return [dataset for dataset in possible if not made_of.isdisjoint(declared_sources(dataset.facts))]

    def sources(self, group: ResolvedDataset) -> list[ResolvedDataset]:
        """List the visible sources of a group of `load_edges`, by name."""
        return self._visible(group, declared_sources(group.facts))

    def _visible(self, group: ResolvedDataset, names: Set[DatasetId]) -> list[ResolvedDataset]:
        """List the visible datasets among the read names, each once, without the dataset itself."""
        return [other for other in self._view.datasets(names & self._read) if other.primary != group.primary]


def with_users(names: Sequence[tuple[DatasetId, Direction]], *, is_last: bool) -> Iterator[WithUsers]:
    """Yield the datasets in groups to read, each group with the users to read.

    Readers of a dataset at the border are not read: it may be a hub. A walk up reads no readers either.
    """
    if is_last:
        yield [name for name, _ in names], "writers"
        return
    up, others = ([name for name, way in names if (way == "up") == is_up] for is_up in (True, False))
    if up:
        yield up, "up"
    if others:
        yield others, "down"


def next_users(group: ResolvedDataset, way: Direction) -> set[JobId]:
    """List the jobs to which a walk may lead from a dataset."""
    return {*(group.producers if way != "down" else ()), *(group.readers if way != "up" else ())}


def entered(job: Job, way: Direction, names: Mapping[DatasetId, IdText]) -> list[Step]:
    """List the steps into the job from the datasets, given by each of their names."""
    entries = {names[name] for name in next_datasets(job, OPPOSITE[way]) if name in names}
    return [(job.id, way, entry) for entry in sorted(entries if has_flows(job, way) else {"" for _ in entries})]


def has_flows(job: Job, way: Direction) -> bool:
    """True if a walk through the job is limited to the job's flows from, or to, the dataset before it."""
    return way != "both" and job.flows is not None


def find_other_part_reads(
    jobs: Iterable[Job], nodes: Mapping[JobId, Mapping[str, Any]], primary: Callable[[DatasetId], DatasetId]
) -> Iterator[tuple[DatasetId, JobId]]:
    """Yield the edges from datasets to jobs, if the job reads another part than all other jobs wrote.

    An edge counts only if all parts are known: of the reader, and of each other writer.
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
        if part and others and all(other is not None and are_disjoint(part, other) for other in others):
            yield dataset, reader


def _parts(
    node: Mapping[str, Any], side: str, primary: Callable[[DatasetId], DatasetId]
) -> dict[DatasetId, Part | None]:
    """Find the part of each dataset on a side of a job, by primary name; None if unknown, or under two names."""
    known = node.get("parts", {}).get(side, {})
    parts: dict[DatasetId, Part | None] = {}
    for text in node[side]:
        dataset = primary(dataset_of(text))
        parts[dataset] = None if dataset in parts else known.get(text)
    return parts


def possible_children(parents: Iterable[JobId], view: GraphView) -> tuple[Sequence[JobId], bool]:
    """List the jobs that ever named a parent among `parents`, by id; return true, too, if there are more.

    The parent's own namespace and the namespaces of the caller's token are read by themselves: jobs of further
    namespaces never crowd their jobs out.
    """
    pages = view.query([query for parent in parents for query in _queries(parent, view)])
    children = {job_of(row.data["job"]) for page in pages for row in page.rows}
    return sorted(children), any(page.more for page in pages)


def _queries(parent: JobId, view: GraphView) -> Iterator[RowQuery]:
    named = {parent.namespace, *(name for name in view.caller.namespaces if not name.endswith("*"))}
    yield from (child_jobs_query(parent, namespace, CHILD_JOBS_MAX) for namespace in sorted(named))
    if not view.caller.strict or any(name.endswith("*") for name in view.caller.namespaces):
        yield child_jobs_query(parent, None, CHILD_JOBS_MAX)
