"""docs/benchmarks.md: one page of the results that people look for, made of docs/benchmarks.json."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from benchmarks.results import Result, Results
from benchmarks.rows import Row
from benchmarks.tables import render_table

_ABOUT = """# Benchmarks

Speed and cost of each part, beside a plain program that does the same. [benchmarks.json](benchmarks.json) has all
rows, with the machine and the day of each; `make bench` writes both. [comparison.md](comparison.md) has
runs beside others, and [cost.md](cost.md) is the bill, line by line.
"""

_READING = """
## How to read it

- *Ours* and *beside it* ran in turns, in the same run, each in a process of its own; a figure is the median. Machines
  differ, ratios do not: compare the ratio.
- Rates are for a second of CPU, times by the clock, unless the row says otherwise. AWS answers at once on this
  machine: what a request costs there is in [cost.md](cost.md).
- A goal was set before the measurement. A row without a goal only informs. `make bench` fails if a goal is missed.
- What each program beside ours does, and what is counted, is said at the top of its module, which has the name of
  its rows: *capture* is [benchmarks/capture.py](../benchmarks/capture.py).
- `make bench ARGS="trace events"` measures some parts alone, and replaces their rows.
"""


class _Headline(NamedTuple):
    """Part of the product, the row that shows it, and the meaning of that row to people who use it."""

    part: str
    what: str
    reading: str


_HEADLINES = (
    _Headline(
        "an event", "events: batches of 100; put plainly, with conditions", "stored; beside plain conditional puts"
    ),
    _Headline(
        "a graph", "graph: a chain of 10, depth 20: 10,000 jobs, not 100", "in an estate a hundred times as large"
    ),
    _Headline(
        "a column", "fields: a column upstream, depth 20: 50 runs a job, not 1", "after fifty times as many runs"
    ),
    _Headline(
        "a trace",
        "trace of 1,001,004 records: index, walk, render (CPU)",
        "of a million records; beside a walk from each leaf",
    ),
    _Headline("capture", "capture: 200 small writes", "of 200 small writes; beside the same job without it"),
    _Headline(
        "a cold start", "cold start: api, of a query", "of the API function; beside making boto3's clients alone"
    ),
    _Headline("a night", "compact_archive: 1,000,000 traces", "of a million traces in Spark; beside plain PySpark"),
    _Headline("the price", "cost: a million records, 20 records a request", "of a million records; list prices"),
)
# Rows that a plain program wins, with the reason why ours is built so all the same.
_LOSSES = {
    "events: batches of 100; batch_writer, which loses updates": "ours loses no update when two functions write",
    "fields: events with columnLineage of 20 columns, not without": "an event with columns has twice the bytes",
    "cold start: api, of a query": "ours imports its router and its routes, too",
}
# A chart's bars; a ratio above this would hide the others.
_CHART_MAX = 30.0


def render_results_page(results: Results) -> str:
    """Return the page."""
    return "\n".join(
        (_ABOUT, *_headlines(results), "", *_chart(results), "", *_losses(results), _READING.rstrip("\n"), "")
    )


def render_rows(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the lines of a table of rows."""
    return render_table(("what", "ours", "baseline", "ratio", "goal", "met"), "lrrrrl", map(_cells, rows))


def _headlines(results: Results) -> Iterator[str]:
    """Yield the table of the headlines."""
    measured = ((headline, results.row(headline.what)) for headline in _HEADLINES)
    cells = (_headline_cells(headline, result) for headline, result in measured if result)
    return render_table(("", "", "ours", "beside it", "ratio", "goal", "day"), "llrrrll", cells)


def _headline_cells(headline: _Headline, result: Result) -> Sequence[str]:
    row = result.row
    goal = f"{row.goal}: {_met(row)}" if row.goal else ""
    return (
        f"**{headline.part}**",
        headline.reading,
        _short(row.ours),
        _short(row.baseline),
        row.ratio,
        goal,
        result.run[:10],
    )


def _short(figure: str) -> str:
    """Return a figure in a cell's width: of the cost of a query, requests, bytes and time.

    >>> _short("7 rounds, 48 requests, 104 items, 64 KB, response 80 KB, 9 ms"), _short("55 s, 1 s of it to flush")
    ('48 requests, 64 KB, 9 ms', '55 s, 1 s of it to flush')
    """
    parts = figure.split(", ")
    costs = [part for part in parts if re.fullmatch(r"[\d,.]+ (requests|KB|ms)", part)]
    return ", ".join(costs if len(costs) > 1 else parts)


def _chart(results: Results) -> Iterator[str]:
    """Yield a chart of the headlines that are ahead of a plain program or behind it; 1 is as good as that."""
    parts = ((headline.part, results.row(headline.what)) for headline in _HEADLINES)
    bars = [(part, min(ahead, _CHART_MAX)) for part, result in parts if result and (ahead := advantage(result.row))]
    yield "```mermaid"
    yield "xychart-beta horizontal"
    yield '    title "Times as good as the plain program (1 is the same)"'
    yield f"    x-axis [{', '.join(part for part, _ in bars)}]"
    yield f"    bar [{', '.join(f'{bar:.2g}' for _, bar in bars)}]"
    yield "```"


def advantage(row: Row) -> float | None:
    """Return how many times as good ours is as the baseline; None where there is no ratio.

    >>> advantage(Row("a walk", "", "", "0.5x", "≤ 0.6x")), advantage(Row("a load", "", "", "1.34x", "≥ 1.2x"))
    (2.0, 1.34)
    """
    ratio = re.match(r"([\d.]+)x", row.ratio)
    if ratio is None or not row.goal:
        return None
    less_is_better = row.goal[0] in "≤<"
    return 1 / float(ratio[1]) if less_is_better else float(ratio[1])


def _losses(results: Results) -> Iterator[str]:
    """Yield the table of what a plain program does better, and of missed goals."""
    yield "## What we lose"
    yield ""
    missed = [result.row for result in results.results if result.row.met is False]
    losses = [result.row for what in _LOSSES if (result := results.row(what)) and result.row not in missed]
    cells = ((row.what, row.ours, row.baseline, row.ratio, _reason(row)) for row in (*missed, *losses))
    yield from render_table(("", "ours", "beside it", "ratio", ""), "lrrrl", cells)


def _reason(row: Row) -> str:
    missed = f"goal {row.goal}: missed" if row.met is False else ""
    return "; ".join(filter(None, (missed, _LOSSES.get(row.what, ""))))


def _cells(row: Row) -> Sequence[str]:
    return row.what, row.ours, row.baseline, row.ratio, row.goal, _met(row)


def _met(row: Row) -> str:
    return {None: "", True: "yes", False: "**no**"}[row.met]
