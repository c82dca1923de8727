"""Queries: reads grow neither with unrelated jobs nor with history; wide datasets and hubs stay bounded.

The baseline is the same query, by the API's routes, of a table with fewer jobs or with a single run of each. A chain
has 10 jobs; each derives a dataset of 20 columns from the dataset before: 16 copies, 4 computed from four columns each.
Half of the jobs report columns by `columnLineage`, half by operations. Graphs have depth 20. Rounds are of parallel
reads, bytes are of the read items and objects, on a table in memory with DynamoDB's pages and batches. The milliseconds
are ours alone, without a network. In the table of many jobs, only the queried chain has many runs: the benchmark checks
that a query reads the same partitions as without further jobs. *One operation*: from every column to every column; ten
times the columns are a hundred times the pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from benchmarks.processes import Figures, Report, run
from benchmarks.queries_work import SIZES, Sizes
from benchmarks.rows import Row, gigabytes, milliseconds, steady, within
from headwater.api.http.responses import RESPONSE_BYTES_MAX

_COUNTED = ("rounds", "requests", "items", "bytes", "response")
_AT_MOST = 1.2
# Pairs of columns grow by a hundred, names by ten.
_WIDE_AT_MOST = 20
# For four times the columns: linear is 4, quadratic 16; the rest allows for noise.
_COPIES_AT_MOST = 8
_NOW = {
    "graph": "a graph of jobs",
    "up": "a column upstream",
    "down": "a column downstream",
    "dataset": "a dataset's columns in both directions",
    "resource": "a dataset's resource",
}
_PAST = {
    "version": "a version upstream",
    "at": "lineageAt",
    "mappings": "mappings of a time range",
    "detail": "a field's operations in a time range",
    "usage": "a field's use in a time range",
    "provenance": "a field's sources in a time range",
}
# Queries of a hub; an untruncated response has so many items for each reader, and one more of the hub.
_HUB: Mapping[str, tuple[str, int | None]] = {
    "graph": ("a graph of jobs", 2),
    "down": ("a column downstream", 1),
    "mappings": (_PAST["mappings"], None),
    "usage": (_PAST["usage"], None),
}
# Queries of a wide dataset; an untruncated graph has so many times its columns.
_WIDE: Mapping[str, tuple[str, int | None]] = {
    "column": ("a column upstream", None),
    "dataset": ("all columns upstream", 2),
    "down": ("all columns downstream", 2),
    "resource": ("the dataset's resource", None),
    "mappings": ("the mapping", None),
    "detail": ("a field's operations", None),
    "usage": ("a field's use", None),
}


def measure(report: Report, *, quick: bool) -> list[Row]:
    """Measure each shape once, since counts do not vary."""
    size = "QUICK" if quick else "FULL"
    sizes, figures = SIZES[size], {}
    for shape in ("chains", "hub", "crowd", "wide", "alike"):
        report(f"{shape}, {size.lower()}")
        figures[shape] = run("queries_work", shape, size)
    return [
        *_chains(figures["chains"], sizes),
        *_hub(figures["hub"], sizes),
        *_crowd(figures["crowd"], sizes),
        *_wide(figures["wide"], sizes),
        *_alike(figures["alike"], sizes),
    ]


def _chains(figures: Figures, sizes: Sizes) -> Iterator[Row]:
    """Yield a row for each query: among many jobs, after many runs, and of the first run after later runs."""
    jobs, runs = f"{sizes.chains * 10:,} jobs, not {sizes.few_chains * 10:,}", f"{sizes.runs} runs a job, not 1"
    for query, text in (_NOW | _PAST).items():
        few, many = _of(figures, "few jobs", query), _of(figures, "many jobs", query)
        yield _row(f"queries: {text}: {jobs}", many, few)
        yield _row(f"queries: {text}: {runs}", _of(figures, "many runs", query), many)
    for query, text in _PAST.items():
        later = f"queries: {text}, of the first run: {runs}"
        yield _row(later, _of(figures, "first run", query), _of(figures, "many jobs", query))


def _hub(figures: Figures, sizes: Sizes) -> Iterator[Row]:
    for query, (text, _) in _HUB.items():
        what = f"queries: a hub of {sizes.readers:,} readers, {text}: {sizes.hub_runs} runs a job, not 1"
        yield _row(what, _of(figures, "many runs", query), _of(figures, "one run", query))


def _crowd(figures: Figures, sizes: Sizes) -> Iterator[Row]:
    of, readers = f"queries: a hub of {sizes.too_many_readers:,} readers", sizes.too_many_readers
    for query, (text, each) in _HUB.items():
        yield _bounded_row(f"{of}, {text}", _of(figures, "one run", query), whole=each and each * readers + 1)


def _wide(figures: Figures, sizes: Sizes) -> Iterator[Row]:
    wide, tenth = _of(figures, "wide"), _of(figures, "tenth")
    what = f"queries: {sizes.width:,} × {sizes.width:,} fields in one operation"
    load = f"{what}, not {sizes.width // 10} × {sizes.width // 10}: load (CPU)"
    yield within(load, wide["cpu_s"], tenth["cpu_s"], at_most=_WIDE_AT_MOST, show=milliseconds)
    yield Row(f"{what}: load", _show_loaded(wide), _show_loaded(tenth), "", "")
    for query, (text, each) in _WIDE.items():
        yield _bounded_row(f"{what}: {text}", _of(figures, "wide", query), whole=each and each * sizes.width)
    of = f"queries: {sizes.lineage_width} × {sizes.lineage_width} fields in columnLineage: all columns"
    yield _bounded_row(of, _of(figures, "lineage", "dataset"), whole=2 * sizes.lineage_width)


def _alike(figures: Figures, sizes: Sizes) -> Iterator[Row]:
    """Yield rows for four times the runs of four times the columns: each run must cost the same to read."""
    of = f"{sizes.alike_runs:,} runs that report {sizes.alike_width} columns alike, not of a quarter of both"
    for query in ("detail", "mappings"):
        ours, quarter = (_of(figures, name, query)["s"] for name in ("whole", "quarter"))
        what = f"queries: {_WIDE[query][0]} of {of}: time"
        yield within(what, ours, quarter, at_most=_COPIES_AT_MOST, show=milliseconds)


def _bounded_row(what: str, figures: Figures, *, whole: int | None = None) -> Row:
    """Require a small response, or a link, and the mark of a truncated result; `whole` counts a complete response."""
    fits = figures["response"] <= RESPONSE_BYTES_MAX or bool(figures["linked"])
    honest = whole is None or bool(figures["truncated"]) == (figures["count"] < whole)
    extent = "truncated" if figures["truncated"] else "whole"
    return Row(
        what=what,
        ours=show_cost(figures),
        baseline=f"{RESPONSE_BYTES_MAX / 1e6:.1f} MB a response",
        ratio=f"{figures['count']:,.0f} shown, {extent}{', a link' if figures['linked'] else ''}",
        goal="within the caps, marked if truncated",
        met=fits and honest,
    )


def _row(what: str, ours: Figures, baseline: Figures) -> Row:
    return steady(what, ours, baseline, of=_COUNTED, at_most=_AT_MOST, show=show_cost)


def _of(figures: Figures, *path: str) -> dict[str, float]:
    prefix = "/".join((*path, ""))
    return {name.removeprefix(prefix): value for name, value in figures.items() if name.startswith(prefix)}


def _show_loaded(load: Figures) -> str:
    stored = f"{load['write_units']:,.0f} WRU and {load['objects_bytes'] / 1e6:.1f} MB in S3"
    memory = gigabytes(load["peak_bytes"])
    return f"{load['event_bytes'] / 1e6:.2f} MB, {milliseconds(load['cpu_s'])}, {stored}, {memory} at most"


def show_cost(cost: Figures) -> str:
    """Print the cost of a query on a line.

    >>> show_cost({"rounds": 12, "requests": 48, "items": 51, "bytes": 23120, "response": 8400, "s": 0.00314})
    '12 rounds, 48 requests, 51 items, 23 KB, response 8 KB, 3 ms'
    """
    return (
        f"{cost['rounds']:,.0f} rounds, {cost['requests']:,.0f} requests, {cost['items']:,.0f} items, "
        f"{cost['bytes'] / 1000:,.0f} KB, response {cost['response'] / 1000:,.0f} KB, {cost['s'] * 1000:,.0f} ms"
    )
