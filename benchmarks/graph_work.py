"""What questions for graphs cost: `python -m benchmarks.graph_work chains|hub|wide QUICK|FULL` (see `SIZES`).

Figures are printed by state of the table, depth and what is counted: `many jobs/2/items`.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, cast

import orjson

from benchmarks.memory_dynamodb import Calls, MemoryDynamo
from benchmarks.pipelines import CHAIN, HUB, Step, chain, hub, parsed_runs
from benchmarks.processes import Figures, print_figures
from lineage.api.marquez.graph_views import render_graph
from lineage.aws.items import chunks
from lineage.graph.apply import apply_changes
from lineage.graph.entities import Graph
from lineage.graph.table import GraphTable, Key, Row, RowPage, RowQuery
from lineage.queries.service import Questions
from lineage_model.ids import DatasetId, JobId

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

_RUNS_A_BATCH = 400
_TIMES = 5


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large the shapes are: jobs of the small and the large table in chains, readers, and runs of a job."""

    few_jobs: int
    jobs: int
    readers: int
    too_many_readers: int
    runs: int


SIZES = {
    "FULL": Sizes(few_jobs=100, jobs=10_000, readers=2_000, too_many_readers=10_000, runs=100),
    "QUICK": Sizes(few_jobs=20, jobs=60, readers=20, too_many_readers=60, runs=3),
}


@dataclass(frozen=True)
class CountedTable(GraphTable):
    """A graph table that counts its rounds of reads."""

    rounds: list[str] = field(default_factory=list)

    def get(self, keys: Iterable[Key]) -> dict[Key, Row]:
        """A round, unless nothing is read."""
        wanted = list(keys)
        if wanted:
            self.rounds.append("get")
        return super().get(wanted)

    def query(self, queries: Sequence[RowQuery]) -> list[RowPage]:
        """A round, unless nothing is read."""
        if queries:
            self.rounds.append("query")
        return super().query(queries)


class World:
    """A table that runs are loaded into, and questions are asked of."""

    def __init__(self) -> None:
        self.dynamo = MemoryDynamo()
        # No fact here is too large for an item, so S3 is never asked.
        self.table = CountedTable(self.dynamo.client(), "graph", cast("S3Client", None), "archive")

    def load(self, steps: Iterable[Step], runs: int) -> None:
        """So many runs of each of the jobs, in batches."""
        for some in chunks(list(steps), max(1, _RUNS_A_BATCH // runs)):
            apply_changes([event for step in some for event in parsed_runs(step, runs)], self.table)

    def ask(self, node: DatasetId | JobId, depth: int) -> tuple[Graph, Calls, int]:
        """The graph around a node, what was asked for it, and rounds."""
        self.dynamo.calls = Calls()
        self.table.rounds.clear()
        graph = Questions(self.table).find_graph(node.node_id, depth=depth)
        assert graph is not None
        return graph, self.dynamo.calls, len(self.table.rounds)

    def cost(self, node: DatasetId | JobId, depth: int) -> dict[str, float]:
        """What the question costs; seconds are the median of some times."""
        graph, calls, rounds = self.ask(node, depth)
        answer = orjson.dumps(render_graph(graph, from_dataset=isinstance(node, DatasetId)))
        return {
            "rounds": rounds,
            "requests": calls.reads,
            "items": calls.items,
            "bytes": calls.item_bytes,
            "nodes": len(graph.jobs) + len(graph.datasets),
            "truncated": graph.truncated,
            "answer_bytes": len(answer),
            "s": median(self._seconds(node, depth) for _ in range(_TIMES)),
        }

    def _seconds(self, node: DatasetId | JobId, depth: int) -> float:
        begin = time.perf_counter()
        self.ask(node, depth)
        return time.perf_counter() - begin


def measure_chains(sizes: Sizes) -> Figures:
    """Few jobs; many jobs; many jobs, of which those of the asked chain have many runs.

    The other jobs keep one run: no row of theirs is read, which is checked.
    """
    world, asked = World(), chain(0)
    node = asked[CHAIN // 2].id
    figures: dict[str, float] = {}

    def note(name: str) -> None:
        figures.update(_costs(world, node, (2, 20), name))

    world.load(_chains(0, sizes.few_jobs), 1)
    note("few jobs")
    world.load(_chains(sizes.few_jobs, sizes.jobs), 1)
    note("many jobs")
    world.load(asked, sizes.runs)
    note("many runs")
    _check_alone(world, asked, node)
    return figures


def measure_hub(sizes: Sizes) -> Figures:
    """A dataset of many readers with one run each, then with many each."""
    world, readers = World(), list(hub(sizes.readers))
    world.load(readers, 1)
    figures = _costs(world, HUB, (1, 2, 20), "one run")
    world.load(readers, sizes.runs)
    return {**figures, **_costs(world, HUB, (1, 2, 20), "many runs")}


def measure_wide(sizes: Sizes) -> Figures:
    """A dataset of more readers than a graph shows."""
    world = World()
    world.load(hub(sizes.too_many_readers), 1)
    return _costs(world, HUB, (2,), "one run")


def _chains(begin: int, end: int) -> Iterator[Step]:
    """The jobs from one number to another, in chains."""
    for number in range(begin // CHAIN, end // CHAIN):
        yield from chain(number)


def _costs(world: World, node: DatasetId | JobId, depths: Iterable[int], state: str) -> dict[str, float]:
    return {f"{state}/{depth}/{name}": value for depth in depths for name, value in world.cost(node, depth).items()}


def _check_alone(world: World, steps: Sequence[Step], node: JobId) -> None:
    """The partitions that the question reads are those that it reads where there are no other jobs."""
    alone = World()
    alone.load(steps, 1)
    assert world.ask(node, 20)[1].partitions == alone.ask(node, 20)[1].partitions


WORKS: dict[str, Callable[[Sizes], Figures]] = {
    "chains": measure_chains,
    "hub": measure_hub,
    "wide": measure_wide,
}


def main(arguments: Sequence[str]) -> None:
    """Print the figures of one shape in one size."""
    shape, size = arguments
    # Millions of rows that stay would be looked over again and again.
    gc.disable()
    print_figures(**WORKS[shape](SIZES[size]))


if __name__ == "__main__":
    main(sys.argv[1:])
