"""The graph of jobs and datasets, now or as of a time: walked breadth first over current edges, both ways.

The same from every node of a component that the depth covers: a walk from a dataset begins with all its current
readers and producers, and what is hidden is no bridge.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from lineage.names import DatasetId, JobId
from lineage.runs.current import found_job, job_node
from lineage.runs.described import found_dataset
from lineage.runs.facts import JobFacts, until
from lineage.runs.found import FoundJob, Graph
from lineage.runs.groups import Group, Groups
from lineage.runs.hidden import Namespaces
from lineage.runs.keys import current_key, facts_key
from lineage.runs.newest import newest_known, newest_started
from lineage.runs.table import GraphTable
from lineage.runs.written import last_writers

T = TypeVar("T")
# Jobs and datasets of one graph: more than an answer of 4 MB holds.
NODES_MAX = 5_000


class Walk:
    """A walk under way: what it has found so far, in the order of hops, then ids."""

    def __init__(self, table: GraphTable, at: str | None = None) -> None:
        self._table, self._at = table, at
        self._groups = Groups(table, at, edges=True)
        self._namespaces = Namespaces(table, at)
        self._seen: dict[JobId, FoundJob] = {}
        self._jobs: dict[JobId, FoundJob] = {}
        self._datasets: dict[DatasetId, Group] = {}
        self._truncated = False

    def from_job(self, job: JobId, depth: int) -> Graph | None:
        """The graph around a job; None if there is none of this name, or it is hidden."""
        found = self._look_at([job])
        return self._walk(found, depth) if found else None

    def from_dataset(self, dataset: DatasetId, depth: int) -> Graph | None:
        """The graph around a dataset, under whatever of its names; None if there is none, or it is hidden."""
        new = self._add_datasets([dataset])
        return self._walk(self._users_of(new), depth) if new else None

    def _walk(self, jobs: Sequence[FoundJob], depth: int) -> Graph:
        """Add these jobs and their datasets; then, hop by hop, the jobs that share one with those added last."""
        for hop in range(depth + 1):
            fitting = self._fitting(jobs)
            self._jobs.update((job.id, job) for job in fitting)
            new = self._add_datasets({one for job in fitting for one in (*job.inputs, *job.outputs)})
            if not new or hop == depth:
                break
            jobs = self._users_of(new)
        return self._graph()

    def _fitting(self, some: Sequence[T]) -> Sequence[T]:
        """As many of them as the graph may still hold."""
        room = max(NODES_MAX - len(self._jobs) - len(self._datasets), 0)
        self._truncated |= len(some) > room
        return some[:room]

    def _add_datasets(self, names: Iterable[DatasetId]) -> list[Group]:
        """Add the visible datasets of these names; those that are new."""
        self._groups.load(names)
        primaries = sorted({self._groups.primary(name) for name in names} - self._datasets.keys())
        self._namespaces.load(primary.namespace for primary in primaries)
        groups = [self._groups.group(primary) for primary in primaries]
        new = self._fitting([group for group in groups if group.known and not self._namespaces.hides(group)])
        self._datasets.update((group.primary, group) for group in new)
        return list(new)

    def _users_of(self, groups: Iterable[Group]) -> list[FoundJob]:
        """The visible jobs that read or produce one of these, and were not looked at before."""
        users: set[JobId] = set()
        for group in groups:
            self._truncated |= group.cut
            users |= group.producers | group.readers
        among = {group.primary for group in groups}
        found = self._look_at(sorted(users - self._seen.keys()))
        return [job for job in found if not among.isdisjoint((*job.inputs, *job.outputs))]

    def _look_at(self, jobs: Sequence[JobId]) -> list[FoundJob]:
        """The jobs of these names that are there and not hidden, their datasets under their primary names."""
        nodes = nodes_of(self._fitting(jobs), self._table, self._at)
        self._namespaces.load(job.namespace for job in nodes)
        found = [found_job(node, self._namespaces.deleted(job.namespace)) for job, node in nodes.items()]
        self._groups.load(one for job in found for one in (*job.inputs, *job.outputs))
        for job in found:
            self._seen[job.id] = replace(job, inputs=self._primaries(job.inputs), outputs=self._primaries(job.outputs))
        return [self._seen[job.id] for job in found if not job.hidden]

    def _primaries(self, names: Iterable[DatasetId]) -> tuple[DatasetId, ...]:
        return tuple(sorted({self._groups.primary(name) for name in names}))

    def _graph(self) -> Graph:
        stale = self._without_producer()
        writers = dict(
            zip(stale, last_writers([self._datasets[one] for one in stale], self._table, self._at), strict=True)
        )
        datasets = []
        for primary, group in self._datasets.items():
            last = writers.get(primary)
            datasets.append(found_dataset(group, stale=last is not None, last_written_by=last))
        return Graph(tuple(self._jobs.values()), tuple(datasets), tuple(self._edges()), self._truncated)

    def _without_producer(self) -> list[DatasetId]:
        """The datasets that no visible job produces, within the depth or beyond."""
        left = self._unproduced()
        beyond = {job for one in left for job in self._datasets[one].producers} - self._seen.keys()
        if beyond:
            self._look_at(sorted(beyond))
        return self._unproduced()

    def _unproduced(self) -> list[DatasetId]:
        produced = {one for job in self._seen.values() if not job.hidden for one in job.outputs}
        return [dataset for dataset in self._datasets if dataset not in produced]

    def _edges(self) -> list[tuple[str, str]]:
        edges = set()
        for job in self._jobs.values():
            edges |= {(one.node_id, job.id.node_id) for one in job.inputs if one in self._datasets}
            edges |= {(job.id.node_id, one.node_id) for one in job.outputs if one in self._datasets}
        return sorted(edges)


def nodes_of(jobs: Sequence[JobId], table: GraphTable, at: str | None = None) -> dict[JobId, Mapping[str, Any]]:
    """The node of each job that is known (or was, at that time), in the given order."""
    if not jobs:
        return {}
    if at is None:
        rows = table.get(current_key(job) for job in jobs)
        return {job: rows[current_key(job)].data for job in jobs if current_key(job) in rows}
    rows = table.get(facts_key(job) for job in jobs)
    told = {job: JobFacts(**rows[facts_key(job)].data["facts"]) for job in jobs if facts_key(job) in rows}
    there = [job for job, facts in told.items() if facts.first and facts.first < at]
    known, latest = newest_known(there, table, at), newest_started(there, table, at)
    return {job: job_node(job, until(told[job], at), known.get(job), latest.get(job), told[job].last) for job in there}
