"""docs/benchmarks.md: a page of the most wanted results, made of docs/benchmarks.json."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from benchmarks.results import Results
from benchmarks.rows import Row
from benchmarks.tables import render_table

_ABOUT = """# Benchmarks

Speed and cost of each part, beside a plain program. [benchmarks.json](benchmarks.json) has all rows, with machine and
day; `make bench` writes both. [comparison.md](comparison.md) has runs beside others, [cost.md](cost.md) the bill.
"""

_READING = """
## How to read it

- *Ours* and *beside it* ran in turns, in the same run, each in its own process; a figure is the median, of cold starts
  the least. Compare the ratio: machines differ, ratios do not.
- Rates are for a second of CPU, cold starts are CPU, times by the clock, unless the row says otherwise. AWS answers at
  once here: [cost.md](cost.md) has its requests.
- A goal was set before the measurement. `make bench` fails if a goal is missed.
- The module of a row's name describes both programs: [benchmarks/capture.py](../benchmarks/capture.py) *capture*.
- `make bench ARGS="trace events"` measures some parts alone, and replaces their rows.
"""


class _Headline(NamedTuple):
    """A part of the product, its row, and the row's meaning to users."""

    part: str
    what: str
    reading: str


_HEADLINES = (
    _Headline(
        "an event", "events: batches of 100; put plainly, with conditions", "stored; beside plain conditional puts"
    ),
    _Headline("a graph", "queries: a graph of jobs: 2,000 jobs, not 100", "in an estate twenty times as large"),
    _Headline("a column", "queries: a column upstream: 50 runs a job, not 1", "after fifty times as many runs"),
    _Headline(
        "a trace",
        "trace of 1,001,004 records: index, walk, render (CPU)",
        "of a million records; beside a walk from each leaf",
    ),
    _Headline(
        "capture",
        "capture: once in a job, and for each small write (CPU)",
        "of a job's writes; beside the write itself",
    ),
    _Headline(
        "a cold start", "cold start: api, of a query", "of the API function; beside making boto3's clients alone"
    ),
    _Headline("a night", "compact_archive: 1,000,000 traces", "of a million traces in Spark; beside plain PySpark"),
    _Headline("the price", "cost: a million records, 20 records a request", "of a million records; list prices"),
)
# Rows of a faster plain program, with the reason for ours.
_LOSSES = {
    "events: batches of 100; batch_writer, which loses updates": "ours loses no update when two functions write",
    "events: with columnLineage of 20 columns, not without": "an event with columns has twice the bytes",
    "cold start: api, of a query": "ours imports its router and its routes, too",
}


def render_results_page(results: Results) -> str:
    """Render the page."""
    return "\n".join((_ABOUT, *_headlines(results), "", *_losses(results), _READING.rstrip("\n"), ""))


def render_rows(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the lines of a table of rows."""
    return render_table(("what", "ours", "baseline", "ratio", "goal", "met"), "lrrrrl", map(_cells, rows))


def _headlines(results: Results) -> Iterator[str]:
    """Yield the table of the headlines."""
    measured = ((headline, results.row(headline.what)) for headline in _HEADLINES)
    cells = (_headline_cells(headline, row) for headline, row in measured if row)
    return render_table(("", "", "ours", "beside it", "ratio", "goal", "day"), "llrrrll", cells)


def _headline_cells(headline: _Headline, row: Row) -> Sequence[str]:
    goal = f"{row.goal}: {_met(row)}" if row.goal else ""
    return (
        f"**{headline.part}**",
        headline.reading,
        _short(row.ours),
        _short(row.baseline),
        row.ratio,
        goal,
        row.run[:10],
    )


def _short(figure: str) -> str:
    """Shorten a figure to a cell's width: of the cost of a query, requests, bytes and time.

    >>> _short("7 rounds, 48 requests, 104 items, 64 KB, response 80 KB, 9 ms"), _short("55 s, 1 s of it to flush")
    ('48 requests, 64 KB, 9 ms', '55 s, 1 s of it to flush')
    """
    parts = figure.split(", ")
    costs = [part for part in parts if re.fullmatch(r"[\d,.]+ (requests|KB|ms)", part)]
    return ", ".join(costs if len(costs) > 1 else parts)


def _losses(results: Results) -> Iterator[str]:
    """Yield the table of the advantages of a plain program, and of missed goals."""
    yield "## What we lose"
    yield ""
    missed = [row for row in results.rows if row.met is False]
    losses = [row for what in _LOSSES if (row := results.row(what)) and row not in missed]
    cells = ((row.what, row.ours, row.baseline, row.ratio, _reason(row)) for row in (*missed, *losses))
    yield from render_table(("", "ours", "beside it", "ratio", ""), "lrrrl", cells)


def _reason(row: Row) -> str:
    missed = f"goal {row.goal}: missed" if row.met is False else ""
    return "; ".join(filter(None, (missed, _LOSSES.get(row.what, ""))))


def _cells(row: Row) -> Sequence[str]:
    return row.what, row.ours, row.baseline, row.ratio, row.goal, _met(row)


def _met(row: Row) -> str:
    return {None: "", True: "yes", False: "**no**"}[row.met]
