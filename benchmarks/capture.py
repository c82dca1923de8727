"""Capture: the wait for its start, and its cost by itself.

An endpoint accepts the events over HTTP at once. CPU is of the driver's two processes. Small writes read 1,000 rows and
write a part or sums of them, after the session's first few writes. All writes are done before the first is captured, so
nothing but capture runs. The JVM's compilation of it is waited for and counted; it varies from run to run.
"""

from __future__ import annotations

from functools import partial

from benchmarks.processes import Figures, Report, in_turns, instant_endpoint, run
from benchmarks.rows import Row, milliseconds, seconds

_WRITES = 50
# The JVM compiles differently each run.
_RUNS = 3
_START_MAX_S = 0.1
# CPU of the listener and the first write, with classes compiled by `scripts/capture_classes.py`, as in a wheel.
_ONCE_MAX_S = 0.6
# CPU of capture for a small write with compiled readers; the work of the JVM's own compilers counts.
_WRITE_MAX_S = 0.005
# Of the interpreter: modules are compiled once, not for each process.
_COMPILED_ONCE = {"PYTHONDONTWRITEBYTECODE": ""}


def measure(report: Report, *, quick: bool) -> list[Row]:
    """Measure the start, and capture by itself."""
    with instant_endpoint("events") as variables:
        url = variables["AWS_ENDPOINT_URL"]
        works = {
            "start": partial(run, "capture_start_work", "start", url, environment=_COMPILED_ONCE),
            "by itself": partial(run, "capture_cost_work", "cost", str(_WRITES), url),
        }
        start, by_itself = in_turns(1 if quick else _RUNS, works, report).values()
    return [start_row(start), cost_row(by_itself)]


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
        f"≤ {milliseconds(_ONCE_MAX_S)} once, ≤ {milliseconds(_WRITE_MAX_S)} for each after them",
        figures["once"] <= _ONCE_MAX_S and figures["later"] <= _WRITE_MAX_S,
    )
