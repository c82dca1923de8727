"""The cost of queries for graphs: `python -m benchmarks.graph_work chains|hub|wide QUICK|FULL` (see `SIZES`).

Figures are named by state of the table, depth and count: `many jobs/2/items`.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median

import orjson

from benchmarks.pipelines import CHAIN, HUB, Step, chain, hub, parsed_runs
from benchmarks.processes import Figures, print_figures
from headwater.api.marquez.graph_views import render_graph
from headwater.aws.clients import CONCURRENCY
from headwater.aws.items import chunks
from headwater.facts.apply import apply_statements
from headwater.queries.results.graphs import Graph
from headwater.queries.service import LineageQueries
from headwater_model.ids import DatasetId, JobId
from tests.fakes.memory_dynamodb import Calls
from tests.fakes.memory_table import MemoryTable

_RUNS_A_BATCH = 400
_TIMES = 5


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sizes of the shapes: jobs in the small and the large table of chains, readers of a hub, runs of a job."""

    few_jobs: int
    jobs: int
    readers: int
    too_many_readers: int
    runs: int


SIZES = {
    "FULL": Sizes(few_jobs=100, jobs=10_000, readers=2_000, too_many_readers=10_000, runs=100),
    "QUICK": Sizes(few_jobs=20, jobs=60, readers=20, too_many_readers=60, runs=3),
}


class World:
    """A table with runs, and queries over it."""

    def __init__(self) -> None:
        self.table = MemoryTable(concurrency=CONCURRENCY)

    def load(self, steps: Iterable[Step], runs: int) -> None:
        """Load so many runs of each job, in batches."""
        for batch in chunks(list(steps), max(1, _RUNS_A_BATCH // runs)):
            apply_statements([event for step in batch for event in parsed_runs(step, runs)], self.table)

    def query(self, node: DatasetId | JobId, depth: int) -> tuple[Graph, Calls, int]:
        """Query the graph around a node; return it with its calls of DynamoDB and its rounds."""
        self.table.dynamo.calls = Calls()
        self.table.calls.clear()
        graph = LineageQueries(self.table).find_graph(node.node_id, depth=depth)
        assert graph is not None
        return graph, self.table.dynamo.calls, self.table.rounds

    def cost(self, node: DatasetId | JobId, depth: int) -> dict[str, float]:
        """Measure the cost of the query; seconds are the median of several runs."""
        graph, calls, rounds = self.query(node, depth)
        response = orjson.dumps(render_graph(graph))
        return {
            "rounds": rounds,
            "requests": calls.reads,
            "items": calls.items,
            "bytes": calls.item_bytes,
            "nodes": len(graph.jobs) + len(graph.datasets),
            "truncated": graph.truncated,
            "answer_bytes": len(response),
            "s": median(self._seconds(node, depth) for _ in range(_TIMES)),
        }

    def _seconds(self, node: DatasetId | JobId, depth: int) -> float:
        begin = time.perf_counter()
        self.query(node, depth)
        return time.perf_counter() - begin


def measure_chains(sizes: Sizes) -> Figures:
    """Measure a table with few jobs, then with many, then with many runs of the queried chain.

    Unrelated jobs have a single run each: a check ensures that none of their rows is read.
    """
    world, queried = World(), chain(0)
    node = queried[CHAIN // 2].id
    figures: dict[str, float] = {}

    def note(name: str) -> None:
        figures.update(_costs(world, node, (2, 20), name))

    world.load(_chains(0, sizes.few_jobs), 1)
    note("few jobs")
    world.load(_chains(sizes.few_jobs, sizes.jobs), 1)
    note("many jobs")
    world.load(queried, sizes.runs)
    note("many runs")
    _check_alone(world, queried, node)
    return figures


def measure_hub(sizes: Sizes) -> Figures:
    """Measure a dataset of many readers with a single run each, then with many each."""
    world, readers = World(), list(hub(sizes.readers))
    world.load(readers, 1)
    figures = _costs(world, HUB, (1, 2, 20), "one run")
    world.load(readers, sizes.runs)
    return {**figures, **_costs(world, HUB, (1, 2, 20), "many runs")}


def measure_wide(sizes: Sizes) -> Figures:
    """Measure a dataset with more readers than a graph shows."""
    world = World()
    world.load(hub(sizes.too_many_readers), 1)
    return _costs(world, HUB, (2,), "one run")


def _chains(begin: int, end: int) -> Iterator[Step]:
    """Yield the jobs of a range of numbers, in chains."""
    for number in range(begin // CHAIN, end // CHAIN):
        yield from chain(number)


def _costs(world: World, node: DatasetId | JobId, depths: Iterable[int], state: str) -> dict[str, float]:
    return {f"{state}/{depth}/{name}": value for depth in depths for name, value in world.cost(node, depth).items()}


def _check_alone(world: World, steps: Sequence[Step], node: JobId) -> None:
    """Check that the query reads the same partitions as in a table without unrelated jobs."""
    alone = World()
    alone.load(steps, 1)
    assert world.query(node, 20)[1].partitions == alone.query(node, 20)[1].partitions


WORKS: dict[str, Callable[[Sizes], Figures]] = {
    "chains": measure_chains,
    "hub": measure_hub,
    "wide": measure_wide,
}


def main(arguments: Sequence[str]) -> None:
    """Print the figures of a shape in a size."""
    shape, size = arguments
    # The collector would visit millions of lasting rows, again and again.
    gc.disable()
    print_figures(**WORKS[shape](SIZES[size]))


if __name__ == "__main__":
    main(sys.argv[1:])
