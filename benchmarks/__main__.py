"""The command `python -m benchmarks [NAME ...] [--quick]`: all benchmarks, or the named benchmarks.

It exits with 1 if a goal is missed. A whole run writes docs/benchmarks.json, its page docs/benchmarks.md, and
docs/cost.md; with names, it replaces their rows alone. With `--quick`, results are only printed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Protocol, TypeVar

from benchmarks import (
    capture,
    cold_start,
    compact_archive,
    events,
    machine,
    queries,
    trace,
)
from benchmarks.processes import PROJECT, Report
from benchmarks.results import read_results, replace_rows, write_results
from benchmarks.results_page import render_results_page, render_rows
from benchmarks.rows import Row

_RESULTS = PROJECT / "docs" / "benchmarks.json"
_PAGE = PROJECT / "docs" / "benchmarks.md"
_COST = PROJECT / "docs" / "cost.md"
T = TypeVar("T")


class Measure(Protocol):
    """A benchmark: it reports its progress and returns its rows; `quick` is for developers of the benchmark."""

    def __call__(self, report: Report, *, quick: bool) -> list[Row]: ...  # noqa: D102 - the class describes it


_MEASURES: dict[str, Measure] = {
    "trace": trace.measure,
    "events": events.measure,
    "queries": queries.measure,
    "capture": capture.measure,
    "compact_archive": compact_archive.measure,
    "cold_start": cold_start.measure,
}
_NAMES = (*_MEASURES, "cost")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the named benchmarks, or all; return 1 if a goal is missed."""
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"any of {', '.join(_NAMES)}; all by default")
    parser.add_argument("--quick", action="store_true", help="small shapes, one round, nothing written")
    parsed = parser.parse_args(arguments)
    names = parsed.names or list(_NAMES)
    if unknown := set(names) - set(_NAMES):
        parser.error(f"NAME must be any of {', '.join(_NAMES)}, got {', '.join(sorted(unknown))}")
    write = not parsed.quick
    load_before = machine.load()
    measured = _measure(names, quick=parsed.quick)
    if "cost" in names:
        measured["cost"] = _cost(write=write)
    if write:
        _write(measured, f"{load_before}; {machine.load()}")
    rows = [row for rows in measured.values() for row in rows]
    print("\n".join(render_rows(rows)))
    return 1 if any(row.met is False for row in rows) else 0


def _write(measured: Mapping[str, Sequence[Row]], load: str) -> None:
    """Replace the rows of these benchmarks, and write the page of all."""
    run_of = {**dict(machine.describe()), "load before and after": load}
    results = replace_rows(read_results(_RESULTS), measured, run_of)
    write_results(_RESULTS, results)
    _PAGE.write_text(render_results_page(results), encoding="utf-8")


def _measure(names: Sequence[str], *, quick: bool) -> dict[str, Sequence[Row]]:
    """Run each benchmark for its rows."""
    return {name: _timed(name, partial(_MEASURES[name], quick=quick)) for name in names if name in _MEASURES}


def _timed(name: str, measure: Callable[[Report], T]) -> T:
    """Run a benchmark; its progress is a line each, with the seconds so far."""
    began = time.monotonic()

    def report(progress: str) -> None:
        print(f"{name}, {time.monotonic() - began:.0f} s: {progress}", file=sys.stderr, flush=True)

    report("begins")
    result = measure(report)
    report("ends")
    return result


def _cost(*, write: bool) -> Sequence[Row]:
    """Count the calls of a thousand records, write the price of a month, and return the prices of a million."""
    # Imported here: moto and the stack's parts take longer to import than the benchmarks.
    from benchmarks.cost import read_prices
    from benchmarks.cost_events import prices_of_events, render_events_cost
    from benchmarks.cost_page import prices_of_records, render_cost_page
    from benchmarks.day import ARRIVALS, run_day
    from benchmarks.event_units import count_units
    from local_stack.template.synthesis import synthesize

    day, prices = _timed("cost", lambda report: run_day(ARRIVALS, report, synthesize())), read_prices()
    units = _timed("units of events", lambda _: count_units())
    page = f"{render_cost_page(day, prices)}\n{render_events_cost(units, prices)}"
    if write:
        _COST.write_text(page, encoding="utf-8")
    else:
        print(page)
    return [*prices_of_records(day, prices), *prices_of_events(units, prices)]


if __name__ == "__main__":
    sys.exit(main())
