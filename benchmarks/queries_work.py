"""The cost of queries over a table in memory.

Figures are named by state of the table, query and count: `many runs/up/items`.
"""

from __future__ import annotations

import gc
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.pipelines import CHAIN, STORE, Step, column_chain
from benchmarks.processes import Figures
from benchmarks.query_world import ApiQuery, QueryWorld
from headwater_model.columns import Column
from headwater_model.ids import DatasetId

_DEPTH = 20
_COMPUTED = "kg_co2"


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sizes: chains of ten jobs, and runs of a job."""

    few_chains: int
    chains: int
    runs: int


SIZES = {"FULL": Sizes(10, 200, 50), "QUICK": Sizes(1, 2, 3)}


def measure_chains(size: str) -> Figures:
    """Measure a table with few jobs, then with many, then with many runs of the queried chain.

    Unrelated jobs have a single run each: a check ensures that no query reads their rows.
    """
    # The collector would visit millions of lasting rows, again and again.
    gc.disable()
    sizes = SIZES[size]
    world, queried = QueryWorld(), column_chain(0)
    queries = chain_queries(queried)
    world.load(_chains(0, sizes.few_chains), 1)
    figures = dict(world.costs(queries, "few jobs"))
    world.load(_chains(sizes.few_chains, sizes.chains), 1)
    figures.update(world.costs(queries, "many jobs"))
    _check_alone(world, queried)
    world.load(queried, sizes.runs)
    figures.update(world.costs(queries, "many runs"))
    return figures


def chain_queries(chain: Sequence[Step]) -> dict[str, ApiQuery]:
    """Build the queries: a graph of jobs from the middle, and a column of the last dataset upstream."""
    column = Column(DatasetId(STORE, chain[-1].outputs[0]), (_COMPUTED,))
    return {
        "graph": ApiQuery("/api/v1/lineage", {"nodeId": chain[CHAIN // 2].id.node_id, "depth": _DEPTH}),
        "up": ApiQuery("/api/v1/column-lineage", {"nodeId": column.node_id, "depth": _DEPTH}),
    }


def _chains(begin: int, end: int) -> list[Step]:
    return [step for number in range(begin, end) for step in column_chain(number)]


def _check_alone(world: QueryWorld, steps: Sequence[Step]) -> None:
    """Check that queries read the same partitions as in a table without unrelated jobs."""
    alone = QueryWorld()
    alone.load(steps, 1)
    for api_query in chain_queries(steps).values():
        assert world.query(api_query)[1].partitions == alone.query(api_query)[1].partitions


WORKS = {"chains": measure_chains}
