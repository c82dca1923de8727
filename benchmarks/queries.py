"""Queries: reads grow neither with unrelated jobs nor with history.

The baseline is the same query, by the API's routes, of a table with fewer jobs or with a single run of each. A chain
has 10 jobs; each derives a dataset of 20 columns from the dataset before: 16 copies, 4 computed from four columns each.
Graphs have depth 20. Rounds are of parallel
reads, bytes are of the read items and objects, on a table in memory with DynamoDB's pages and batches. The milliseconds
are ours alone, without a network. In the table of many jobs, only the queried chain has many runs: the benchmark checks
that a query reads the same partitions as without further jobs. Bounds of larger datasets and hubs are tests'.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.processes import Figures, Report, run
from benchmarks.queries_work import SIZES, Sizes
from benchmarks.rows import Row, steady

_COUNTED = ("rounds", "requests", "items", "bytes", "response")
_AT_MOST = 1.2
_QUERIES = {"graph": "a graph of jobs", "up": "a column upstream"}


def measure(report: Report, *, quick: bool) -> list[Row]:
    """Measure once, since counts do not vary."""
    size = "QUICK" if quick else "FULL"
    report(size.lower())
    return list(_chains(run("queries_work", "chains", size), SIZES[size]))


def _chains(figures: Figures, sizes: Sizes) -> Iterator[Row]:
    """Yield two rows for each query: among many jobs, and after many runs."""
    jobs, runs = f"{sizes.chains * 10:,} jobs, not {sizes.few_chains * 10:,}", f"{sizes.runs} runs a job, not 1"
    for query, text in _QUERIES.items():
        few, many = _of(figures, "few jobs", query), _of(figures, "many jobs", query)
        yield _row(f"queries: {text}: {jobs}", many, few)
        yield _row(f"queries: {text}: {runs}", _of(figures, "many runs", query), many)


def _row(what: str, ours: Figures, baseline: Figures) -> Row:
    return steady(what, ours, baseline, of=_COUNTED, at_most=_AT_MOST, show=show_cost)


def _of(figures: Figures, *path: str) -> dict[str, float]:
    prefix = "/".join((*path, ""))
    return {name.removeprefix(prefix): value for name, value in figures.items() if name.startswith(prefix)}


def show_cost(cost: Figures) -> str:
    """Print the cost of a query on a line.

    >>> show_cost({"rounds": 12, "requests": 48, "items": 51, "bytes": 23120, "response": 8400, "s": 0.00314})
    '12 rounds, 48 requests, 51 items, 23 KB, response 8 KB, 3 ms'
    """
    return (
        f"{cost['rounds']:,.0f} rounds, {cost['requests']:,.0f} requests, {cost['items']:,.0f} items, "
        f"{cost['bytes'] / 1000:,.0f} KB, response {cost['response'] / 1000:,.0f} KB, {cost['s'] * 1000:,.0f} ms"
    )
