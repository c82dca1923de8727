"""A pytest plugin that measures what each test costs: wall time, and CPU time with all processes it started.

`--costs FILE` writes a JSON document: seconds by part, and a row a test. Each run prints its ten dearest tests.
A fixture counts for the test that first needs it. Without /proc (macOS), CPU time of living processes is not counted.
"""

from __future__ import annotations

import json
import os
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import pytest

_COST = "cost"
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_DEAREST = 10


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--costs FILE`."""
    parser.addoption("--costs", metavar="FILE", help="write the CPU and wall seconds of each test into FILE, as JSON")


def pytest_configure(config: pytest.Config) -> None:
    """Measure in the process that runs tests; add up in the process that prints."""
    meter = _Meter()
    config.pluginmanager.register(meter)
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Sums(config, meter))


@dataclass(frozen=True)
class Cost:
    """CPU and wall time, in seconds."""

    cpu_s: float = 0.0
    wall_s: float = 0.0

    @classmethod
    def now(cls) -> Cost:
        """Return the CPU time up to now and the time of the clock."""
        return cls(cpu_s(), time.perf_counter())

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.cpu_s + other.cpu_s, self.wall_s + other.wall_s)

    def __sub__(self, earlier: Cost) -> Cost:
        return Cost(self.cpu_s - earlier.cpu_s, self.wall_s - earlier.wall_s)


class _Meter:
    """Measures the collection and each test, in one worker."""

    def __init__(self) -> None:
        self.collection = Cost()
        self._began = Cost()

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self):
        began = Cost.now()
        yield
        self.collection = Cost.now() - began

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self):
        self._began = Cost.now()
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call):
        report = yield
        if report.when == "teardown":
            cost = Cost.now() - self._began
            report.user_properties.append((_COST, [_part(item), cost.cpu_s, cost.wall_s]))
        return report

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput[_COST] = [self.collection.cpu_s, self.collection.wall_s, cpu_s()]


class _Sums:
    """Adds up what the workers measured, and prints the dearest tests."""

    def __init__(self, config: pytest.Config, meter: _Meter) -> None:
        self._file: str | None = config.getoption("costs")
        self._meter = meter
        self._tests: list[tuple[str, str, Cost]] = []
        self._collections: list[Cost] = []
        self._workers_cpu_s = 0.0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for name, value in report.user_properties:
            if name == _COST and report.when == "teardown":
                part, *cost = value
                self._tests.append((report.nodeid, part, Cost(*cost)))

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node) -> None:
        if cost := getattr(node, "workeroutput", {}).get(_COST):
            *collection, cpu = cost
            self._collections.append(Cost(*collection))
            self._workers_cpu_s += cpu

    def pytest_terminal_summary(self, terminalreporter) -> None:
        dearest = sorted(self._tests, key=lambda test: -test[2].cpu_s)[:_DEAREST]
        terminalreporter.section("dearest tests: CPU and wall seconds, with the fixtures that they were the first to need")
        for nodeid, _, cost in dearest:
            terminalreporter.write_line(f"{cost.cpu_s:8.1f} {cost.wall_s:8.1f}  {nodeid}")
        if self._file:
            Path(self._file).write_text(json.dumps(self._document(), indent=1) + "\n")

    def _document(self) -> dict[str, object]:
        parts: defaultdict[str, list[Cost]] = defaultdict(list)
        for _, part, cost in self._tests:
            parts[part].append(cost)
        parts["collection"] = self._collections or [self._meter.collection]
        rows = {part: {"count": len(costs), **_rounded(sum(costs, Cost()))} for part, costs in parts.items()}
        return {
            # Starting and stopping workers, and handing out tests, is in the total alone.
            "cpu_s": round(self._workers_cpu_s + cpu_s(), 1),
            "parts": rows,
            "tests": [{"test": test, **_rounded(cost)} for test, _, cost in sorted(self._tests)],
        }


def _rounded(cost: Cost) -> dict[str, float]:
    return {"cpu_s": round(cost.cpu_s, 2), "wall_s": round(cost.wall_s, 2)}


def _part(item: pytest.Item) -> str:
    folder, *below = item.path.relative_to(item.config.rootpath).parts
    return below[0] if folder == "tests" and len(below) > 1 else "doctests"


def cpu_s() -> float:
    """Return the CPU seconds of this process, its descendants, and those of them that ended and were waited for."""
    ended = os.times()
    return time.process_time() + ended.children_user + ended.children_system + sum(map(_ticks, _descendants())) / _TICKS_PER_S


def _descendants() -> list[str]:
    found, parents = [], [str(os.getpid())]
    while parents:
        parents = [child for parent in parents for child in _children(parent)]
        found += parents
    return found


def _children(pid: str) -> list[str]:
    # A child belongs to the thread that started it.
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
