"""The tests: minutes of each target of make, beside the time in which this machine's cores would do the same work.

A part is a folder of tests; its seconds are CPU time with that of the processes that its tests started, but for
processes that nobody waited for. Both columns are of one run of `scripts/test.py`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.processes import PROJECT, Report
from benchmarks.rows import Row

_MINUTES_MAX = {"test": 12, "rest": 23, "fast": 2}


def measure(report: Report, *, quick: bool) -> list[Row]:
    """Run the targets of tests and return a row for each, and for each of its parts."""
    return [row for kind in (["fast"] if quick else _MINUTES_MAX) for row in _rows(report, kind)]


def _rows(report: Report, kind: str) -> list[Row]:
    report(kind)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "costs.json")
        began_s = time.monotonic()
        command = [sys.executable, "scripts/test.py", kind, f"--costs={file}"]
        subprocess.run(command, cwd=PROJECT, check=True, stdout=sys.stderr)  # noqa: S603 - our own tests
        minutes = (time.monotonic() - began_s) / 60
        parts = json.loads(file.read_text(encoding="utf-8"))["parts"]
    least = sum(part["cpu_s"] for part in parts.values()) / 60 / (os.cpu_count() or 1)
    name, limit = f"tests: {'' if kind == 'rest' else 'make '}{kind}", _MINUTES_MAX[kind]
    shown = (f"{minutes:.1f} min", f"{least:.1f} min", f"{minutes / least:.2f}x", f"≤ {limit} min")
    return [Row(name, *shown, minutes <= limit), *(_row(f"{name}, {part}", costs) for part, costs in parts.items())]


def _row(what: str, costs: dict[str, float]) -> Row:
    return Row(f"{what}: {costs['count']:,.0f}", f"{costs['wall_s']:.0f} s", f"{costs['cpu_s']:.0f} CPU s", "", "")
