"""The command `python -m benchmarks [NAME ...] [--quick]`: all benchmarks, or those named.

It exits with 1 if a goal is missed. A whole run writes docs/benchmarks.md and docs/cost.md; with names, it replaces
their rows alone. With `--quick`, results are only printed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Protocol

from rich.console import Console
from rich.markup import escape

from benchmarks import (
    capture,
    client,
    cold_start,
    compact_archive,
    emit_records,
    events,
    explorer,
    fields,
    graph,
    load,
    machine,
    trace,
    verify,
)
from benchmarks.peers.marquez_page import join_section, split_section
from benchmarks.processes import PROJECT, Report, run, warm
from benchmarks.results_page import render_results, render_results_page, update_results_page
from benchmarks.rows import Row

_RESULTS = PROJECT / "docs" / "benchmarks.md"
_COST = PROJECT / "docs" / "cost.md"


class Measure(Protocol):
    """A benchmark: reports its progress and returns its rows; `quick` is for developers of the benchmark."""

    def __call__(self, report: Report, *, quick: bool) -> list[Row]: ...  # noqa: D102 - the class describes it


_MEASURES: dict[str, Measure] = {
    "trace": trace.measure,
    "load": load.measure,
    "client": client.measure,
    "events": events.measure,
    "graph": graph.measure,
    "fields": fields.measure,
    "capture": capture.measure,
    "emit_records": emit_records.measure,
    "compact_archive": compact_archive.measure,
    "verify": verify.measure,
    "cold_start": cold_start.measure,
    "explorer": explorer.measure,
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
    console = Console()
    load_before = machine.load()
    with warm() if parsed.quick else nullcontext():
        rows = _measure(console, names, quick=parsed.quick)
        if "cost" in names:
            _cost(console, write=write)
    if write and rows:
        _write(rows, f"{load_before}; {machine.load()}", whole=not parsed.names)
    if rows:
        _print(console, "\n".join(render_results(rows)))
    return 0 if all(row.met for row in rows) else 1


def _write(rows: Sequence[Row], load: str, *, whole: bool) -> None:
    """Write the whole page, or replace these rows; the section of `benchmarks.marquez` stays."""
    about = [*machine.describe(), ("load before and after", load)]
    page, section = split_section(_RESULTS.read_text(encoding="utf-8"))
    if whole:
        page = render_results_page(rows, about)
    else:
        run_of = "; ".join(f"{name} {value}" for name, value in about)
        page = update_results_page(page, rows, run_of)
    _RESULTS.write_text(join_section(page, section), encoding="utf-8")


def _measure(console: Console, names: Sequence[str], *, quick: bool) -> list[Row]:
    rows: list[Row] = []
    for name in names:
        if name in _MEASURES:
            with console.status(name) as status:
                rows += _MEASURES[name](_reporting(name, status.update), quick=quick)
    return rows


def _reporting(name: str, update: Callable[[str], None]) -> Report:
    return lambda progress: update(f"{name}: {escape(progress)}")


def _cost(console: Console, *, write: bool) -> None:
    """Count the calls of a thousand records, and write the price of a month, which has no goal."""
    # Imported here: moto and the stack's parts take longer to import than the other benchmarks.
    from benchmarks.cost import read_prices
    from benchmarks.cost_events import render_events_cost
    from benchmarks.cost_page import render_cost_page
    from benchmarks.day import ARRIVALS, run_day
    from local_stack.template.synthesis import synthesize

    with console.status("cost: synthesizing the stack") as status:
        template = synthesize()
        page = render_cost_page(run_day(ARRIVALS, _reporting("cost", status.update), template), read_prices())
        with_columns = run("fields_ingest_work", "calls-lineage", "1")
        page += "\n" + render_events_cost(run("events_work", "calls", "1"), with_columns, read_prices())
    if write:
        _COST.write_text(page, encoding="utf-8")
    else:
        _print(console, page)


def _print(console: Console, text: str) -> None:
    # A line of a table stays a line.
    console.print(text, markup=False, highlight=False, soft_wrap=True)


if __name__ == "__main__":
    sys.exit(main())
