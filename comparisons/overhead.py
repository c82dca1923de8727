"""The cost of capture and of OpenLineage's integration with Spark, beside the same job without either.

`python -m comparisons.overhead io.openlineage:openlineage-spark_2.12:VERSION [--rounds 6] [--writes 200]
[--scale 0.2]`, with the Python of a Spark that the package is for, and `tpchgen-cli` on the PATH. The three take turns,
each in a process of its own, and each is first in every third round. Both send their events to an endpoint that accepts
them at once; it counts the integration's, which would be fast if it sent none.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from urllib.request import urlopen

import pyspark

from benchmarks.processes import Figures, instant_endpoint, run
from benchmarks.rows import paired, seconds
from benchmarks.tables import render_table
from benchmarks.tpch import QUERIES, make_tables

_NONE, _CAPTURE, _JAR = "none", "capture", "jar"
# A write has a START and a COMPLETE.
_EVENTS_OF_WRITE = 2


def take_turns(rounds: int, works: Mapping[str, Callable[[], Figures]]) -> dict[str, list[Figures]]:
    """Return the figures of so many rounds; the first work of a round is the last of the next one.

    >>> order = []
    >>> _ = take_turns(2, {name: lambda name=name: order.append(name) or {} for name in "abc"})
    >>> "".join(order)
    'abcbca'
    """
    figures: dict[str, list[Figures]] = {name: [] for name in works}
    names = list(works)
    for number in range(rounds):
        for name in names[number % len(names) :] + names[: number % len(names)]:
            figures[name].append(works[name]())
    return figures


def compare(package: str, job: Sequence[str], writes: int, rounds: int) -> dict[str, list[Figures]]:
    """Return the figures of a job of so many writes without lineage, with capture and with the integration."""
    with instant_endpoint("events") as variables:
        url = variables["AWS_ENDPOINT_URL"]
        return take_turns(
            rounds,
            {
                _NONE: partial(_run, _NONE, url, 0, *job),
                _CAPTURE: partial(_run, _CAPTURE, url, writes, *job, "--capture", url),
                _JAR: partial(_run, _JAR, url, writes, *job, "--capture", url, "--openlineage", package),
            },
        )


def _run(name: str, url: str, writes: int, *arguments: str) -> Figures:
    before = _requests(url)
    figures = run("capture_work", *arguments)
    requests = _requests(url) - before
    assert figures.get("lost", 0) == 0, f"{name}: {figures['lost']:g} writes were lost"
    # Capture sends several events in a request; how many writes it reported, it counts itself.
    reported = figures.get("captured", requests / _EVENTS_OF_WRITE)
    assert reported >= writes, f"{name}: {reported:g} of {writes} writes were reported"
    print(f"  {arguments[0]}, {name}: {figures['s']:.2f} s, CPU {figures['cpu_s']:.2f} s", file=sys.stderr, flush=True)
    return figures


def _requests(url: str) -> int:
    with urlopen(url) as response:  # noqa: S310 - our own endpoint, on this machine
        return int(response.read())


def rows(what: str, figures: Mapping[str, Sequence[Figures]]) -> list[tuple[str, ...]]:
    """Return the rows of a job: by the clock, and CPU."""
    return [_row(what, "s", figures), _row(f"{what} (CPU)", "cpu_s", figures)]


def _row(what: str, name: str, figures: Mapping[str, Sequence[Figures]]) -> tuple[str, ...]:
    medians = (seconds(median(each[name] for each in figures[way])) for way in (_NONE, _CAPTURE, _JAR))
    plain = [each[name] for each in figures[_NONE]]
    pairs = ([each[name] for each in figures[way]] for way in (_CAPTURE, _JAR))
    return what, *medians, *(paired(what, ours, plain, at_most=None, show=seconds).ratio for ours in pairs)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="overhead", description=__doc__)
    parser.add_argument("package", help="the integration's Maven coordinates")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--writes", type=int, default=200, help="small writes")
    parser.add_argument("--scale", type=float, default=0.2, help="of TPC-H: 1 is 1 GB as text")
    given = parser.parse_args(arguments)
    small = compare(given.package, ("writes", str(given.writes)), given.writes, given.rounds)
    with tempfile.TemporaryDirectory() as folder:
        make_tables(Path(folder), given.scale)
        queries = compare(given.package, ("tpch", folder), len(QUERIES), given.rounds)
    print(f"Spark {pyspark.__version__}, {given.package}, {given.rounds} rounds\n")
    table = [
        *rows(f"{given.writes} small writes", small),
        *rows(f"{len(QUERIES)} queries of TPC-H at scale {given.scale:g}", queries),
    ]
    print("\n".join(render_table(("", "none", "capture", "jar", "capture / none", "jar / none"), "lrrrrr", table)))


if __name__ == "__main__":
    main()
