"""Columns: what questions read must not grow with history, wide sets and hubs stay bounded, telling costs little."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from benchmarks.events import QUICK_RUNS, run_way, show_calls
from benchmarks.events_work import RUNS
from benchmarks.fields_intake_work import SENDS
from benchmarks.fields_work import SIZES, Sizes
from benchmarks.processes import Figures, Say, in_turns, run
from benchmarks.rows import Row, events_per_second, gigabytes, milliseconds, more, steady, within
from lineage.api.answers import ANSWER_BYTES_MAX

_COUNTED = ("rounds", "requests", "items", "bytes", "answer")
_AT_MOST = 1.2
# The pairs grow by a hundred, names by ten.
_WIDE_AT_MOST = 20
# Four times the columns: linear, with room for a machine's noise; quadratic would be 16.
_COPIES_AT_MOST = 8
# An event with columns is more than twice as large, and all of it is read.
_EVENTS_AT_LEAST = 0.7
_NOW = {
    "up": "a column's way up, depth 20",
    "down": "a column's way down, depth 20",
    "dataset": "a dataset's columns both ways, depth 20",
    "resource": "a dataset's resource",
    "list": "a list of 20 datasets",
}
_PAST = {
    "version": "a version's way up, depth 20",
    "at": "lineageAt, depth 20",
    "mappings": "mappings, level 10, a window of one run",
    "detail": "a field's operations, a window of one run",
    "paths": "a field's paths, a window of one run",
    "usage": "the report of a field's use, a window of one run",
    "provenance": "the report of a field's sources, a window of one run",
}
# What is asked of a wide dataset; a graph that is whole has so many times its columns.
_WIDE: Mapping[str, tuple[str, int | None]] = {
    "column": ("a column's way up", None),
    "dataset": ("all columns' way up", 2),
    "down": ("all columns' way down", 2),
    "resource": ("the dataset's resource", None),
    "mappings": ("the mapping", None),
    "detail": ("a field's operations", None),
    "usage": ("the report of a field's use", None),
}
_HUB = {"down": "a column's way down", "mappings": "mappings, a window of one run", "usage": "the report of its use"}


def measure(say: Say, *, quick: bool) -> list[Row]:
    """Each shape once: counts do not vary; loading in turns."""
    size = "QUICK" if quick else "FULL"
    found = {}
    for shape in ("chains", "hub", "crowd", "wide-operation", "wide-lineage", "copies", "alike"):
        say(f"{shape}, {size.lower()}")
        found[shape] = run("fields_work", shape, size)
    sizes = SIZES[size]
    return [
        *_chains(found["chains"], sizes),
        *_hub(found["hub"], sizes),
        *_crowd(found["crowd"], sizes),
        *_wide_operation(found["wide-operation"], sizes),
        *_wide_lineage(found["wide-lineage"], sizes),
        _copies(found["copies"], sizes),
        *_alike(found["alike"], sizes),
        *_intake(say, quick=quick),
    ]


def _chains(figures: Figures, sizes: Sizes) -> Iterator[Row]:
    often = f"{sizes.runs} runs a job, not 1"
    for question, text in (_NOW | _PAST).items():
        yield _row(f"fields: {text}: {often}", _of(figures, "many runs", question), _of(figures, "one run", question))
    worst = max(_PAST, key=lambda question: _ratio(figures, question))
    later = f"{sizes.runs - 1} later runs a job, not 0; the worst of these {len(_PAST)}: {_PAST[worst]}"
    yield _row(f"fields: {later}", _of(figures, "first run", worst), _of(figures, "one run", worst))
    for question in ("mappings", "usage"):
        text = _PAST[question].replace("a window of one run", f"a window of all {sizes.runs} runs, not of one")
        ours, one = _of(figures, "all runs", question), _of(figures, "many runs", question)
        yield Row(
            f"fields: {text}", show_cost(ours), show_cost(one), f"{ours['items'] / one['items']:.1f}x (items)", ""
        )


def _ratio(figures: Figures, question: str) -> float:
    """The worst ratio of what a question about the first run costs after others, to what it cost before."""
    after, before = _of(figures, "first run", question), _of(figures, "one run", question)
    return max(after[counted] / before[counted] for counted in _COUNTED)


def _hub(figures: Figures, sizes: Sizes) -> Iterator[Row]:
    for question, text in _HUB.items():
        what = f"fields: a column read by {sizes.readers:,} datasets, {text}: {sizes.hub_runs} runs a job, not 1"
        yield _row(what, _of(figures, "many runs", question), _of(figures, "one run", question))


def _crowd(figures: Figures, sizes: Sizes) -> Iterator[Row]:
    of, many = f"fields: a column read by {sizes.too_many_readers:,} datasets", sizes.too_many_readers
    for question, whole in {"down": many + 1, "mappings": None, "usage": None}.items():
        yield _bounded(f"{of}, {_HUB[question]}", _of(figures, "one run", question), whole=whole)


def _wide_operation(figures: Figures, sizes: Sizes) -> Iterator[Row]:
    wide, tenth = _of(figures, "wide"), _of(figures, "tenth")
    what = f"fields: {sizes.width:,} × {sizes.width:,} fields in one operation"
    of = f"{what}, not {sizes.width // 10} × {sizes.width // 10}: taken in (CPU)"
    yield within(of, wide["cpu_s"], tenth["cpu_s"], at_most=_WIDE_AT_MOST, show=milliseconds)
    yield Row(f"{what}: taken in", _show_taken(wide), _show_taken(tenth), "", "")
    for question, (text, whole) in _WIDE.items():
        yield _bounded(f"{what}: {text}", _of(figures, "wide", question), whole=whole and whole * sizes.width)


def _wide_lineage(figures: Figures, sizes: Sizes) -> Iterator[Row]:
    what = f"fields: {sizes.lineage_width} × {sizes.lineage_width} fields in columnLineage"
    refused = f"{sizes.width:,} × {sizes.width:,}: {figures['full_event_bytes'] / 1e6:,.0f} MB"
    yield Row(f"{what}: taken in", _show_taken(_of(figures, "wide")), refused, "", "")
    yield _bounded(f"{what}: all columns", _of(figures, "wide", "dataset"), whole=2 * sizes.lineage_width)


def _copies(figures: Figures, sizes: Sizes) -> Row:
    what = f"fields: the report of a column that flows through {sizes.width:,} columns, not {sizes.width // 4:,}: time"
    ours, quarter = (_of(figures, name, "usage")["s"] for name in ("whole", "quarter"))
    return within(what, ours, quarter, at_most=_COPIES_AT_MOST, show=milliseconds)


def _alike(figures: Figures, sizes: Sizes) -> Iterator[Row]:
    """Four times the runs of four times the columns: each run that is read costs the same, whatever it reported."""
    of = f"{sizes.alike_runs:,} runs that report {sizes.alike_width} columns alike, not of a quarter of both"
    for question, text in {"detail": "a field's operations", "mappings": "the mapping"}.items():
        ours, quarter = (_of(figures, name, question)["s"] for name in ("whole", "quarter"))
        what = f"fields: {text} of {of}: time"
        yield within(what, ours, quarter, at_most=_COPIES_AT_MOST, show=milliseconds)


def _intake(say: Say, *, quick: bool) -> Iterator[Row]:
    rounds = "1" if quick else "4"
    works = {way: lambda way=way: run_way("fields_intake_work", way, rounds) for way in SENDS}
    found = in_turns(1 if quick else 5, works, say)
    runs = str(QUICK_RUNS if quick else RUNS)
    calls = {way: run("fields_intake_work", f"calls-{way}", rounds, runs) for way in SENDS}
    for way, name in {"lineage": "columnLineage", "operations": "operations"}.items():
        what = f"fields: events with {name} of 20 columns, not without"
        ours, plain = found[way]["per_cpu_s"], found["schemas"]["per_cpu_s"]
        yield more(what, ours, plain, at_least=_EVENTS_AT_LEAST, show=events_per_second)
        yield _calls(f"{what}: DynamoDB", calls[way], calls["schemas"])


def _calls(what: str, ours: Figures, plain: Figures) -> Row:
    mine, other = (f"{one['event_bytes'] / 1000:.1f} KB, {show_calls(one)}" for one in (ours, plain))
    ratio = ours["write_units"] / plain["write_units"]
    return Row(what, mine, other, f"{ratio:.2f}x WRU", f"≤ {_AT_MOST:g}x WRU", ratio <= _AT_MOST)


def _bounded(what: str, found: Figures, *, whole: int | None = None) -> Row:
    """An answer that a function can give, or a link to one; cut only if it says so. `whole` has so many things."""
    fits = found["answer"] <= ANSWER_BYTES_MAX or bool(found["linked"])
    honest = whole is None or bool(found["truncated"]) == (found["told"] < whole)
    said = "truncated" if found["truncated"] else "whole"
    return Row(
        what=what,
        ours=show_cost(found),
        baseline=f"{ANSWER_BYTES_MAX / 1e6:.1f} MB an answer",
        ratio=f"{found['told']:,.0f} told, {said}{', a link' if found['linked'] else ''}",
        goal="within the caps, truncated says so",
        met=fits and honest,
    )


def _row(what: str, ours: Figures, baseline: Figures) -> Row:
    return steady(what, ours, baseline, of=_COUNTED, at_most=_AT_MOST, show=show_cost)


def _of(figures: Figures, *path: str) -> dict[str, float]:
    prefix = "/".join((*path, ""))
    return {name.removeprefix(prefix): value for name, value in figures.items() if name.startswith(prefix)}


def _show_taken(taken: Figures) -> str:
    stored = f"{taken['write_units']:,.0f} WRU and {taken['objects_bytes'] / 1e6:.1f} MB in S3"
    memory = gigabytes(taken["peak_bytes"])
    return f"{taken['event_bytes'] / 1e6:.2f} MB, {milliseconds(taken['cpu_s'])}, {stored}, {memory} at most"


def show_cost(cost: Figures) -> str:
    """What a question cost, in one line.

    >>> show_cost({"rounds": 12, "requests": 48, "items": 51, "bytes": 23120, "answer": 8400, "s": 0.00314})
    '12 rounds, 48 requests, 51 items, 23 KB, answer 8 KB, 3 ms'
    """
    return (
        f"{cost['rounds']:,.0f} rounds, {cost['requests']:,.0f} requests, {cost['items']:,.0f} items, "
        f"{cost['bytes'] / 1000:,.0f} KB, answer {cost['answer'] / 1000:,.0f} KB, {cost['s'] * 1000:,.0f} ms"
    )
