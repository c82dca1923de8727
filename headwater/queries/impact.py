"""Everything downstream of a job or dataset, with the way that leads there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from headwater.facts.entities import Dataset, Job
from headwater.facts.graph_results import Graph, Impact, Impacted
from headwater.queries.job_graph import NODES_MAX
from headwater.walk import Walked, walk
from headwater_model.ids import JobId

# A node, and the dataset that led there if the node is a job that says which outputs are made of which inputs.
_Place: TypeAlias = tuple[str, str]


def impact_of(graph: Graph, start: JobId | None) -> Impact:
    """Return what a graph that was walked down from a job, or from its first dataset (None), shows below that."""
    starts = [graph.datasets[0].id.node_id] if start is None else _with_tasks(start, graph.jobs)
    below: dict[str, set[str]] = defaultdict(set)
    for origin, destination in graph.edges:
        below[origin].add(destination)
    flows = {
        job.id.node_id: {(source.node_id, output.node_id) for source, output in job.flows}
        for job in graph.jobs
        if job.flows is not None
    }
    datasets = {dataset.id.node_id for dataset in graph.datasets}
    before: dict[_Place, set[_Place]] = defaultdict(set)

    def beyond(level: Sequence[_Place], _: bool) -> Iterable[_Place]:
        for node, entry in level:
            for other in below[node]:
                if not entry or other not in datasets or (entry, other) in flows[node]:
                    # A job that leads to another leads to all that this one makes.
                    place = (other, node if other in flows and node in datasets else "")
                    before[place].add((node, entry))
                    yield place

    places = walk([(start, "") for start in starts], beyond, into=Walked(len(graph.edges) + len(starts))).hops
    hops: dict[str, int] = {}
    through: dict[str, set[str]] = defaultdict(set)
    for place, hop in places.items():
        if hops.setdefault(place[0], hop) == hop:
            through[place[0]].update(node for node, entry in before[place] if places[node, entry] == hop - 1)
    nodes: dict[str, Job | Dataset] = {node.id.node_id: node for node in graph.datasets}
    nodes.update((node.id.node_id, node) for node in graph.jobs)
    impacted = [
        Impacted(nodes[node], hop, tuple(sorted(through[node])))
        for node, hop in sorted(hops.items(), key=lambda item: (item[1], item[0]))
        if node not in starts
    ]
    return Impact(starts[0], impacted, graph.truncated)


def _with_tasks(job: JobId, jobs: Iterable[Job]) -> list[str]:
    """Return the node ids of a job and of those that it started, and so on."""
    below: dict[JobId, set[JobId]] = defaultdict(set)
    for task in jobs:
        if task.parent:
            below[task.parent.job].add(task.id)
    family = walk([job], lambda level, _: {task for parent in level for task in below[parent]}, into=Walked(NODES_MAX))
    return [member.node_id for member in family.hops]
