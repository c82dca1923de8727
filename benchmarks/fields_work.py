"""What columns cost to ask for and to take in: `python -m benchmarks.fields_work SHAPE QUICK|FULL` (see `WORKS`).

Figures of questions are printed by state of the table, question and what is counted: `many runs/up/items`.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import orjson

from benchmarks.fields_pipelines import (
    Form,
    column_chain,
    copied,
    sends_copies,
    wide_column_lineage,
    wide_columns,
    wide_operations,
    wide_step,
)
from benchmarks.fields_questions import (
    alike_questions,
    all_runs,
    hub_questions,
    now_questions,
    past_questions,
    wide_questions,
)
from benchmarks.fields_world import ColumnWorld
from benchmarks.pipelines import Step, hub, parsed_runs
from benchmarks.processes import Figures, Stopwatch, peak_bytes, print_figures
from lineage.aws.items import chunks
from lineage.openlineage.naming import NameRules
from lineage.openlineage.parse import parse_event

_EVENTS_A_BATCH = 400


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large the shapes are: chains of ten jobs, runs of a job, readers of a hub, their runs, columns of a dataset.

    `lineage_width` columns told by `columnLineage` are about what the API takes in one event. `alike_runs` of a job
    report the same of `alike_width` columns.
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
    """One run of each job; then many: asked of the last, of the first, and of all."""
    world, asked = ColumnWorld(), column_chain(0)
    steps = [step for number in range(sizes.chains) for step in column_chain(number)]
    world.load(steps, 1)
    figures = dict(world.costs({**now_questions(asked), **past_questions(asked, 0)}, "one run"))
    world.load(steps, sizes.runs)
    figures.update(world.costs({**now_questions(asked), **past_questions(asked, sizes.runs - 1)}, "many runs"))
    figures.update(world.costs(past_questions(asked, 0), "first run"))
    figures.update(world.costs(all_runs(asked, sizes.runs), "all runs"))
    return figures


def measure_hub(sizes: Sizes) -> Figures:
    """A column that many datasets are made of, by one run of each reader, then by many."""
    world, readers = ColumnWorld(), _readers(sizes.readers)
    world.load(readers, 1)
    figures = dict(world.costs(hub_questions(readers[0], 0), "one run", times=1))
    world.load(readers, sizes.hub_runs)
    figures.update(world.costs(hub_questions(readers[0], sizes.hub_runs - 1), "many runs", times=1))
    return figures


def measure_crowd(sizes: Sizes) -> Figures:
    """A column that more datasets are made of than a graph shows."""
    world, readers = ColumnWorld(), _readers(sizes.too_many_readers)
    world.load(readers, 1)
    return dict(world.costs(hub_questions(readers[0], 0), "one run", times=1))


def measure_wide_operation(sizes: Sizes) -> Figures:
    """Every column made of every one, told by an operation; and by one of a tenth of the columns."""
    small = _taken_in(ColumnWorld(), wide_operations(sizes.width // 10), "tenth")
    world = ColumnWorld()
    return {**small, **_taken_in(world, wide_operations(sizes.width), "wide"), **_asked(world)}


def measure_wide_lineage(sizes: Sizes) -> Figures:
    """Every column made of every one, told by `columnLineage`; how large the event would be of the full width."""
    world = ColumnWorld()
    taken = _taken_in(world, wide_column_lineage(sizes.lineage_width), "wide")
    one = wide_column_lineage(1)["outputs"][0]["facets"]["columnLineage"]["fields"][wide_columns(1)[0]]["inputFields"]
    return {**taken, **_asked(world), "full_event_bytes": len(orjson.dumps(one)) * sizes.width**2}


def measure_copies(sizes: Sizes) -> Figures:
    """A column that flows into all columns of a dataset, and these into those of another: of a quarter, then of all."""
    figures: dict[str, float] = {}
    for name, width in {"quarter": sizes.width // 4, "whole": sizes.width}.items():
        world = ColumnWorld()
        world.apply([parse_event(form, NameRules(), now=None) for form in copied(width)])
        questions = wide_questions(wide_step(), wide_columns(1)[0])
        figures.update(world.costs({"usage": questions["usage"]}, name))
    return figures


def measure_alike(sizes: Sizes) -> Figures:
    """Runs that report the same of a dataset's columns: a quarter of the runs and of the columns, then all."""
    figures: dict[str, float] = {}
    for name, part in {"quarter": 4, "whole": 1}.items():
        world, runs, width = ColumnWorld(), sizes.alike_runs // part, sizes.alike_width // part
        for some in chunks(parsed_runs(wide_step(), runs, sends_copies(width)), _EVENTS_A_BATCH):
            world.apply(some)
        figures.update(world.costs(alike_questions(wide_step(), wide_columns(1)[0], runs), name))
    return figures


def _taken_in(world: ColumnWorld, form: Form, name: str) -> dict[str, float]:
    """What it takes to read an event and to make it part of the facts."""
    body = orjson.dumps(form)
    watch = Stopwatch()
    world.apply([parse_event(orjson.loads(body), NameRules(), now=None)])
    spent = watch.read()
    figures = {
        "event_bytes": len(body),
        "cpu_s": spent["cpu_s"],
        "write_units": world.dynamo.calls.write_units,
        "objects_bytes": sum(map(len, world.s3.objects.values())),
        "peak_bytes": peak_bytes(),
    }
    return {f"{name}/{counted}": value for counted, value in figures.items()}


def _asked(world: ColumnWorld) -> dict[str, float]:
    return dict(world.costs(wide_questions(wide_step(), wide_columns(1)[0]), "wide", times=1))


def _readers(number: int) -> list[Step]:
    """Readers of the hub, every other one of which tells by operations."""
    return [replace(step, place=place % 2) for place, step in enumerate(hub(number))]


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
    """Print the figures of one shape in one size."""
    shape, size = arguments
    # Millions of rows that stay would be looked over again and again.
    gc.disable()
    print_figures(**WORKS[shape](SIZES[size]))


if __name__ == "__main__":
    main(sys.argv[1:])
