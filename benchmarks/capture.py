"""Capture: the cost of jobs with and without it, and of plans with a large description.

The same job without it, in a process of its own: six pairs, each of them first in every other pair; the median of the
pairs' ratios, and their range, which holds the true median with 97 %. Measured from `capture(spark)` to the end of its
last flush, after the session's first few writes; an endpoint accepts the events over HTTP at once. CPU is that of the
driver's two processes. Small writes read 1,000 rows and write a part or sums of them. *Once in a job*: all writes are
done before the first is captured, so nothing but capture runs. The JVM's compilation of it is waited for and counted;
it varies from run to run, as do the pairs; the median of five. *Plans*: written first, then read, extracted and
rendered as events; only these are measured, in seconds and memory (the growth of the JVM's heap over a collection,
garbage included, and Python's peak). Beside it stands the captured detail (full, sources without kinds, or tables) and
the number of columns in the event. 1,500 × 1,500 pairs exceed its size limit: it lists no columns, and is marked so.
Threads have 16 MB of stack; with less, Spark itself fails at 400 nested expressions.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median

from benchmarks.capture_plan_work import TIERS
from benchmarks.capture_plans import PLANS
from benchmarks.processes import Figures, Report, in_turns, instant_endpoint, run
from benchmarks.rows import Row, compare_pairs, milliseconds, seconds
from benchmarks.tpch import QUERIES, make_tables

# The ends of six pairs hold the true median with 97 % (all above or all below it: 2 of 64).
_PAIRS = 6
_WRITES, _WRITES_MAX = 200, 1.05
_SCALE, _TPCH_MAX = 0.2, 1.03
# The least number of writes, with some after the first and the next ten. The JVM compiles differently each run.
_WRITES_LEAST, _RUNS = 20, 5
_PLAN_S, _PLAN_BYTES = 2.0, 256e6
_START_MAX_S = 0.1
# CPU of capture for a small write with compiled readers; the work of the JVM's own compilers counts.
_WRITE_MAX_S = 0.005
# Of the interpreter: modules are compiled once, not for each process.
_COMPILED_ONCE = {"PYTHONDONTWRITEBYTECODE": ""}


def measure(report: Report, *, quick: bool) -> list[Row]:
    """Measure jobs in pairs, then each plan by itself."""
    writes, scale = (3, 0.01) if quick else (_WRITES, _SCALE)
    pairs = 1 if quick else _PAIRS
    rows = _starts(1 if quick else _RUNS, report)
    rows += _compare(f"capture: {writes} small writes", ("writes", str(writes)), pairs, _WRITES_MAX, report)
    with tempfile.TemporaryDirectory() as folder:
        make_tables(Path(folder), scale)
        what = f"capture: {len(QUERIES)} queries of TPC-H at scale {scale:g}"
        rows += _compare(what, ("tpch", folder), pairs, _TPCH_MAX, report)
    rows.append(_cost_by_itself(max(writes, _WRITES_LEAST), 1 if quick else _RUNS, report))
    for name in list(PLANS)[:1] if quick else PLANS:
        report(name)
        rows.append(plan_row(name, run("capture_plan_work", name)))
    return rows


def _starts(runs: int, report: Report) -> list[Row]:
    """Measure the job's wait for `capture(spark)`, with each client in turns."""
    with instant_endpoint("events") as variables:
        works = {
            client: partial(
                run, "capture_start_work", client, variables["AWS_ENDPOINT_URL"], environment=_COMPILED_ONCE
            )
            for client in ("headwater", "openlineage")
        }
        measured = in_turns(runs, works, report)
    return [start_row(client, figures) for client, figures in measured.items()]


def start_row(client: str, figures: Figures) -> Row:
    """Build the row of a start; the next write, at once, must be captured, too."""
    sender = {"headwater": "Headwater's client", "openlineage": "openlineage-python"}[client]
    return Row(
        f"capture: until `capture(spark)` returns, {sender}",
        f"{milliseconds(figures['s'])}, and {milliseconds(figures['import_s'])} for its import",
        "",
        "",
        f"≤ {milliseconds(_START_MAX_S)}",
        figures["s"] <= _START_MAX_S and figures["writes"] == 1,
    )


def _compare(what: str, job: tuple[str, str], pairs: int, at_most: float, report: Report) -> list[Row]:
    """Compare a job with and without capture, in seconds and in CPU seconds."""
    with instant_endpoint("events") as variables:
        url = variables["AWS_ENDPOINT_URL"]
        with_capture = partial(run, "capture_work", *job, "--capture", url)
        ours, plain = in_pairs(
            pairs, with_capture, partial(run, "capture_work", *job), lambda progress: report(f"{what}, {progress}")
        )
    assert all(job["lost"] == 0 and job["captured"] > 0 for job in ours)
    flush_s = median(job["flush_s"] for job in ours)
    clock = compare_pairs(what, _each(ours, "s"), _each(plain, "s"), at_most=at_most, show=seconds)
    cpu = compare_pairs(f"{what} (CPU)", _each(ours, "cpu_s"), _each(plain, "cpu_s"), at_most=None, show=seconds)
    return [replace(clock, ours=f"{clock.ours}, {seconds(flush_s)} of it to flush"), cpu]


def _cost_by_itself(writes: int, runs: int, report: Report) -> Row:
    """Measure the CPU of capture while nothing else runs: the median of several runs."""
    with instant_endpoint("events") as variables:
        work = partial(run, "capture_cost_work", str(writes), variables["AWS_ENDPOINT_URL"])
        return cost_row(in_turns(runs, {"capture by itself": work}, report)["capture by itself"])


def cost_row(figures: Figures) -> Row:
    """Build the row of the cost once in a job and for each write: users compute their own job's cost by it."""
    once, following, later = seconds(figures["once"]), milliseconds(figures["next"]), milliseconds(figures["later"])
    return Row(
        "capture: once in a job, and for each small write (CPU)",
        f"{once} once, {following} for each of the next ten writes, {later} for each after them",
        f"{milliseconds(figures['write'])} for each write itself",
        f"{figures['later'] / figures['write']:.2f}x",
        f"≤ {milliseconds(_WRITE_MAX_S)} for each after them",
        figures["later"] <= _WRITE_MAX_S,
    )


def in_pairs(
    pairs: int, ours: Callable[[], Figures], plain: Callable[[], Figures], report: Report
) -> tuple[list[Figures], list[Figures]]:
    """Run both so many times, each first in every other pair."""
    runs: tuple[list[Figures], list[Figures]] = ([], [])
    for number in range(pairs):
        for side in (0, 1) if number % 2 else (1, 0):
            report(f"pair {number + 1} of {pairs}: {('with', 'without')[side]}")
            runs[side].append((ours, plain)[side]())
    return runs


def _each(runs: list[Figures], name: str) -> list[float]:
    return [figures[name] for figures in runs]


def plan_row(name: str, figures: Figures) -> Row:
    """Build the row of a plan; its goal is of time, and of the memory of the JVM and Python together."""
    memory = figures["heap"] + figures["python"]
    return Row(
        f"capture: {name}",
        f"{seconds(figures['s'])}, {memory / 1e6:.0f} MB; {_depth(figures)}",
        f"{seconds(figures['write_s'])} to write",
        f"{figures['s'] / figures['write_s']:.2f}x",
        f"≤ {_PLAN_S:g} s, {_PLAN_BYTES / 1e6:.0f} MB",
        figures["s"] <= _PLAN_S and memory <= _PLAN_BYTES,
    )


def _depth(figures: Figures) -> str:
    """Print the captured detail of a plan and the size of its event.

    >>> _depth({"tier": 0, "columns": 301, "event": 480_123})
    'full, 301 columns in 480 KB'
    """
    return f"{TIERS[int(figures['tier'])]}, {figures['columns']:,.0f} columns in {figures['event'] / 1e3:.0f} KB"
