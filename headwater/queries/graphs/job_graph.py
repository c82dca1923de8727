"""The graph of jobs and datasets, now or as of a time, walked breadth first over current edges.

Walked in both directions, it is the same from every node of a component within the depth: a walk from a dataset begins
with all its current readers and producers. Walked up or down, it has only nodes on a directed path from the start. A
walk from a job begins with all its descendants, too: the graph of a DAG is the graph of its tasks. No walk passes a
hidden node, or a node shown by its id alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import astuple
from typing import Any

from headwater.facts.facet_refs import without_references
from headwater.facts.facts import IdText, dataset_of, text_of
from headwater.facts.job_edges import DATA_ALONE, JobEdge, Kind, are_dependents_cut, dependents_in, edges_in
from headwater.queries.graphs.edges import (
    DatasetEdges,
    Step,
    declared_sources,
    entered,
    find_other_part_reads,
    next_users,
    possible_children,
    with_users,
)
from headwater.queries.graphs.short_forms import PRODUCERS_MAX, find_writes
from headwater.queries.results.entities import Dataset, Job, redacted_dataset
from headwater.queries.results.graphs import Degree, Dependency, Direction, Graph, GraphDirection
from headwater.queries.view import GraphView, ResolvedDataset
from headwater.queries.view.descriptions import dataset_of_group, read_facets
from headwater.queries.view.loaded import WithUsers
from headwater.queries.view.names import next_datasets
from headwater.queries.view.nodes import resolve_assertions, under_primaries
from headwater.walk import Budget, Walked, walk
from headwater_model.ids import DatasetId, JobId

# Generations of descendants at the start of a walk from a job.
GENERATIONS_MAX = 10
# Jobs and datasets of one graph: more than a response of 4 MB holds.
NODES_MAX = 5_000

# A walk passes a declared edge between datasets like a job: under the name of the derived dataset, in a namespace of no
# job.
_DECLARED = ""
_DIRECTIONS: Mapping[GraphDirection, tuple[Direction, ...]] = {
    "both": ("both",),
    "up": ("up",),
    "down": ("down",),
    "through": ("up", "down"),
}


class JobGraphWalk:
    """A walk in progress: the jobs and datasets so far, by hops, then ids."""

    def __init__(
        self,
        view: GraphView,
        *,
        direction: GraphDirection = "both",
        job_edges: Collection[Kind] = DATA_ALONE,
        limit: int | None = None,
    ) -> None:
        self._view = view
        self._directions = _DIRECTIONS[direction]
        self._job_edges = job_edges
        # Hops after the next read of jobs.
        self._hops_left = 0
        self._declared = DatasetEdges(view)
        # The nodes of the read jobs, shown or not.
        self.nodes: dict[JobId, Mapping[str, Any]] = {}
        self._jobs: dict[JobId, Job] = {}
        self._datasets: dict[DatasetId, ResolvedDataset] = {}
        # Read names of datasets, shown or not, and shown datasets, each by the direction of the walk into it.
        self._names: set[tuple[DatasetId, Direction]] = set()
        self._reached: set[tuple[DatasetId, Direction]] = set()
        # The shown jobs and datasets in the order of hops: each takes a place of the budget.
        self._order: list[JobId | DatasetId] = []
        self._budget = Budget(NODES_MAX if limit is None else limit)
        self._walked = Walked[Step]()

    def from_job(self, job: JobId, depth: int) -> Graph | None:
        """Walk around a job and its descendants; None if the job is unknown or hidden."""
        return self.from_jobs([job], depth)

    def from_jobs(self, jobs: Sequence[JobId], depth: int) -> Graph | None:
        """Walk around jobs and their descendants; None if all the jobs are unknown or hidden."""
        self._hops_left = depth
        job_ids = self._keep(self._read_jobs(jobs))
        starts = [*job_ids, *self._read_tasks(job_ids)]
        steps = [(start, way, "") for start in starts for way in self._directions]
        return self._walk_from(steps, depth) if job_ids else None

    def from_dataset(self, dataset: DatasetId, depth: int) -> Graph | None:
        """Walk around a dataset, by any of its names; None if it is unknown or hidden."""
        self._hops_left = depth
        names = [(dataset, way) for way in self._directions]
        self._load(names, is_last=False)
        new = self._add_datasets(names)
        return self._walk_from([*self._users_of(new), *self._declarations_of(new)], depth) if new else None

    def _read_tasks(self, starts: Sequence[JobId]) -> Sequence[JobId]:
        """Read the visible descendants of the jobs: their children, and so on for `GENERATIONS_MAX` generations."""
        tasks: dict[JobId, Job] = {}
        jobs = starts
        for _ in range(GENERATIONS_MAX):
            parents = self._parents_among(jobs)
            if not parents:
                break
            # The index has jobs that ever named such a parent; the node of each job has its parent now.
            possible, more = possible_children(parents, self._view)
            known = {*starts, *tasks}
            new = [job for job in possible if job not in known and self._view.opens(job)]
            # Candidates with another parent were read, too.
            left = max(self._budget.left - (len(self.nodes) - len(self._jobs)), 0)
            self._budget.cut |= more or len(new) > left
            candidates = self._read_jobs(new[:left])
            children = {job.id: job for job in candidates if job.parent and job.parent.job in parents}
            tasks |= children
            jobs = list(children)
        self._budget.cut |= bool(self._parents_among(jobs))
        return self._keep(self._starting([tasks[job] for job in sorted(tasks)]))

    def _starting(self, tasks: Sequence[Job]) -> Sequence[Job]:
        """Choose the tasks at the start of the walk: all."""
        return tasks

    def _parents_among(self, jobs: Iterable[JobId]) -> list[JobId]:
        return [job for job in jobs if "is_parent" in self._view.nodes[job] and self._view.opens(job)]

    def _walk_from(self, jobs: Sequence[Step], depth: int) -> Graph:
        """Add the jobs and their datasets; then, hop by hop, the jobs that share a dataset with the last added jobs."""
        walk(jobs, self._add_jobs, into=self._walked, depth=depth)
        return self._graph()

    def _add_jobs(self, steps: Sequence[Step], is_last: bool) -> Sequence[Step]:
        """Add the datasets of the jobs; return the jobs that read or produce a new dataset."""
        opened = [step for step in steps if step[0].namespace != _DECLARED and self._view.opens(step[0])]
        names = self._names_of(opened) | self._names_declared(step for step in steps if step[0].namespace == _DECLARED)
        # Names beyond the limit are not read.
        fitting = self._budget.fitting(sorted(names - self._names))
        self._load(fitting, is_last=is_last)
        new = self._add_datasets(fitting)
        self._hops_left -= 1
        return () if is_last else [*self._users_of(new), *self._declarations_of(new), *self._next_jobs(opened)]

    def _declarations_of(self, groups: Sequence[tuple[ResolvedDataset, Direction]]) -> list[Step]:
        """List the unreached declarations from, or of, the datasets, each in the direction of the walk."""
        opened = [(group, way) for group, way in groups if self._opens(group)]
        self._declared.load_edges(group for group, _ in opened)
        self._budget.cut |= self._declared.truncated
        declared: set[tuple[DatasetId, Direction]] = set()
        for group, way in opened:
            if way != "up":
                declared.update((view.primary, way) for view in self._declared.derived(group))
            if way != "down" and self._declared.sources(group):
                declared.add((group.primary, way))
        steps = [(JobId(_DECLARED, text_of(view)), way, "") for view, way in sorted(declared)]
        # They are shown as edges, and take no node's place.
        return self._unreached(steps)

    def _names_declared(self, steps: Iterable[Step]) -> set[tuple[DatasetId, Direction]]:
        """List the next names of datasets in each direction from the declarations.

        A dataset shown by its id alone gives its own name, and no sources.
        """
        declared = [(self._view.group(dataset_of(declaration.name)), way) for declaration, way, _ in steps]
        self._declared.load_edges(group for group, _ in declared)
        names: set[tuple[DatasetId, Direction]] = {(group.primary, way) for group, way in declared if way != "up"}
        for group, way in declared:
            if way != "down" and self._opens(group):
                names.update((source.primary, way) for source in self._declared.sources(group))
        return names

    def _next_jobs(self, steps: Sequence[Step]) -> list[Step]:
        """List the unreached visible jobs at the other end of edges between jobs."""
        # An edge is in the node of the job that reported it: of this job, or of the job at the other end.
        own = {job: set(edges_in(self._view.nodes[job])) for job, _, _ in steps}
        others = {job: dependents_in(self._view.nodes[job]) for job, _, _ in steps}
        neighbours = {edge.other for edges in own.values() for edge in edges} | {
            dependent for dependents in others.values() for dependent in dependents
        }
        if not self._job_edges or not neighbours:
            return []
        self._budget.cut |= any(are_dependents_cut(self._view.nodes[job]) for job in others)
        read = {job.id: job for job in self._read_jobs(sorted(neighbours - self._jobs.keys()))} | self._jobs
        candidates: set[Step] = set()
        for job, way, _ in steps:
            ends = [edge.ends(job) for edge in own[job] if edge.kind in self._job_edges]
            for other in others[job]:
                reported = edges_in(self._view.nodes[other]) if other in read else ()
                ends += [edge.ends(other) for edge in reported if edge.other == job and edge.kind in self._job_edges]
            # A walk up follows the edges into the job; a walk down follows the edges out of it.
            candidates.update((start, way, "") for start, end in ends if end == job and way != "down")
            candidates.update((end, way, "") for start, end in ends if start == job and way != "up")
        new = self._unreached(step for step in sorted(candidates) if step[0] in read)
        self._keep(read[job] for job, _, _ in new)
        return [step for step in new if step[0] in self._jobs]

    def _names_of(self, steps: Iterable[Step]) -> set[tuple[DatasetId, Direction]]:
        """List the next names of datasets in each direction from the jobs."""
        return {
            (name, step[1])
            for step in steps
            for name in self._flowing(step, next_datasets(self._jobs[step[0]], step[1]))
        }

    def _flowing(self, step: Step, names: Iterable[DatasetId]) -> Iterable[DatasetId]:
        """Choose the job's datasets along its flows: derived from the dataset before the job, or its sources."""
        job, way, entry = step
        flows = self._jobs[job].flows
        if not entry or flows is None:
            return names
        entered = set(self._view.group(dataset_of(entry)).names)
        if way == "down":
            neighbours = {output for source, output in flows if source in entered}
        else:
            neighbours = {source for source, output in flows if output in entered}
        return [name for name in names if name in neighbours]

    def _load(self, names: Sequence[tuple[DatasetId, Direction]], *, is_last: bool) -> None:
        """Read the datasets, and the next jobs in each direction."""
        self._view.load(namespaces={name.namespace for name, _ in names})
        for datasets, users in with_users(names, is_last=is_last):
            self._view.load(datasets, users=users)

    def _add_datasets(self, names: Sequence[tuple[DatasetId, Direction]]) -> list[tuple[ResolvedDataset, Direction]]:
        """Add the visible datasets of the loaded names; return the new datasets of each direction."""
        self._names.update(names)
        primaries = sorted({(self._view.primary(name), way) for name, way in names} - self._reached)
        visible = [(group, way) for primary, way in primaries if (group := self._view.dataset(primary))]
        # Datasets beyond the limit are not shown, and the walk ends before them.
        new = {group.primary: group for group, _ in visible if group.primary not in self._datasets}
        fitting = self._budget.take(list(new))
        self._order += fitting
        self._datasets.update((primary, new[primary]) for primary in fitting)
        shown = [(group, way) for group, way in visible if group.primary in self._datasets]
        self._reached.update((group.primary, way) for group, way in shown)
        return shown

    def _users_of(self, groups: Sequence[tuple[ResolvedDataset, Direction]]) -> Sequence[Step]:
        """List the unreached visible jobs in each direction from the datasets."""
        opened = [(group, way) for group, way in groups if self._opens(group)]
        steps: set[tuple[JobId, Direction]] = set()
        among: dict[Direction, dict[DatasetId, IdText]] = {}
        for group, way in opened:
            self._budget.cut |= group.cut
            steps.update((job, way) for job in next_users(group, way))
            among.setdefault(way, {}).update(dict.fromkeys(group.names, text_of(group.primary)))
        steps = {(job, way) for job, way in steps if (job, way, "") not in self._walked.hops}
        jobs = self._read_jobs(sorted({job for job, _ in steps} - self._jobs.keys()), self._next_datasets(steps))
        known = {job.id: job for job in jobs} | {job: self._jobs[job] for job, _ in steps if job in self._jobs}
        # A job with flows is entered once for each dataset before it.
        users = [step for job, way in sorted(steps) if job in known for step in entered(known[job], way, among[way])]
        new = self._unreached(users)
        self._keep(known[job] for job, _, _ in new)
        return [step for step in new if step[0] in self._jobs]

    def _unreached(self, steps: Iterable[Step]) -> list[Step]:
        return [step for step in steps if step not in self._walked.hops]

    def _next_datasets(self, steps: Iterable[tuple[JobId, Direction]]) -> Iterator[WithUsers]:
        """Yield the next datasets of the jobs, by edges: they are read together with the jobs."""
        opened = [(used, way) for job, way in steps if self._view.opens(job) and (used := self._view.near(job))]
        names = {(name, way) for used, way in opened for name in next_datasets(used, way)} - self._names
        return with_users(sorted(names)[: self._budget.left], is_last=self._hops_left <= 0)

    def _keep(self, jobs: Iterable[Job]) -> list[JobId]:
        """Show the jobs, as many as fit; return the ids of the shown jobs."""
        requested = {job.id: job for job in jobs}
        new = self._budget.take([job for job in requested if job not in self._jobs])
        self._order += new
        self._jobs.update((job, requested[job]) for job in new)
        return [job for job in requested if job in self._jobs]

    def _read_jobs(self, jobs: Sequence[JobId], neighbours: Iterable[WithUsers] = ()) -> list[Job]:
        """Read the existing jobs that are not hidden, with datasets under the names in their events."""
        fitting = self._budget.fitting(jobs)
        self._view.load(jobs=fitting, neighbours=neighbours)
        self.nodes.update((job, self._view.nodes[job]) for job in fitting if job in self._view.nodes)
        return self._view.jobs(fitting)

    def _opens(self, group: ResolvedDataset) -> bool:
        return self._view.opens(*group.names)

    def _shown_jobs(self) -> tuple[Job, ...]:
        """List the jobs, their datasets under primary names; redact the jobs that the caller may not see in full."""
        self._jobs = {job.id: under_primaries(job, self._view.primary) for job in self._jobs.values()}
        if self._job_edges:
            opened_jobs = filter(self._view.opens, self._jobs)
            self._budget.cut |= any("jobs_cut" in self._view.nodes[job] for job in opened_jobs)
        return tuple(map(self._view.redacted, self._jobs.values()))

    def _graph(self) -> Graph:
        jobs = self._shown_jobs()
        groups = list(filter(self._opens, self._datasets.values()))
        # The graph is truncated, too, if aliases, producers, jobs beside a job or results of tests were left out.
        unseen = {job for group in groups for job in group.producers} - self._view.nodes.keys()
        self._budget.cut |= self._view.truncated or len(unseen) > PRODUCERS_MAX
        self._budget.cut |= resolve_assertions(groups, self._view)
        writers, written = find_writes(groups, self._view)
        facets = read_facets(groups, self._view)
        opened = {
            group.primary: dataset_of_group(
                group,
                without_references(described),
                stale=group.primary in writers,
                last_written_by=writers.get(group.primary),
                # Marquez's graph, in both directions, has no times of writes.
                last_modified=None if "both" in self._directions else written[group.primary] or None,
            )
            for group, described in zip(groups, facets, strict=True)
        }
        datasets = [opened.get(primary) or redacted_dataset(primary) for primary in self._datasets]
        edges = tuple(self._edges())
        dependencies = tuple(self._dependencies()) if "CONTROL" in self._job_edges else None
        other_part_reads = tuple(sorted(self._other_part_reads()))
        return Graph(
            self._in_order(jobs, datasets), edges, self._budget.cut, self._degrees(), dependencies, other_part_reads
        )

    def _in_order(self, jobs: Iterable[Job], datasets: Iterable[Dataset]) -> tuple[Job | Dataset, ...]:
        nodes: dict[JobId | DatasetId, Job | Dataset] = {job.id: job for job in jobs}
        nodes.update((dataset.id, dataset) for dataset in datasets)
        return tuple(nodes[thing] for thing in self._order)

    def _other_part_reads(self) -> Iterator[tuple[str, str]]:
        """Yield the edges to jobs that read another part of a dataset than was written; both ends are shown in full."""
        jobs = [job for job in self._jobs.values() if self._view.opens(job.id)]
        for dataset, job in find_other_part_reads(jobs, self._view.nodes, self._view.primary):
            if dataset in self._datasets and self._opens(self._datasets[dataset]):
                yield dataset.node_id, job.node_id

    def _edges_of_jobs(self, kind: Kind) -> Iterator[tuple[JobId, JobId, JobEdge]]:
        """Yield the edges between jobs of the graph, with at least one end shown in full."""
        for job in self._jobs if kind in self._job_edges else ():
            for edge in edges_in(self._view.nodes[job]):
                shown = edge.kind == kind and edge.other in self._jobs
                if shown and (self._view.opens(job) or self._view.opens(edge.other)):
                    yield (*edge.ends(job), edge)

    def _dependencies(self) -> list[Dependency]:
        dependencies = {
            Dependency(start.node_id, end.node_id, edge.type, edge.sequence_rule, edge.status_rule)
            for start, end, edge in self._edges_of_jobs("CONTROL")
        }
        return sorted(dependencies, key=lambda dependency: tuple(text or "" for text in astuple(dependency)))

    def _degrees(self) -> Mapping[str, Degree]:
        """Count the neighbours of the nodes, in a folded graph alone: the counts cost requests."""
        return {}

    def _edges(self) -> list[tuple[str, str]]:
        """List the edges with at least one end shown in full; edges between two outlines are private."""
        edges = set()
        opened = {primary for primary, group in self._datasets.items() if self._opens(group)}
        for job in self._jobs.values():
            shown = self._datasets.keys() if self._view.opens(job.id) else opened
            edges |= {(dataset.node_id, job.id.node_id) for dataset in job.inputs if dataset in shown}
            edges |= {(job.id.node_id, dataset.node_id) for dataset in job.outputs if dataset in shown}
        edges |= {(start.node_id, end.node_id) for start, end, _ in self._edges_of_jobs("DATA")}
        return sorted(edges | self._declared_edges(opened))

    def _declared_edges(self, opened: Set[DatasetId]) -> set[tuple[str, str]]:
        """List the declared edges between datasets of the graph, with at least one end shown in full."""
        by_name = {name: primary for primary, group in self._datasets.items() for name in group.names}
        edges = {
            (by_name[source], primary)
            for primary, group in self._datasets.items()
            for source in declared_sources(group.facts)
            if source in by_name
        }
        return {(start.node_id, end.node_id) for start, end in edges if start != end and {start, end} & opened}
