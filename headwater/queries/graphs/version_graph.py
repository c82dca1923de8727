"""Upstream graphs of versions: from a version to its run, to the run's input versions; nodes are `...#<version>`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from headwater.events.event import Facets
from headwater.facts.facet_refs import without_references
from headwater.facts.facts import IdText, RunFacts, dataset_of, merged_facets, text_of
from headwater.facts.index_scan import read_run_facts
from headwater.facts.job_nodes import summarize_run
from headwater.facts.run_facts import Run
from headwater.queries.results.entities import Dataset, Job, redacted_dataset
from headwater.queries.results.graphs import Graph
from headwater.queries.runs.dataset_versions import find_version
from headwater.queries.runs.input_versions import InputBudget, InputVersion, outputs_of, reads_of
from headwater.queries.runs.job_versions import find_job_version
from headwater.queries.runs.runs import UPSTREAM_MAX, RunStep, narrowed_inputs, step_to, versions_of_unknown
from headwater.queries.view import GraphView, ResolvedDataset
from headwater.queries.view.descriptions import dataset_of_group, describe, read_facets
from headwater.walk import Budget, Walked, walk
from headwater_model.ids import DatasetId, JobId, RunKey

# "in" or "out", the run, and the version read or written by it.
_Edge: TypeAlias = tuple[str, RunKey, tuple[DatasetId, str]]


class VersionGraphWalk:
    """An upstream walk in progress: versions of datasets, runs, and the edges between them."""

    def __init__(self, view: GraphView) -> None:
        self._view = view
        self._datasets: dict[tuple[DatasetId, str], RunKey | None] = {}
        self._runs: dict[RunKey, RunFacts] = {}
        self._versions: dict[RunKey, str] = {}
        self._edges: set[_Edge] = set()
        # The runs and versions of datasets, in the order of hops.
        self._order: dict[RunKey | tuple[DatasetId, str], None] = {}
        self._runs_left = Budget(UPSTREAM_MAX - 1)
        # Runs with all their inputs added.
        self._whole: set[RunKey] = set()
        self._budget = InputBudget()
        self._truncated = False

    def from_dataset(self, dataset: DatasetId, version: str, depth: int) -> Graph | None:
        """Walk up from a dataset's version; None if there is no such version."""
        self._view.load_names([dataset])
        known = find_version(self._view.group(dataset), version, self._view)
        if known is None:
            return None
        node = (self._view.primary(dataset), version)
        self._datasets[node] = known.run
        self._order[node] = None
        if known.run:
            self._edges.add(("out", known.run, node))
            self._walk(known.run, text_of(node[0]), depth)
        return self._graph()

    def from_job(self, job: JobId, version: str, depth: int) -> Graph | None:
        """Walk up from a job version's last run with its outputs; a version that was only declared is a single node."""
        known = find_job_version(job, version, self._view)
        if known is None:
            return None
        if known.latest_run is None:
            declared = Job(id=job, type="BATCH", created=known.created, updated=known.updated, version=version)
            return Graph((declared,), ())
        run = known.latest_run.key
        self._versions[run] = version
        self._order[run] = None
        facts = read_run_facts([run], self._view)[run]
        self._view.load_names(map(dataset_of, facts.outputs))
        for output in outputs_of(facts, run, self._view):
            node = (output.dataset, output.version)
            self._datasets[node], self._order[node] = run, None
            self._edges.add(("out", run, node))
        self._walk(run, "", depth)
        return self._graph()

    def _walk(self, run: RunKey, entry: IdText, depth: int) -> None:
        walk([(run, entry)], self._runs_read, into=Walked[RunStep](), depth=depth)
        self._truncated |= self._runs_left.cut or bool(self._budget.cut)

    def _runs_read(self, steps: Sequence[RunStep], is_last: bool) -> Iterable[RunStep]:
        """Read and add the runs with the versions they read; return the steps to the producers of the versions."""
        self._order.update(dict.fromkeys(run for run, _ in steps))
        self._runs.update(read_run_facts({run for run, _ in steps} - self._runs.keys(), self._view))
        known = {run: self._runs[run] for run, _ in steps if run in self._runs and run not in self._whole}
        opened = self._view.opened_runs(known)
        reached = narrowed_inputs((step for step in steps if step[0] in opened), self._runs, self._view)
        self._whole.update(run for run, entry in steps if run in known and not step_to(run, known[run], entry)[1])
        producers = self._add(reads_of(self._budget.limit_inputs(dict(sorted(reached.items()))), self._view))
        if is_last:
            return ()
        # A run takes one place, also if several datasets lead to it.
        fitting = self._runs_left.take(sorted({run for run, _ in producers} - self._runs.keys()))
        return [step for step in producers if step[0] in self._runs or step[0] in fitting]

    def _add(self, reads: Mapping[RunKey, Sequence[InputVersion]]) -> set[RunStep]:
        """Add the versions read by the runs; return the steps to the producers of the versions."""
        steps = set[RunStep]()
        for run, run_reads in reads.items():
            for read in run_reads:
                node = (read.group.primary, read.version)
                producer = read.produced_by if self._view.opens(*read.group.names) else None
                self._datasets.setdefault(node, producer)
                self._order[node] = None
                self._edges.add(("in", run, node))
                if producer:
                    self._edges.add(("out", producer, node))
                    steps.add((producer, text_of(read.group.primary)))
        return {step for step in steps if step[0] not in self._whole}

    def _graph(self) -> Graph:
        # Read the runs' job versions, also of runs without inputs and outputs.
        versions = {run: summarize_run(run, facts) for run, facts in self._runs.items()}
        unknown = {**versions_of_unknown(self._runs, self._view), **self._versions}
        briefs = {
            run: replace(brief, job_version=unknown.get(run, brief.job_version)) for run, brief in versions.items()
        }
        # Read the runs of the versions, and the names of their datasets.
        made_by = read_run_facts({run for run in self._datasets.values() if run}, self._view)
        self._view.load_names(dataset for dataset, _ in self._datasets)
        runs = {run: job_node(brief.job, brief.job_version) for run, brief in briefs.items()}
        edges = {
            (dataset_node(*node), runs[run]) if direction == "in" else (runs[run], dataset_node(*node))
            for direction, run, node in self._edges
            if run in runs
        }
        # Describe each version by the facets of its run, else of its dataset.
        groups = {dataset: self._view.group(dataset) for dataset, _ in self._datasets}
        facets = dict(zip(groups, read_facets(list(groups.values()), self._view), strict=True))
        nodes: dict[str, Job | Dataset] = {
            dataset_node(dataset, version): self._dataset(
                groups[dataset], version, facets[dataset], made_by.get(run) if run else None
            )
            for (dataset, version), run in self._datasets.items()
        }
        jobs = _jobs(briefs, self._runs, self._edges)
        nodes.update((job_node(job.id, job.version), self._view.redacted(job)) for job in jobs)
        # Two runs of a job version share a node: keep its first place.
        order = (dataset_node(*thing) if isinstance(thing, tuple) else runs.get(thing) for thing in self._order)
        in_order = tuple(nodes[node] for node in dict.fromkeys(order) if node)
        return Graph(in_order, tuple(sorted(edges)), self._truncated or self._view.truncated)

    def _dataset(self, group: ResolvedDataset, version: str, facets: Facets, made_by: RunFacts | None) -> Dataset:
        if not self._view.opens(*group.names):
            return redacted_dataset(group.primary, version)
        dataset = dataset_of_group(group, facets)
        whole = replace(dataset, version=version, facets=without_references(dataset.facets))
        if made_by is None:
            return whole
        return replace(whole, **describe(merged_facets(made_by.written_facets, group.names)))


def _jobs(runs: Mapping[RunKey, Run], runs_facts: Mapping[RunKey, RunFacts], edges: Iterable[_Edge]) -> list[Job]:
    """Make a node for each version of a job, with its runs and their inputs and outputs in this graph."""
    nodes: dict[tuple[JobId, str | None], list[Run]] = {}
    for run in runs.values():
        nodes.setdefault((run.job, run.job_version), []).append(run)
    return [
        Job(
            id=job,
            type="STREAM" if any(runs_facts[run.key].streaming for run in job_runs) else "BATCH",
            inputs=_sides(edges, job_runs, "in"),
            outputs=_sides(edges, job_runs, "out"),
            created=min(run.created for run in job_runs),
            updated=max(run.updated for run in job_runs),
            latest_run=max(job_runs, key=lambda run: (run.started or "", run.id)),
            version=version,
            runs=tuple(sorted(run.id for run in job_runs)),
        )
        for (job, version), job_runs in nodes.items()
    ]


def _sides(edges: Iterable[_Edge], runs: Sequence[Run], direction: str) -> tuple[DatasetId, ...]:
    among = {run.key for run in runs}
    return tuple(sorted({dataset for side, run, (dataset, _) in edges if side == direction and run in among}))


def dataset_node(dataset: DatasetId, version: str) -> str:
    """Return the node id of a version of a dataset."""
    return f"{dataset.node_id}#{version}"


def job_node(job: JobId, version: str | None) -> str:
    """Return the node id of a version of a job; of the job, where the version is unknown."""
    return f"{job.node_id}#{version}" if version else job.node_id
