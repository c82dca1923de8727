"""Everything downstream of a job or dataset, with the way that leads there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from headwater.facts.entities import Dataset, Job
from headwater.facts.graph_results import Graph, Impact, Impacted
from headwater.walk import Walked, walk


def impact_of(graph: Graph, *, from_dataset: bool) -> Impact:
    """Return what a graph that was walked down from its first job or dataset shows below that."""
    start = (graph.datasets if from_dataset else graph.jobs)[0].id.node_id
    below: dict[str, set[str]] = defaultdict(set)
    above: dict[str, set[str]] = defaultdict(set)
    for origin, destination in graph.edges:
        below[origin].add(destination)
        above[destination].add(origin)

    def beyond(level: Sequence[str], _: bool) -> Iterable[str]:
        return {other for one in level for other in below[one]}

    hops = walk([start], beyond, into=Walked(len(graph.jobs) + len(graph.datasets))).hops
    nodes: dict[str, Job | Dataset] = {node.id.node_id: node for node in graph.datasets}
    nodes.update((node.id.node_id, node) for node in graph.jobs)
    impacted = [
        Impacted(nodes[one], hop, tuple(sorted(near for near in above[one] if hops.get(near) == hop - 1)))
        for one, hop in hops.items()
        if one != start
    ]
    return Impact(start, impacted, graph.truncated)
