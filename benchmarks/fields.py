"""Columns: reads must not grow with history, wide datasets and hubs stay bounded, loading columns costs little.

The baseline is the same query, by the API's routes, of a table with a single run of each job, or before later runs. 100
chains of 10 jobs; each job derives a dataset of 20 columns from the dataset before: 16 are copies, 4 are computed from
four columns each. Half of the jobs report it by `columnLineage`, half by operations, and runs share a parent run. The
queries are of a column of the last or first dataset, or of the dataset in the middle. Results are counted whole, behind
a link too; objects read from S3 count with the items. A time range of all runs reads a row for each run, so its rows
have no goal. *One operation*: from every column to every column, with the event's seconds, units and memory; ten times
the columns are a hundred times the pairs. *columnLineage* lists each pair, so the event of full width is larger than
the API accepts (32 MB). *Events with columns*: the events of **events**, with schemas of 20 columns, with and without
the columns' lineage. A run repeats the previous run's report, as in production, so the function knows its facets by
their content.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from benchmarks.events import QUICK_RUNS, run_variant, show_calls
from benchmarks.events_work import RUNS
from benchmarks.fields_ingest_work import SENDS
from benchmarks.fields_work import SIZES, Sizes
from benchmarks.processes import Figures, Report, in_turns, run
from benchmarks.rows import Row, events_per_second, gigabytes, milliseconds, more, steady, within
from headwater.api.http.responses import RESPONSE_BYTES_MAX

_COUNTED = ("rounds", "requests", "items", "bytes", "response")
_AT_MOST = 1.2
# Pairs of columns grow by a hundred, names by ten.
_WIDE_AT_MOST = 20
# For four times the columns: linear is 4, quadratic 16; the rest allows for noise.
_COPIES_AT_MOST = 8
# An event with columns is more than twice as large, and is parsed whole.
_EVENTS_AT_LEAST = 0.7
_NOW = {
    "up": "a column upstream, depth 20",
    "down": "a column downstream, depth 20",
    "dataset": "a dataset's columns in both directions, depth 20",
    "resource": "a dataset's resource",
    "list": "a list of 20 datasets",
}
_PAST = {
    "version": "a version upstream, depth 20",
    "at": "lineageAt, depth 20",
    "mappings": "mappings, level 10, a time range of one run",
    "detail": "a field's operations, a time range of one run",
    "paths": "a field's paths, a time range of one run",
    "usage": "the report of a field's use, a time range of one run",
    "provenance": "the report of a field's sources, a time range of one run",
}
# Queries of a wide dataset; an untruncated graph has so many times its columns.
_WIDE: Mapping[str, tuple[str, int | None]] = {
    "column": ("a column upstream", None),
    "dataset": ("all columns upstream", 2),
    "down": ("all columns downstream", 2),
    "resource": ("the dataset's resource", None),
    "mappings": ("the mapping", None),
    "detail": ("a field's operations", None),
    "usage": ("the report of a field's use", None),
}
_HUB = {
    "down": "a column downstream",
    "mappings": "mappings, a time range of one run",
    "usage": "the report of its use",
}


def measure(report: Report, *, quick: bool) -> list[Row]:
    """Measure each shape once, since counts do not vary; loading in turns."""
    size = "QUICK" if quick else "FULL"
    figures = {}
    for shape in ("chains", "hub", "crowd", "wide-operation", "wide-lineage", "copies", "alike"):
        report(f"{shape}, {size.lower()}")
        figures[shape] = run("fields_work", shape, size)
    sizes = SIZES[size]
    return [
        *_chains(figures["chains"], sizes),
        *_hub(figures["hub"], sizes),
        *_crowd(figures["crowd"], sizes),
        *_wide_operation(figures["wide-operation"], sizes),
        *_wide_lineage(figures["wide-lineage"], sizes),
        _copies(figures["copies"], sizes),
        *_alike(figures["alike"], sizes),
        *_ingest(report, quick=quick),
    ]


def _chains(figures: Figures, sizes: Sizes) -> Iterator[Row]:
    """Yield a row for each query of a chain, with many runs; then of its first run, and of all runs at once."""
    often = f"{sizes.runs} runs a job, not 1"
    for query, text in (_NOW | _PAST).items():
        yield _row(f"fields: {text}: {often}", _of(figures, "many runs", query), _of(figures, "one run", query))
    worst = max(_PAST, key=lambda query: _ratio(figures, query))
    later = f"{sizes.runs - 1} later runs a job, not 0; the worst of these {len(_PAST)}: {_PAST[worst]}"
    yield _row(f"fields: {later}", _of(figures, "first run", worst), _of(figures, "one run", worst))
    for query in ("mappings", "usage"):
        text = _PAST[query].replace("a time range of one run", f"a time range of all {sizes.runs} runs, not of one")
        ours, single = _of(figures, "all runs", query), _of(figures, "many runs", query)
        yield Row(
            f"fields: {text}", show_cost(ours), show_cost(single), f"{ours['items'] / single['items']:.1f}x (items)", ""
        )


def _ratio(figures: Figures, query: str) -> float:
    """Find the worst ratio of a query about the first run after later runs to the same query before them."""
    after, before = _of(figures, "first run", query), _of(figures, "one run", query)
    return max(after[counted] / before[counted] for counted in _COUNTED)


def _hub(figures: Figures, sizes: Sizes) -> Iterator[Row]:
    for query, text in _HUB.items():
        what = f"fields: a column read by {sizes.readers:,} datasets, {text}: {sizes.hub_runs} runs a job, not 1"
        yield _row(what, _of(figures, "many runs", query), _of(figures, "one run", query))


def _crowd(figures: Figures, sizes: Sizes) -> Iterator[Row]:
    of, many = f"fields: a column read by {sizes.too_many_readers:,} datasets", sizes.too_many_readers
    for query, whole in {"down": many + 1, "mappings": None, "usage": None}.items():
        yield _bounded_row(f"{of}, {_HUB[query]}", _of(figures, "one run", query), whole=whole)


def _wide_operation(figures: Figures, sizes: Sizes) -> Iterator[Row]:
    wide, tenth = _of(figures, "wide"), _of(figures, "tenth")
    what = f"fields: {sizes.width:,} × {sizes.width:,} fields in one operation"
    of = f"{what}, not {sizes.width // 10} × {sizes.width // 10}: load (CPU)"
    yield within(of, wide["cpu_s"], tenth["cpu_s"], at_most=_WIDE_AT_MOST, show=milliseconds)
    yield Row(f"{what}: load", _show_loaded(wide), _show_loaded(tenth), "", "")
    for query, (text, whole) in _WIDE.items():
        yield _bounded_row(f"{what}: {text}", _of(figures, "wide", query), whole=whole and whole * sizes.width)


def _wide_lineage(figures: Figures, sizes: Sizes) -> Iterator[Row]:
    what = f"fields: {sizes.lineage_width} × {sizes.lineage_width} fields in columnLineage"
    refused = f"{sizes.width:,} × {sizes.width:,}: {figures['full_event_bytes'] / 1e6:,.0f} MB"
    yield Row(f"{what}: load", _show_loaded(_of(figures, "wide")), refused, "", "")
    yield _bounded_row(f"{what}: all columns", _of(figures, "wide", "dataset"), whole=2 * sizes.lineage_width)


def _copies(figures: Figures, sizes: Sizes) -> Row:
    what = f"fields: the report of a column that flows through {sizes.width:,} columns, not {sizes.width // 4:,}: time"
    ours, quarter = (_of(figures, name, "usage")["s"] for name in ("whole", "quarter"))
    return within(what, ours, quarter, at_most=_COPIES_AT_MOST, show=milliseconds)


def _alike(figures: Figures, sizes: Sizes) -> Iterator[Row]:
    """Yield rows for four times the runs of four times the columns: each run must cost the same to read."""
    of = f"{sizes.alike_runs:,} runs that report {sizes.alike_width} columns alike, not of a quarter of both"
    for query, text in {"detail": "a field's operations", "mappings": "the mapping"}.items():
        ours, quarter = (_of(figures, name, query)["s"] for name in ("whole", "quarter"))
        what = f"fields: {text} of {of}: time"
        yield within(what, ours, quarter, at_most=_COPIES_AT_MOST, show=milliseconds)


def _ingest(report: Report, *, quick: bool) -> Iterator[Row]:
    """Yield rows for loading events with column lineage, beside events without."""
    rounds = "1" if quick else "4"
    works = {variant: lambda variant=variant: run_variant("fields_ingest_work", variant, rounds) for variant in SENDS}
    figures = in_turns(1 if quick else 5, works, report)
    runs = str(QUICK_RUNS if quick else RUNS)
    calls = {variant: run("fields_ingest_work", f"calls-{variant}", rounds, runs) for variant in SENDS}
    for variant, name in {"lineage": "columnLineage", "operations": "operations"}.items():
        what = f"fields: events with {name} of 20 columns, not without"
        ours, plain = figures[variant]["per_cpu_s"], figures["schemas"]["per_cpu_s"]
        yield more(what, ours, plain, at_least=_EVENTS_AT_LEAST, show=events_per_second)
        yield _calls(f"{what}: DynamoDB", calls[variant], calls["schemas"])


def _calls(what: str, ours: Figures, plain: Figures) -> Row:
    with_columns, without = (f"{events['event_bytes'] / 1000:.1f} KB, {show_calls(events)}" for events in (ours, plain))
    ratio = ours["write_units"] / plain["write_units"]
    return Row(what, with_columns, without, f"{ratio:.2f}x WRU", f"≤ {_AT_MOST:g}x WRU", ratio <= _AT_MOST)


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
