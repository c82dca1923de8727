"""Everything downstream of a job or dataset, with the nearest nodes before it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from headwater.queries.graphs.job_graph import NODES_MAX
from headwater.queries.results.entities import Job
from headwater.queries.results.graphs import Graph, Impact, Impacted
from headwater.walk import Walked, walk
from headwater_model.ids import JobId

# A node, and the dataset before it if the node is a job with flows (pairs of input and output).
_Place: TypeAlias = tuple[str, str]


def impact_of(graph: Graph) -> Impact:
    """List the nodes below the start of a graph walked down."""
    start = graph.nodes[0].id
    starts = _with_tasks(start, graph.jobs) if isinstance(start, JobId) else [start.node_id]
    before: dict[_Place, set[_Place]] = defaultdict(set)
    places = Downstream(graph).walk(starts, before)
    # A job with flows has a place for each dataset before it: the nearest place gives the node's hops.
    hops: dict[str, int] = {}
    through: dict[str, set[str]] = defaultdict(set)
    for place, hop in places.items():
        if hops.setdefault(place[0], hop) == hop:
            through[place[0]].update(node for node, entry in before[place] if places[node, entry] == hop - 1)
    # Render the nodes, nearest first.
    nodes = {node.id.node_id: node for node in graph.nodes}
    other_part_reads = frozenset(graph.other_part_reads)
    impacted = [
        Impacted(
            nodes[node],
            hop,
            tuple(sorted(through[node])),
            reads_other_part=other_part_reads.issuperset((origin, node) for origin in through[node]),
        )
        for node, hop in sorted(hops.items(), key=lambda item: (item[1], item[0]))
        if node not in starts
    ]
    return Impact(starts[0], impacted, graph.truncated)


def count_datasets_below(graph: Graph, starts: Iterable[JobId]) -> dict[JobId, int]:
    """Count the datasets below each job, `{job: 12}`, in a graph walked down from all the jobs."""
    downstream = Downstream(graph)
    return {start: len(downstream.datasets_below(_with_tasks(start, graph.jobs))) for start in starts}


class Downstream:
    """The edges of a graph, and the flows of its jobs."""

    def __init__(self, graph: Graph) -> None:
        self._below: dict[str, set[str]] = defaultdict(set)
        for origin, destination in graph.edges:
            self._below[origin].add(destination)
        self._flows = {
            job.id.node_id: {(source.node_id, output.node_id) for source, output in job.flows}
            for job in graph.jobs
            if job.flows is not None
        }
        self._datasets = {dataset.id.node_id for dataset in graph.datasets}

    def walk(self, starts: Collection[str], before: dict[_Place, set[_Place]]) -> Mapping[_Place, int]:
        """Walk down from the nodes: return the hops of each place; add to `before` the places before each."""

        def next_level(level: Sequence[_Place], _: bool) -> Iterable[_Place]:
            for place in level:
                for other in self._next(place):
                    before[other].add(place)
                    yield other

        limit = sum(map(len, self._below.values())) + len(starts)
        return walk([(start, "") for start in starts], next_level, into=Walked(limit)).hops

    def outputs(self, job: str) -> set[str]:
        """List the datasets that a job writes."""
        return self._below[job] & self._datasets

    def datasets_below(self, starts: Iterable[str]) -> set[str]:
        """List the datasets below the nodes."""
        return {node for node, _ in self.walk(set(starts), defaultdict(set))} & self._datasets

    def _next(self, place: _Place) -> Iterator[_Place]:
        node, entry = place
        for other in self._below[node]:
            if not entry or other not in self._datasets or (entry, other) in self._flows[node]:
                # A job leads to all outputs of the next job.
                yield other, node if other in self._flows and node in self._datasets else ""


def _with_tasks(job: JobId, jobs: Iterable[Job]) -> list[str]:
    """List the node ids of a job, of its tasks, of their tasks, and so on."""
    below: dict[JobId, set[JobId]] = defaultdict(set)
    for task in jobs:
        if task.parent:
            below[task.parent.job].add(task.id)
    family = walk([job], lambda level, _: {task for parent in level for task in below[parent]}, into=Walked(NODES_MAX))
    return [member.node_id for member in family.hops]
