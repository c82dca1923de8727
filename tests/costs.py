"""A pytest plugin for the cost of each test: wall time, and CPU time with all processes it started.

`--costs FILE` writes a JSON document: outcomes, seconds by part, and a row a test; without it, the ten dearest tests
are printed. A fixture counts for its first test. Without /proc (macOS), CPU time of living processes is
not counted.
"""

from __future__ import annotations

import json
import os
import time
from collections import defaultdict
from pathlib import Path

import pytest

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_DEAREST = 10
_OUTCOMES = ("passed", "failed", "error", "skipped")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--costs FILE`."""
    parser.addoption("--costs", metavar="FILE", help="write the CPU and wall seconds of each test into FILE, as JSON")


def pytest_configure(config: pytest.Config) -> None:
    """Measure the tests of this process."""
    config.pluginmanager.register(_Costs(config.getoption("costs")))


class _Costs:
    """Measures the collection and each test, and writes or prints the result."""

    def __init__(self, file: str | None) -> None:
        self._file = file
        self._collection = {"cpu_s": 0.0, "wall_s": 0.0}
        self._tests: defaultdict[str, list[dict[str, object]]] = defaultdict(list)

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self):
        began_s = time.perf_counter()
        yield
        # With the imports of this process before.
        self._collection = {"cpu_s": cpu_s(), "wall_s": time.perf_counter() - began_s}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item):
        began_cpu_s, began_s = cpu_s(), time.perf_counter()
        result = yield
        # The time of an ended process is lost if nobody waited for it, as with Chromium's renderers.
        used_s = max(cpu_s() - began_cpu_s, 0.0)
        wall_s = time.perf_counter() - began_s
        row = {"test": item.nodeid, "cpu_s": round(used_s, 2), "wall_s": round(wall_s, 2)}
        self._tests[_part(item)].append(row)
        return result

    def pytest_terminal_summary(self, terminalreporter) -> None:
        rows = [row for tests in self._tests.values() for row in tests]
        if self._file:
            outcomes = {name: len(terminalreporter.getreports(name)) for name in _OUTCOMES}
            outcomes["failed"] += outcomes.pop("error")
            document = {"outcomes": outcomes, "parts": self._parts(), "tests": rows}
            Path(self._file).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
        else:
            terminalreporter.section(
                "dearest tests: seconds of CPU and of the clock, with the fixtures they needed first"
            )
            for row in sorted(rows, key=lambda row: -row["cpu_s"])[:_DEAREST]:
                terminalreporter.write_line(f"{row['cpu_s']:8.1f} {row['wall_s']:8.1f}  {row['test']}")

    def _parts(self) -> dict[str, dict[str, float]]:
        parts = {**self._tests, "collection": [self._collection]}
        return {
            part: {"count": len(rows), **{name: round(sum(row[name] for row in rows), 1) for name in self._collection}}
            for part, rows in parts.items()
        }


def _part(item: pytest.Item) -> str:
    folder, *below = item.path.relative_to(item.config.rootpath).parts
    return below[0] if folder == "tests" and len(below) > 1 else "doctests"


def cpu_s() -> float:
    """Sum the CPU seconds of this process and its descendants; ended processes count if waited for."""
    ended = os.times()
    return (
        time.process_time()
        + ended.children_user
        + ended.children_system
        + sum(map(_ticks, _descendants())) / _TICKS_PER_S
    )


def _descendants() -> list[str]:
    descendants, parents = [], [str(os.getpid())]
    while parents:
        parents = [child for parent in parents for child in _children(parent)]
        descendants += parents
    return descendants


def _children(pid: str) -> list[str]:
    # A child belongs to the thread of its start.
    children: list[str] = []
    for of_thread in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children += of_thread.read_text().split()
        except OSError:  # the thread ended meanwhile
            continue
    return children


def _ticks(pid: str) -> int:
    try:
        after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:  # the process ended meanwhile
        return 0
    return sum(map(int, after_name[11:15]))  # utime, stime, cutime, cstime: proc(5)
