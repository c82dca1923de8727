"""The tests: minutes of `make test`, of the rest of `make test-all` and of `make test-fast`.

The baseline is the time of the same work on this machine's cores without any wait. A part is a folder of tests. Its CPU
time has the processes of its tests, except processes that nobody waited for.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from benchmarks.processes import PROJECT, Report
from benchmarks.rows import Row

_MINUTES_MAX = {"test": 12, "rest": 23, "fast": 2}


def measure(report: Report, *, quick: bool) -> list[Row]:
    """Run the targets of tests; build a row for each, and for each of its parts."""
    return [row for kind in (["fast"] if quick else _MINUTES_MAX) for row in _measure(report, kind)]


def _measure(report: Report, kind: str) -> list[Row]:
    report(kind)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "costs.json")
        began_s = time.monotonic()
        command = [sys.executable, "scripts/test.py", kind, f"--costs={file}"]
        subprocess.run(command, cwd=PROJECT, check=True, stdout=sys.stderr)  # noqa: S603 - our own tests
        return rows_of(kind, (time.monotonic() - began_s) / 60, json.loads(file.read_text(encoding="utf-8"))["parts"])


def rows_of(kind: str, minutes: float, parts: Mapping[str, Mapping[str, float]]) -> list[Row]:
    """Build the rows of a run: the whole, and each part.

    >>> [whole, unit] = rows_of("fast", 1.5, {"unit": {"count": 7000, "cpu_s": 120.0, "wall_s": 80.0}})
    >>> whole.what, whole.ours, whole.goal, whole.met
    ('tests: fast', '1.5 min', '≤ 2 min', True)
    >>> unit.what, unit.ours, unit.baseline
    ('tests: fast, unit: 7,000', '80 s', '120 CPU s')
    """
    least = sum(part["cpu_s"] for part in parts.values()) / 60 / (os.cpu_count() or 1)
    name, limit = f"tests: {kind}", _MINUTES_MAX[kind]
    shown = (f"{minutes:.1f} min", f"{least:.1f} min", f"{minutes / least:.2f}x", f"≤ {limit} min")
    return [Row(name, *shown, minutes <= limit), *(_row(f"{name}, {part}", costs) for part, costs in parts.items())]


def _row(what: str, costs: Mapping[str, float]) -> Row:
    return Row(f"{what}: {costs['count']:,.0f}", f"{costs['wall_s']:.0f} s", f"{costs['cpu_s']:.0f} CPU s", "", "")
