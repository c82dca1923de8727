"""Everything downstream of a job or dataset, with the way that leads there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from headwater.facts.entities import Dataset, Job
from headwater.facts.graph_results import Graph, Impact, Impacted
from headwater.walk import Walked, walk

# A node, and the dataset that led there if the node is a job that says which outputs are made of which inputs.
_Place: TypeAlias = tuple[str, str]


def impact_of(graph: Graph, *, from_dataset: bool) -> Impact:
    """Return what a graph that was walked down from its first job or dataset shows below that."""
    start = (graph.datasets if from_dataset else graph.jobs)[0].id.node_id
    below: dict[str, set[str]] = defaultdict(set)
    for origin, destination in graph.edges:
        below[origin].add(destination)
    flows = {
        job.id.node_id: {(source.node_id, output.node_id) for source, output in job.flows}
        for job in graph.jobs
        if job.flows is not None
    }
    datasets = {one.id.node_id for one in graph.datasets}
    before: dict[_Place, set[_Place]] = defaultdict(set)

    def beyond(level: Sequence[_Place], _: bool) -> Iterable[_Place]:
        for node, entry in level:
            for other in below[node]:
                if not entry or other not in datasets or (entry, other) in flows[node]:
                    # A job that leads to another leads to all that this one makes.
                    place = (other, node if other in flows and node in datasets else "")
                    before[place].add((node, entry))
                    yield place

    places = walk([(start, "")], beyond, into=Walked(len(graph.edges) + 1)).hops
    hops: dict[str, int] = {}
    through: dict[str, set[str]] = defaultdict(set)
    for place, hop in places.items():
        if hops.setdefault(place[0], hop) == hop:
            through[place[0]].update(node for node, entry in before[place] if places[node, entry] == hop - 1)
    nodes: dict[str, Job | Dataset] = {node.id.node_id: node for node in graph.datasets}
    nodes.update((node.id.node_id, node) for node in graph.jobs)
    impacted = [
        Impacted(nodes[one], hop, tuple(sorted(through[one])))
        for one, hop in sorted(hops.items(), key=lambda found: (found[1], found[0]))
        if one != start
    ]
    return Impact(start, impacted, graph.truncated)
