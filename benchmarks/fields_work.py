"""The cost of querying and of loading columns: `python -m benchmarks.fields_work SHAPE QUICK|FULL` (see `WORKS`).

Figures of queries are named by state of the table, query and count: `many runs/up/items`.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import orjson

from benchmarks.column_pipelines import (
    Json,
    build_copies,
    column_chain,
    sends_copies,
    wide_column_lineage,
    wide_columns,
    wide_operations,
    wide_step,
)
from benchmarks.fields_queries import (
    alike_queries,
    all_runs,
    current_queries,
    hub_queries,
    past_queries,
    wide_queries,
)
from benchmarks.pipelines import Step, hub, parsed_runs
from benchmarks.processes import Figures, Stopwatch, peak_bytes, print_figures
from benchmarks.query_world import ColumnWorld
from headwater.aws.items import chunks
from headwater.events.naming import NamingRules
from headwater.events.parse import parse_event

_EVENTS_A_BATCH = 400


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sizes of the shapes: chains of ten jobs, runs of a job, readers of a hub, their runs, columns of a dataset.

    The API accepts about `lineage_width` columns by `columnLineage` in an event. `alike_runs` of a job have equal
    reports about `alike_width` columns.
    """

    chains: int
    runs: int
    readers: int
    hub_runs: int
    too_many_readers: int
    width: int
    lineage_width: int
    alike_runs: int
    alike_width: int


SIZES = {
    "FULL": Sizes(
        chains=100,
        runs=50,
        readers=2_000,
        hub_runs=10,
        too_many_readers=6_000,
        width=1_500,
        lineage_width=400,
        alike_runs=2_000,
        alike_width=400,
    ),
    "QUICK": Sizes(
        chains=1,
        runs=3,
        readers=10,
        hub_runs=2,
        too_many_readers=20,
        width=50,
        lineage_width=20,
        alike_runs=12,
        alike_width=8,
    ),
}


def measure_chains(sizes: Sizes) -> Figures:
    """Measure a single run of each job, then many: query the last, the first, and all."""
    world, queried = ColumnWorld(), column_chain(0)
    steps = [step for number in range(sizes.chains) for step in column_chain(number)]
    world.load(steps, 1)
    figures = dict(world.costs({**current_queries(queried), **past_queries(queried, 0)}, "one run"))
    world.load(steps, sizes.runs)
    figures.update(world.costs({**current_queries(queried), **past_queries(queried, sizes.runs - 1)}, "many runs"))
    figures.update(world.costs(past_queries(queried, 0), "first run"))
    figures.update(world.costs(all_runs(queried, sizes.runs), "all runs"))
    return figures


def measure_hub(sizes: Sizes) -> Figures:
    """Measure a column with many derived datasets, with a single run of each reader, then many."""
    world, readers = ColumnWorld(), _readers(sizes.readers)
    world.load(readers, 1)
    figures = dict(world.costs(hub_queries(readers[0], 0), "one run", times=1))
    world.load(readers, sizes.hub_runs)
    figures.update(world.costs(hub_queries(readers[0], sizes.hub_runs - 1), "many runs", times=1))
    return figures


def measure_crowd(sizes: Sizes) -> Figures:
    """Measure a column with more derived datasets than a graph shows."""
    world, readers = ColumnWorld(), _readers(sizes.too_many_readers)
    world.load(readers, 1)
    return dict(world.costs(hub_queries(readers[0], 0), "one run", times=1))


def measure_wide_operation(sizes: Sizes) -> Figures:
    """Measure an operation from every column to every column, and an operation over a tenth of the columns."""
    small = _load(ColumnWorld(), wide_operations(sizes.width // 10), "tenth")
    world = ColumnWorld()
    return {**small, **_load(world, wide_operations(sizes.width), "wide"), **_query_all(world)}


def measure_wide_lineage(sizes: Sizes) -> Figures:
    """Measure `columnLineage` from every column to every column, and estimate the event's size at full width."""
    world = ColumnWorld()
    loaded = _load(world, wide_column_lineage(sizes.lineage_width), "wide")
    pair = wide_column_lineage(1)["outputs"][0]["facets"]["columnLineage"]["fields"][wide_columns(1)[0]]["inputFields"]
    return {**loaded, **_query_all(world), "full_event_bytes": len(orjson.dumps(pair)) * sizes.width**2}


def measure_copies(sizes: Sizes) -> Figures:
    """Measure a column's flow through all columns of a dataset into the next dataset's: a quarter of them, then all."""
    figures: dict[str, float] = {}
    for name, width in {"quarter": sizes.width // 4, "whole": sizes.width}.items():
        world = ColumnWorld()
        world.apply([parse_event(event, NamingRules(), now=None) for event in build_copies(width)])
        queries = wide_queries(wide_step(), wide_columns(1)[0])
        figures.update(world.costs({"usage": queries["usage"]}, name))
    return figures


def measure_alike(sizes: Sizes) -> Figures:
    """Measure runs with equal reports about columns: a quarter of the runs and of the columns, then all."""
    figures: dict[str, float] = {}
    for name, part in {"quarter": 4, "whole": 1}.items():
        world, runs, width = ColumnWorld(), sizes.alike_runs // part, sizes.alike_width // part
        for events in chunks(parsed_runs(wide_step(), runs, sends_copies(width)), _EVENTS_A_BATCH):
            world.apply(events)
        figures.update(world.costs(alike_queries(wide_step(), wide_columns(1)[0], runs), name))
    return figures


def _load(world: ColumnWorld, event: Json, name: str) -> dict[str, float]:
    """Measure parsing an event and applying it to the facts."""
    body = orjson.dumps(event)
    watch = Stopwatch()
    world.apply([parse_event(orjson.loads(body), NamingRules(), now=None)])
    spent = watch.read()
    figures = {
        "event_bytes": len(body),
        "cpu_s": spent["cpu_s"],
        "write_units": world.table.dynamo.calls.write_units,
        "objects_bytes": sum(map(len, world.s3.objects.values())),
        "peak_bytes": peak_bytes(),
    }
    return {f"{name}/{counted}": value for counted, value in figures.items()}


def _query_all(world: ColumnWorld) -> dict[str, float]:
    return dict(world.costs(wide_queries(wide_step(), wide_columns(1)[0]), "wide", times=1))


def _readers(number: int) -> list[Step]:
    """Build readers of the hub; every second reader reports operations."""
    return [replace(step, position=position % 2) for position, step in enumerate(hub(number))]


WORKS: dict[str, Callable[[Sizes], Figures]] = {
    "chains": measure_chains,
    "hub": measure_hub,
    "crowd": measure_crowd,
    "wide-operation": measure_wide_operation,
    "wide-lineage": measure_wide_lineage,
    "copies": measure_copies,
    "alike": measure_alike,
}


def main(arguments: Sequence[str]) -> None:
    """Print the figures of a shape in a size."""
    shape, size = arguments
    # The collector would visit millions of lasting rows, again and again.
    gc.disable()
    print_figures(**WORKS[shape](SIZES[size]))


if __name__ == "__main__":
    main(sys.argv[1:])
