"""The graph of jobs and datasets, now or as of a time, walked breadth first over current edges in both directions.

It is the same from every node of a component that the depth covers: a walk from a dataset begins with all its current
readers and producers. Hidden nodes, and nodes that the caller may not see in full, connect no others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lineage.graph.entities import Dataset, Graph, Job, LastWriter, outline_dataset, outline_job
from lineage.graph.facet_refs import without_references
from lineage.graph.facts import job_of
from lineage.graph.job_nodes import job_of_node
from lineage.graph.table import GraphTable
from lineage.graph.visibility import EVERYTHING, Visibility
from lineage.openlineage.event import Facets
from lineage.queries.current_facets import read_facets
from lineage.queries.dataset_groups import DatasetGroup, DatasetGroups, NamespaceDeletions
from lineage.queries.descriptions import dataset_of_group
from lineage.queries.stale import PRODUCERS_MAX, find_stale, nodes_of
from lineage.walk import Walked, walk
from lineage_model.ids import DatasetId, JobId

# Jobs and datasets of one graph: more than a response of 4 MB holds.
NODES_MAX = 5_000


class JobGraphWalk:
    """A walk in progress: the jobs and datasets so far, by hops, then ids."""

    def __init__(self, table: GraphTable, at: str | None = None, visibility: Visibility = EVERYTHING) -> None:
        self._table, self._at, self._visibility = table, at, visibility
        self._groups = DatasetGroups(table, at, edges=True)
        self._namespaces = NamespaceDeletions(table, at)
        self._nodes: dict[JobId, Mapping[str, Any]] = {}
        self._jobs: dict[JobId, Job] = {}
        self._datasets: dict[DatasetId, DatasetGroup] = {}
        # Names of datasets that were read, shown or not.
        self._names: set[DatasetId] = set()
        # The limit counts jobs and datasets: it shrinks by each dataset.
        self._walked = Walked[JobId](NODES_MAX)

    def from_job(self, job: JobId, depth: int) -> Graph | None:
        """Return the graph around a job; None if the job is unknown or hidden."""
        found = self._read_jobs([job])
        return self._walk_from(self._keep(found), depth) if found else None

    def from_dataset(self, dataset: DatasetId, depth: int) -> Graph | None:
        """Return the graph around a dataset, by any of its names; None if it is unknown or hidden."""
        self._groups.load([dataset])
        new = self._add_datasets([dataset])
        return self._walk_from(self._users_of(new), depth) if new else None

    def _walk_from(self, jobs: Sequence[JobId], depth: int) -> Graph:
        """Add these jobs and their datasets; then, hop by hop, the jobs that share one with those added last."""
        walk(jobs, self._add_jobs, into=self._walked, depth=depth)
        return self._graph()

    def _add_jobs(self, jobs: Sequence[JobId], is_last: bool) -> Sequence[JobId]:
        """Add the datasets of these jobs; return the jobs that read or produce one of the new datasets."""
        opened = [self._jobs[job] for job in jobs if self._visibility.opens(job)]
        names = {one for job in opened for one in (*job.inputs, *job.outputs)} - self._names
        # Names beyond the limit are not read.
        some = self._walked.fitting(sorted(names))
        # The readers of a dataset at the border are not read: it may be a hub.
        self._groups.load(some, readers=not is_last)
        new = self._add_datasets(some)
        return () if is_last else self._users_of(new)

    def _add_datasets(self, names: Sequence[DatasetId]) -> list[DatasetGroup]:
        """Add the visible datasets of these loaded names; return the new ones."""
        self._names.update(names)
        primaries = sorted({self._groups.primary(name) for name in names} - self._datasets.keys())
        self._namespaces.load(primary.namespace for primary in primaries)
        groups = [self._groups.group(primary) for primary in primaries]
        new = self._walked.fitting([group for group in groups if group.known and not self._namespaces.hides(group)])
        self._walked.limit -= len(new)
        self._datasets.update((group.primary, group) for group in new)
        return list(new)

    def _users_of(self, groups: Iterable[DatasetGroup]) -> Sequence[JobId]:
        """Return the visible jobs that read or produce a dataset of these groups and are not in the graph yet."""
        users: set[JobId] = set()
        opened = list(filter(self._opens, groups))
        for group in opened:
            self._walked.truncated |= group.cut
            users |= group.producers | group.readers
        among = {name for group in opened for name in group.names}
        found = self._read_jobs(sorted(users - self._jobs.keys()))
        return self._keep(job for job in found if not among.isdisjoint((*job.inputs, *job.outputs)))

    def _keep(self, jobs: Iterable[Job]) -> list[JobId]:
        found = {job.id: job for job in jobs}
        self._jobs.update(found)
        return list(found)

    def _read_jobs(self, jobs: Sequence[JobId]) -> list[Job]:
        """Return the existing jobs that are not hidden, with datasets under the names that the jobs used."""
        fitting = self._walked.fitting(jobs)
        new = [job for job in fitting if job not in self._nodes]
        self._nodes.update(nodes_of(new, self._table, self._at))
        self._namespaces.load(job.namespace for job in new)
        nodes = [self._nodes[job] for job in fitting if job in self._nodes]
        found = [job_of_node(node, self._namespaces.deleted(job_of(node["job"]).namespace)) for node in nodes]
        return [job for job in found if not job.hidden]

    def _opens(self, group: DatasetGroup) -> bool:
        return self._visibility.opens(*group.names)

    def _under_primaries(self, job: Job) -> Job:
        return replace(job, inputs=self._primaries(job.inputs), outputs=self._primaries(job.outputs))

    def _primaries(self, names: Iterable[DatasetId]) -> tuple[DatasetId, ...]:
        return tuple(sorted({self._groups.primary(name) for name in names}))

    def _graph(self) -> Graph:
        self._jobs = {job.id: self._under_primaries(job) for job in self._jobs.values()}
        groups = list(filter(self._opens, self._datasets.values()))
        unseen = {job for group in groups for job in group.producers} - self._nodes.keys()
        self._walked.truncated |= self._groups.truncated or len(unseen) > PRODUCERS_MAX
        writers = find_stale(groups, self._table, self._namespaces, self._at, self._nodes)
        facets = read_facets(groups, self._table, self._at)
        opened = {
            group.primary: _summarized(group, some, writers.get(group.primary))
            for group, some in zip(groups, facets, strict=True)
        }
        datasets = tuple(opened.get(one) or outline_dataset(one) for one in self._datasets)
        jobs = tuple(one if self._visibility.opens(one.id) else outline_job(one.id) for one in self._jobs.values())
        return Graph(jobs, datasets, tuple(self._edges()), self._walked.truncated)

    def _edges(self) -> list[tuple[str, str]]:
        """Return the edges with at least one end that is shown in full; edges between two outlines are private."""
        edges = set()
        opened = {primary for primary, group in self._datasets.items() if self._opens(group)}
        for job in self._jobs.values():
            near = self._datasets.keys() if self._visibility.opens(job.id) else opened
            edges |= {(one.node_id, job.id.node_id) for one in job.inputs if one in near}
            edges |= {(job.id.node_id, one.node_id) for one in job.outputs if one in near}
        return sorted(edges)


def _summarized(group: DatasetGroup, facets: Facets, last: LastWriter | None) -> Dataset:
    found = dataset_of_group(group, facets, stale=last is not None, last_written_by=last)
    return replace(found, facets=without_references(found.facets))
