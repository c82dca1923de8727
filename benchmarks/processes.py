"""Measured work in separate processes: each run has its own memory and imports, and leaves nothing for the next.

`python -m benchmarks.processes <module> <work> <arguments>` runs a work of the module's `WORKS`, with texts as its
arguments, and prints its figures as a line of JSON.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import TypeAlias

PROJECT = Path(__file__).resolve().parent.parent

Figures: TypeAlias = Mapping[str, float]
Report: TypeAlias = Callable[[str], None]


class WorkFailed(Exception):
    """Failure of a measured process; the message ends with its output."""


def run(module: str, work: str, *arguments: str, environment: Mapping[str, str] | None = None) -> Figures:
    """Run a work of a module of benchmarks for its figures. Raises `WorkFailed`."""
    return _figures([sys.executable, "-m", "benchmarks.processes", module, work, *arguments], environment or {})


def run_code(code: str, environment: Mapping[str, str]) -> Figures:
    """Run code in a new interpreter for its printed figures."""
    return _figures([sys.executable, "-c", code], environment)


def _figures(command: Sequence[str], environment: Mapping[str, str]) -> Figures:
    """Run a command and parse its last line."""
    done = subprocess.run(  # noqa: S603 - our own modules, by our own interpreter
        command,
        cwd=PROJECT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise WorkFailed(f"{' '.join(command)}:\n{done.stderr[-4000:]}")
    figures: Figures = json.loads(done.stdout.splitlines()[-1])
    return figures


@contextmanager
def instant_endpoint(kind: str) -> Iterator[Mapping[str, str]]:
    """Start an AWS endpoint with immediate responses (`instant_endpoint.py`); yield the variables of its clients."""
    command = [sys.executable, "-m", "benchmarks.instant_endpoint", kind]
    with subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - ours
        try:
            assert process.stdout is not None
            yield {
                "AWS_ENDPOINT_URL": f"http://127.0.0.1:{int(process.stdout.readline())}",
                "AWS_ACCESS_KEY_ID": "local",
                "AWS_SECRET_ACCESS_KEY": "local",
                "AWS_DEFAULT_REGION": "us-east-1",
                "POWERTOOLS_METRICS_NAMESPACE": "Headwater",
            }
        finally:
            process.terminate()


def in_turns(
    rounds: int,
    works: Mapping[str, Callable[[], Figures]],
    report: Report,
    middle: Callable[[Iterable[float]], float] = median,
) -> dict[str, Figures]:
    """Run the works in turns, so many rounds; return the median of each figure by work, or its `middle`.

    In turns, foreign load on the machine falls on all of them.
    """
    figures: dict[str, list[Figures]] = {name: [] for name in works}
    for number in range(rounds):
        for name, work in works.items():
            report(f"round {number + 1} of {rounds}: {name}")
            figures[name].append(work())
    return {
        work: {name: middle(figures[name] for figures in runs) for name in runs[0]} for work, runs in figures.items()
    }


class Stopwatch:
    """Seconds since its creation: `s` by the clock, `cpu_s` of this process on all cores."""

    def __init__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def read(self) -> dict[str, float]:
        """Read the seconds so far."""
        return {"s": time.perf_counter() - self._wall, "cpu_s": time.process_time() - self._cpu}


def peak_bytes() -> int:
    """Read the peak memory of this process so far."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Linux counts in KiB, macOS in bytes.
    return peak if sys.platform == "darwin" else peak * 1024


def main(module: str, work: str, *arguments: str) -> None:
    """Run a work, and print its figures."""
    print(json.dumps(import_module(f"benchmarks.{module}").WORKS[work](*arguments)))


if __name__ == "__main__":
    main(*sys.argv[1:])
