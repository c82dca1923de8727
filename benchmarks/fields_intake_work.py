"""Loading events that tell of columns: `python -m benchmarks.fields_intake_work WAY ROUNDS` (see `WAYS`).

The events are those of `events_work`, whose datasets have twenty columns here, with and without what these are made of.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence

from benchmarks.events_work import BATCH, RUNS, STEPS, measure, measure_calls, our_way
from benchmarks.fields_pipelines import sends_column_lineage, sends_operations, sends_schemas
from benchmarks.pipelines import Sends
from benchmarks.processes import Figures, print_figures
from lineage.openlineage.ingest import render_event_message

SENDS: Mapping[str, Sends] = {
    "schemas": sends_schemas,
    "lineage": sends_column_lineage,
    "operations": sends_operations,
}


def _loaded(sends: Sends) -> Callable[[int, int], Figures]:
    return lambda rounds, _: measure(our_way(), rounds, BATCH, sends)


def _counted(sends: Sends) -> Callable[[int, int], Figures]:
    return lambda rounds, runs: {**measure_calls(rounds, BATCH, runs, sends), "event_bytes": _event_bytes(sends)}


def _event_bytes(sends: Sends) -> float:
    sizes = [len(render_event_message(form)) for form in sends(STEPS[0], 0)]
    return sum(sizes) / len(sizes)


WAYS: Mapping[str, Callable[[int, int], Figures]] = {
    **{way: _loaded(sends) for way, sends in SENDS.items()},
    **{f"calls-{way}": _counted(sends) for way, sends in SENDS.items()},
}


def main(arguments: Sequence[str]) -> None:
    """Print the figures of one way to load so many rounds, of jobs with so many runs before."""
    way, rounds, *runs = arguments
    print_figures(**WAYS[way](int(rounds), int(runs[0]) if runs else RUNS))


if __name__ == "__main__":
    main(sys.argv[1:])
