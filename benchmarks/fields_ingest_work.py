"""The cost of loading events with columns: `python -m benchmarks.fields_ingest_work VARIANT ROUNDS` (see `VARIANTS`).

The events are those of `events_work`; their datasets have twenty columns here, with or without column lineage.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence

from benchmarks.column_pipelines import sends_column_lineage, sends_operations, sends_schemas
from benchmarks.events_work import BATCH, RUNS, STEPS, measure, measure_calls, our_load
from benchmarks.pipelines import Sends
from benchmarks.processes import Figures, print_figures
from headwater.events.ingest import render_event_message

SENDS: Mapping[str, Sends] = {
    "schemas": sends_schemas,
    "lineage": sends_column_lineage,
    "operations": sends_operations,
}


def _measure_load(sends: Sends) -> Callable[[int, int], Figures]:
    return lambda rounds, _: measure(our_load(), rounds, BATCH, sends)


def _measure_calls(sends: Sends) -> Callable[[int, int], Figures]:
    return lambda rounds, runs: {**measure_calls(rounds, BATCH, runs, sends), "event_bytes": _event_bytes(sends)}


def _event_bytes(sends: Sends) -> float:
    sizes = [len(render_event_message(event)) for event in sends(STEPS[0], 0)]
    return sum(sizes) / len(sizes)


VARIANTS: Mapping[str, Callable[[int, int], Figures]] = {
    **{variant: _measure_load(sends) for variant, sends in SENDS.items()},
    **{f"calls-{variant}": _measure_calls(sends) for variant, sends in SENDS.items()},
}


def main(arguments: Sequence[str]) -> None:
    """Print the figures of a variant for so many rounds, of jobs with so many earlier runs."""
    variant, rounds, *runs = arguments
    print_figures(**VARIANTS[variant](int(rounds), int(runs[0]) if runs else RUNS))


if __name__ == "__main__":
    main(sys.argv[1:])
