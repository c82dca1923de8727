"""The cost of queries over a table in memory: `python -m benchmarks.queries_work QUICK|FULL`.

Figures are named by state of the table, query and count: `many runs/up/items`.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.column_pipelines import column_chain, dataset
from benchmarks.pipelines import CHAIN, Step
from benchmarks.processes import Figures, print_figures
from benchmarks.query_world import ApiQuery, QueryWorld
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


def measure_chains(sizes: Sizes) -> Figures:
    """Measure a table with few jobs, then with many, then with many runs of the queried chain.

    Unrelated jobs have a single run each: a check ensures that no query reads their rows.
    """
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
    last = dataset(chain[-1].outputs[0])
    graph = ApiQuery("/api/v1/lineage", {"nodeId": chain[CHAIN // 2].id.node_id, "depth": _DEPTH})
    return {"graph": graph, "up": column_lineage(field_node(last, _COMPUTED))}


def column_lineage(node_id: str, **query: object) -> ApiQuery:
    """Build a query for a graph of columns, deep enough for a chain."""
    return ApiQuery("/api/v1/column-lineage", {"nodeId": node_id, "depth": _DEPTH, **query})


def field_node(of: DatasetId, column: str) -> str:
    """Build a column's node id."""
    return f"datasetField:{of.namespace}:{of.name}:{column}"


def _chains(begin: int, end: int) -> list[Step]:
    return [step for number in range(begin, end) for step in column_chain(number)]


def _check_alone(world: QueryWorld, steps: Sequence[Step]) -> None:
    """Check that queries read the same partitions as in a table without unrelated jobs."""
    alone = QueryWorld()
    alone.load(steps, 1)
    for api_query in chain_queries(steps).values():
        assert world.query(api_query)[1].partitions == alone.query(api_query)[1].partitions


def main(arguments: Sequence[str]) -> None:
    """Print the figures of a size."""
    [size] = arguments
    # The collector would visit millions of lasting rows, again and again.
    gc.disable()
    print_figures(**measure_chains(SIZES[size]))


if __name__ == "__main__":
    main(sys.argv[1:])
