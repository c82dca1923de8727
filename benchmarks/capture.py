"""Capture: what jobs take with it and without, and what the plans that blow up cost it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median

from benchmarks.capture_plan_work import TIERS
from benchmarks.capture_plans import PLANS
from benchmarks.processes import Figures, Say, in_turns, instant_endpoint, run
from benchmarks.rows import Row, milliseconds, paired, seconds
from benchmarks.tpch import QUERIES, make_tables

# The ends of six pairs hold the true median with 97 % (all above or all below it: 2 of 64).
_PAIRS = 6
_WRITES, _WRITES_MAX = 200, 1.05
_SCALE, _TPCH_MAX = 0.2, 1.03
# By themselves: the first, the next ten, and some after them; what is compiled differs from run to run.
_WRITES_LEAST, _RUNS = 20, 5
_PLAN_S, _PLAN_BYTES = 2.0, 256e6


def measure(say: Say, *, quick: bool) -> list[Row]:
    """Jobs in pairs, then each plan by itself."""
    writes, scale = (3, 0.01) if quick else (_WRITES, _SCALE)
    pairs = 1 if quick else _PAIRS
    rows = _compare(f"capture: {writes} small writes", ("writes", str(writes)), pairs, _WRITES_MAX, say)
    with tempfile.TemporaryDirectory() as folder:
        make_tables(Path(folder), scale)
        what = f"capture: {len(QUERIES)} queries of TPC-H at scale {scale:g}"
        rows += _compare(what, ("tpch", folder), pairs, _TPCH_MAX, say)
    rows.append(_cost_by_itself(max(writes, _WRITES_LEAST), 1 if quick else _RUNS, say))
    for name in list(PLANS)[:1] if quick else PLANS:
        say(name)
        rows.append(plan_row(name, run("capture_plan_work", name)))
    return rows


def _compare(what: str, job: tuple[str, str], pairs: int, at_most: float, say: Say) -> list[Row]:
    """A job with capture beside the same without, on the clock and in CPU."""
    with instant_endpoint("events") as variables:
        url = variables["AWS_ENDPOINT_URL"]
        with_capture = partial(run, "capture_work", *job, "--capture", url)
        ours, plain = in_pairs(pairs, with_capture, partial(run, "capture_work", *job), lambda at: say(f"{what}, {at}"))
    assert all(one["lost"] == 0 and one["told"] > 0 for one in ours)
    flush_s = median(one["flush_s"] for one in ours)
    clock = paired(what, _each(ours, "s"), _each(plain, "s"), at_most=at_most, show=seconds)
    cpu = paired(f"{what} (CPU)", _each(ours, "cpu_s"), _each(plain, "cpu_s"), at_most=None, show=seconds)
    return [replace(clock, ours=f"{clock.ours}, {seconds(flush_s)} of it to flush"), cpu]


def _cost_by_itself(writes: int, runs: int, say: Say) -> Row:
    """What capture takes of the processor while nothing else does: the median of some runs."""
    with instant_endpoint("events") as variables:
        work = partial(run, "capture_cost_work", str(writes), variables["AWS_ENDPOINT_URL"])
        return cost_row(in_turns(runs, {"capture by itself": work}, say)["capture by itself"])


def cost_row(told: Figures) -> Row:
    """What a job pays once and for each write, so that people can tell for their own job."""
    once, following, later = seconds(told["once"]), milliseconds(told["next"]), milliseconds(told["later"])
    return Row(
        "capture: once in a job, and for each small write (CPU)",
        f"{once} once, {following} for each of the next ten writes, {later} for each after them",
        f"{milliseconds(told['write'])} for each write itself",
        f"{told['later'] / told['write']:.2f}x",
        "",
    )


def in_pairs(
    pairs: int, ours: Callable[[], Figures], plain: Callable[[], Figures], say: Say
) -> tuple[list[Figures], list[Figures]]:
    """Both ways that many times; which goes first changes with every pair."""
    found: tuple[list[Figures], list[Figures]] = ([], [])
    for number in range(pairs):
        for way in (0, 1) if number % 2 else (1, 0):
            say(f"pair {number + 1} of {pairs}: {('with', 'without')[way]}")
            found[way].append((ours, plain)[way]())
    return found


def _each(runs: list[Figures], name: str) -> list[float]:
    return [one[name] for one in runs]


def plan_row(name: str, told: Figures) -> Row:
    """One plan: the goal is of time and of memory, the JVM's and Python's together."""
    memory = told["heap"] + told["python"]
    return Row(
        f"capture: {name}",
        f"{seconds(told['s'])}, {memory / 1e6:.0f} MB; {_depth(told)}",
        f"{seconds(told['write_s'])} to write",
        f"{told['s'] / told['write_s']:.2f}x",
        f"≤ {_PLAN_S:g} s, {_PLAN_BYTES / 1e6:.0f} MB",
        told["s"] <= _PLAN_S and memory <= _PLAN_BYTES,
    )


def _depth(told: Figures) -> str:
    """How much of a plan was told, and in how large an event.

    >>> _depth({"tier": 0, "columns": 301, "event": 480_123})
    'full, 301 columns in 480 KB'
    """
    return f"{TIERS[int(told['tier'])]}, {told['columns']:,.0f} columns in {told['event'] / 1e3:.0f} KB"
