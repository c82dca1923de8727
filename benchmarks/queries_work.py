"""The cost of queries over a table in memory: `python -m benchmarks.queries_work SHAPE QUICK|FULL` (see `WORKS`).

Figures are named by state of the table, query and count: `many runs/up/items`.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from urllib.parse import quote

from benchmarks.column_pipelines import column_chain, dataset
from benchmarks.pipelines import CHAIN, EACH, HUB, Step, hub, run_id, run_start
from benchmarks.processes import Figures, print_figures
from benchmarks.query_world import ApiQuery, QueryWorld
from headwater.facts.run_facts import run_version_id
from headwater_model.ids import DatasetId, RunKey

_DEPTH = 20
_COMPUTED = "kg_co2"
# A source of four columns beside its own copy, and a source of its own copy alone.
_COPIED = "distance"
_CARRIED = "carrier"


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sizes of the shapes: chains of ten jobs, runs of a job, readers of a hub."""

    few_chains: int
    chains: int
    runs: int
    readers: int
    hub_runs: int


SIZES = {"FULL": Sizes(10, 200, 50, 1_000, 5), "QUICK": Sizes(1, 2, 3, 10, 2)}


def measure_chains(sizes: Sizes) -> Figures:
    """Measure a table with few jobs, then with many, then with many runs of the queried chain.

    Unrelated jobs have a single run each: a check ensures that no query reads their rows.
    """
    world, queried = QueryWorld(), column_chain(0)
    first_run = {**current_queries(queried), **past_queries(queried, 0)}
    world.load(_chains(0, sizes.few_chains), 1)
    figures = dict(world.costs(first_run, "few jobs"))
    world.load(_chains(sizes.few_chains, sizes.chains), 1)
    figures.update(world.costs(first_run, "many jobs"))
    _check_alone(world, queried)
    world.load(queried, sizes.runs)
    last_run = {**current_queries(queried), **past_queries(queried, sizes.runs - 1)}
    figures.update(world.costs(last_run, "many runs"))
    figures.update(world.costs(past_queries(queried, 0), "first run"))
    return figures


def measure_hub(sizes: Sizes) -> Figures:
    """Measure a dataset of many readers with a single run each, then with many each."""
    world, readers = QueryWorld(), _readers(sizes.readers)
    world.load(readers, 1)
    figures = dict(world.costs(hub_queries(readers[0], 0), "one run", times=1))
    world.load(readers, sizes.hub_runs)
    figures.update(world.costs(hub_queries(readers[0], sizes.hub_runs - 1), "many runs", times=1))
    return figures


def current_queries(chain: Sequence[Step]) -> dict[str, ApiQuery]:
    """Build queries of now: a graph of jobs, a column upstream and downstream, a dataset's columns, its resource."""
    first, middle, last = _stage(chain, 0), _stage(chain, CHAIN // 2), _stage(chain, CHAIN)
    return {
        "graph": _graph(chain[CHAIN // 2].id.node_id),
        "up": column_lineage(field_node(last, _COMPUTED)),
        "down": column_lineage(field_node(first, _COPIED), withDownstream="true"),
        "dataset": column_lineage(middle.node_id, withDownstream="true"),
        "resource": _resource(middle),
    }


def past_queries(chain: Sequence[Step], run: int) -> dict[str, ApiQuery]:
    """Build queries of a run of each job: its version, the time after all ended, the range of their starts."""
    middle, last = _stage(chain, CHAIN // 2), _stage(chain, CHAIN)
    version = run_version_id(last, RunKey.of(chain[-1].id, run_id(chain[-1], run)))
    start = run_start(chain[0], run)
    column, time_range = field_node(last, _COMPUTED), _time_range(start, start + EACH)
    return {
        "version": column_lineage(f"{column}#{version}"),
        "at": column_lineage(column, lineageAt=_seconds(start + EACH)),
        "mappings": ApiQuery(f"{_endpoint(middle)}/fields/lineage", {**time_range, "level": CHAIN}),
        "detail": _detail(middle, _COMPUTED, time_range),
        "usage": _usage(_stage(chain, 0), _COPIED, time_range),
        "provenance": ApiQuery("/api/v1/reports/provenance", {"nodeId": column, **time_range}),
    }


def hub_queries(reader: Step, run: int) -> dict[str, ApiQuery]:
    """Build queries of the hub and its column: downstream now, and of the runs of a number."""
    start = run_start(reader, run)
    time_range = _time_range(start, start + EACH)
    return {
        "graph": _graph(HUB.node_id),
        "down": column_lineage(field_node(HUB, _CARRIED), withDownstream="true"),
        "mappings": ApiQuery(f"{_endpoint(HUB)}/fields/lineage", {**time_range, "level": 1}),
        "usage": _usage(HUB, _CARRIED, time_range),
    }


def column_lineage(node_id: str, **query: object) -> ApiQuery:
    """Build a query for a graph of columns, deep enough for a chain."""
    return ApiQuery("/api/v1/column-lineage", {"nodeId": node_id, "depth": _DEPTH, **query})


def field_node(of: DatasetId, column: str) -> str:
    """Build a column's node id."""
    return f"datasetField:{of.namespace}:{of.name}:{column}"


def _graph(node_id: str) -> ApiQuery:
    return ApiQuery("/api/v1/lineage", {"nodeId": node_id, "depth": _DEPTH})


def _resource(of: DatasetId) -> ApiQuery:
    return ApiQuery(f"/api/v1/namespaces/{_segment(of.namespace)}/datasets/{_segment(of.name)}")


def _endpoint(of: DatasetId) -> str:
    return f"/v3/namespaces/{_segment(of.namespace)}/endpoints/{_segment(of.name)}"


def _detail(of: DatasetId, column: str, time_range: Mapping[str, object]) -> ApiQuery:
    return ApiQuery(f"{_endpoint(of)}/fields/{column}/lineage", {**time_range, "direction": "both"})


def _usage(of: DatasetId, column: str, time_range: Mapping[str, object]) -> ApiQuery:
    return ApiQuery("/api/v1/reports/usage", {"nodeId": field_node(of, column), **time_range})


def _time_range(start: datetime, end: datetime) -> dict[str, object]:
    return {"start": _seconds(start), "end": _seconds(end)}


def _stage(chain: Sequence[Step], position: int) -> DatasetId:
    """Find the dataset before the step at a position, or after the last step."""
    return dataset(chain[position].inputs[0] if position < CHAIN else chain[-1].outputs[0])


def _segment(text: str) -> str:
    return quote(text, safe="")


def _seconds(moment: datetime) -> int:
    return int(moment.timestamp())


def _chains(begin: int, end: int) -> list[Step]:
    return [step for number in range(begin, end) for step in column_chain(number)]


def _readers(number: int) -> list[Step]:
    """Build readers of the hub; every second reader reports operations."""
    return [replace(step, position=position % 2) for position, step in enumerate(hub(number))]


def _check_alone(world: QueryWorld, steps: Sequence[Step]) -> None:
    """Check that queries read the same partitions as in a table without unrelated jobs."""
    alone = QueryWorld()
    alone.load(steps, 1)
    for api_query in current_queries(steps).values():
        assert world.query(api_query)[1].partitions == alone.query(api_query)[1].partitions


WORKS: dict[str, Callable[[Sizes], Figures]] = {"chains": measure_chains, "hub": measure_hub}


def main(arguments: Sequence[str]) -> None:
    """Print the figures of a shape in a size."""
    shape, size = arguments
    # The collector would visit millions of lasting rows, again and again.
    gc.disable()
    print_figures(**WORKS[shape](SIZES[size]))


if __name__ == "__main__":
    main(sys.argv[1:])
