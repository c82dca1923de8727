"""Queries for graphs: their reads must grow neither with unrelated jobs nor with history.

The baseline is the same query of a table with fewer jobs, or with a single run of each. Rounds are of parallel reads (a
call with nothing to read is none), bytes are of the read items. Both are counted on a table in memory with DynamoDB's
pages and batches. The milliseconds are ours alone, without a network. Jobs have 3 inputs and 2 outputs, and an output
is an input of the next job in the chain; readers of the hub have 1 and 1. The query is of a job in the middle, or of
the hub. Runs after a job's first have the COMPLETE alone. In the table of many jobs, only the queried chain has many
runs: the benchmark checks that the query reads the same partitions as without further jobs.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.graph_work import SIZES, Sizes
from benchmarks.processes import Figures, Report, run
from benchmarks.rows import Row, steady
from headwater.queries.graphs.job_graph import NODES_MAX

_COUNTED = ("rounds", "requests", "items", "bytes")
_AT_MOST = 1.2


def measure(report: Report, *, quick: bool) -> list[Row]:
    """Measure each shape once, since counts do not vary; seconds stand beside them, without a goal."""
    size = "QUICK" if quick else "FULL"
    figures = {}
    for shape in ("chains", "hub", "wide"):
        report(f"{shape}, {size.lower()}")
        figures[shape] = run("graph_work", shape, size)
    sizes = SIZES[size]
    return [*_chains(figures["chains"], sizes), *_hub(figures["hub"], sizes), _wide(figures["wide"], sizes)]


def _chains(figures: Figures, sizes: Sizes) -> Iterator[Row]:
    for depth in (2, 20):
        of = f"graph: a chain of 10, depth {depth}"
        jobs = f"{sizes.jobs:,} jobs, not {sizes.few_jobs:,}"
        yield _row(f"{of}: {jobs}", _of(figures, "many jobs", depth), _of(figures, "few jobs", depth))
        runs = f"{sizes.runs:,} runs a job, not 1"
        yield _row(f"{of}: {runs}", _of(figures, "many runs", depth), _of(figures, "many jobs", depth))


def _hub(figures: Figures, sizes: Sizes) -> Iterator[Row]:
    for depth in (1, 2, 20):
        what = f"graph: a hub of {sizes.readers:,} readers, depth {depth}: {sizes.runs:,} runs a job, not 1"
        yield _row(what, _of(figures, "many runs", depth), _of(figures, "one run", depth))


def _wide(figures: Figures, sizes: Sizes) -> Row:
    """Build the row of a graph that must be truncated, and marked."""
    cost = _of(figures, "one run", 2)
    nodes = cost["nodes"]
    return Row(
        what=f"graph: a hub of {sizes.too_many_readers:,} readers, depth 2",
        ours=show_cost(cost),
        baseline=f"{NODES_MAX:,} nodes at most",
        ratio=f"{nodes:,.0f} nodes, {'truncated' if cost['truncated'] else 'whole'}",
        goal="within the caps, marked if truncated",
        met=nodes <= NODES_MAX and bool(cost["truncated"]) == (nodes <= 2 * sizes.too_many_readers),
    )


def _row(what: str, ours: Figures, baseline: Figures) -> Row:
    return steady(what, ours, baseline, of=_COUNTED, at_most=_AT_MOST, show=show_cost)


def _of(figures: Figures, state: str, depth: int) -> dict[str, float]:
    prefix = f"{state}/{depth}/"
    return {name.removeprefix(prefix): value for name, value in figures.items() if name.startswith(prefix)}


def show_cost(cost: Figures) -> str:
    """Print the cost of a query on a line.

    >>> show_cost({"rounds": 12, "requests": 48, "items": 51, "bytes": 23120, "s": 0.00314})
    '12 rounds, 48 requests, 51 items, 23 KB, 3 ms'
    """
    return (
        f"{cost['rounds']:,.0f} rounds, {cost['requests']:,.0f} requests, {cost['items']:,.0f} items, "
        f"{cost['bytes'] / 1000:,.0f} KB, {cost['s'] * 1000:,.0f} ms"
    )
