"""Capture: the cost of a job with and without it.

The same job without it, in a process of its own: pairs of runs, each of them first in every other pair. Measured from
`capture(spark)` to the end of its last flush, after the session's first few writes; an endpoint accepts the events over
HTTP at once. CPU is that of the driver's two processes. Small writes read 1,000 rows and write a part or sums of them.
*Once in a job*: all writes are done before the first is captured, so nothing but capture runs. The JVM's compilation of
it is waited for and counted; it varies from run to run, as do the pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from statistics import median

from benchmarks.processes import Figures, Report, in_turns, instant_endpoint, run
from benchmarks.rows import Row, compare_pairs, milliseconds, seconds

_PAIRS, _WRITES = 4, 50
# The JVM compiles differently each run.
_RUNS = 3
_START_MAX_S = 0.1
# CPU of capture for a small write with compiled readers; the work of the JVM's own compilers counts.
_WRITE_MAX_S = 0.005
# Of the interpreter: modules are compiled once, not for each process.
_COMPILED_ONCE = {"PYTHONDONTWRITEBYTECODE": ""}


def measure(report: Report, *, quick: bool) -> list[Row]:
    """Measure the start, and capture by itself."""
    with instant_endpoint("events") as variables:
        url = variables["AWS_ENDPOINT_URL"]
        works = {
            "start": partial(run, "capture_start_work", url, environment=_COMPILED_ONCE),
            "by itself": partial(run, "capture_cost_work", str(_WRITES), url),
        }
        start, by_itself = in_turns(1 if quick else _RUNS, works, report).values()
    return [start_row(start), cost_row(by_itself)]


def measure_jobs(report: Report, *, quick: bool) -> list[Row]:
    """Measure a job with and without capture, in seconds and in CPU seconds: shown without a goal, since pairs vary."""
    with instant_endpoint("events") as variables:
        job = partial(run, "capture_work", str(_WRITES))
        with_capture = partial(job, variables["AWS_ENDPOINT_URL"])
        ours, plain = in_pairs(1 if quick else _PAIRS, with_capture, job, report)
    assert all(job["lost"] == 0 and job["captured"] > 0 for job in ours)
    what, flush_s = f"capture: {_WRITES} small writes", median(job["flush_s"] for job in ours)
    clock, cpu = (
        compare_pairs(f"{what}{suffix}", _each(ours, name), _each(plain, name), show=seconds)
        for name, suffix in (("s", ""), ("cpu_s", " (CPU)"))
    )
    return [replace(clock, ours=f"{clock.ours}, {seconds(flush_s)} of it to flush"), cpu]


def start_row(figures: Figures) -> Row:
    """Build the row of the job's wait for `capture(spark)`; the next write, at once, must be captured, too."""
    return Row(
        "capture: until `capture(spark)` returns",
        f"{milliseconds(figures['s'])}, and {milliseconds(figures['import_s'])} for its import",
        "",
        "",
        f"≤ {milliseconds(_START_MAX_S)}",
        figures["s"] <= _START_MAX_S and figures["writes"] == 1,
    )


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
