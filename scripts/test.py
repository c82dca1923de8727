"""Run the tests in lanes: `scripts/test.py {test,rest,fast} [--costs FILE]`.

    test    every behaviour once: all tests without the mark slow, with few random examples
    rest    the other tests of `make test-all`: slow ones, many random examples, Spark 3.5, table formats, no features
    fast    unit tests, doctests and the template

A lane is a process for some folders: it collects them once, and its tests share a JVM, browser, moto and local
stack, in the same order each time. Two lanes a core run at a time, for half of them wait for a process. The output of a
lane is printed when it ends, its last lines again if it failed; up to five failed tests run once more, alone.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
_SPARK_35 = ROOT / ".venv-spark35"
# Handlers and jobs on moto share the JVM of the tests of jobs on Spark.
_MOTO_ON_SPARK = ("tests/aws/test_trace_on_spark.py",)
# A feature's tests of a level are in the lane of this level, its unit tests beside those of queries and commands.
_LEVELS = ("e2e", "spark", "explorer", "aws", "stack")
# The longest first.
_FOLDERS = {
    "capture": ("tests/spark/capture",),
    "e2e": ("tests/e2e",),
    "unit": ("tests/unit", "--ignore=tests/unit/queries", "--ignore=tests/unit/cli"),
    "spark": ("tests/spark", "--ignore=tests/spark/capture", *_MOTO_ON_SPARK),
    "explorer": ("tests/explorer",),
    "queries": (
        *("tests/unit/queries", "tests/unit/cli", "tests/features"),
        *(f"--ignore-glob=*/tests/features/*/{level}" for level in _LEVELS),
    ),
    "aws": ("tests/aws", *(f"--ignore={file}" for file in _MOTO_ON_SPARK)),
    "stack": ("tests/stack", "headwater", "headwater_model", "spark_client", "local_stack", "infra/context.py"),
}
# Statuses of pytest: all tests ran and some failed; no test of a lane is of the kind.
_TESTS_FAILED, _NO_TESTS = 1, 5
_AGAIN_MAX = 5
_PROGRESS_S = 60
_DEAREST = 10
_END_CHARS = 3_000


@dataclass(frozen=True)
class Lane:
    """The tests of a process; `profile` is Hypothesis' number of examples (tests/conftest.py)."""

    name: str
    command: tuple[str, ...]
    profile: str = "fast"


def lanes_of(kind: str) -> list[Lane]:
    """List the lanes of a kind of run."""
    if kind == "fast":
        return [_of_folders(name, "not (slow or large)") for name in ("unit", "queries", "stack")]
    if kind == "test":
        page = Lane("page", (sys.executable, "scripts/explorer.py", "--test"))
        return [*(_of_folders(name, "not slow") for name in _FOLDERS), page]
    formats = Lane("formats", (sys.executable, "scripts/table_formats.py"))
    without = Lane("without features", (sys.executable, "scripts/without_features.py", "--tests"))
    folders = [_of_folders(name, "slow or hypothesis", "ci") for name in _FOLDERS]
    return [*_on_spark_35(), *folders, formats, without]


def _of_folders(name: str, marked: str, profile: str = "fast") -> Lane:
    of_features = sorted(f"{folder}" for folder in ROOT.glob(f"tests/features/*/{name}") if name in _LEVELS)
    return Lane(name, (sys.executable, "-m", "pytest", "-m", marked, *_FOLDERS[name], *of_features), profile)


def _on_spark_35() -> list[Lane]:
    """List the lanes of the oldest Spark; none without its environment, for set-up's reason."""
    missing = _SPARK_35 / ".unavailable"
    if missing.exists():
        _print(f"Spark 3.5 is skipped: {missing.read_text(encoding='utf-8').strip()}")
        return []
    python = str(_SPARK_35 / "bin" / "python")
    pytest = Lane("spark 3.5", (python, "-m", "pytest", "tests/spark"), "ci")
    return [pytest, Lane("formats 3.5", (python, "scripts/table_formats.py"))]


class Runs:
    """Runs of lanes: their outputs and results are files in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._running: dict[str, Path] = {}
        self._ends: dict[str, str] = {}

    def run(self, lane: Lane, *options: str) -> int:
        """Run a lane, print its output and return its status."""
        log = self._folder / f"{lane.name}{''.join(options)}.log"
        command = lane.command
        if "pytest" in command:
            files = (f"--costs={self._costs_file(lane)}", "-o", f"cache_dir={self._folder / lane.name}")
            command = (*command, "-q", *files, *options)
        environment = {**os.environ, "HYPOTHESIS_PROFILE": lane.profile}
        began_s = time.monotonic()
        with log.open("wb") as output:
            self._running[lane.name] = log
            status = subprocess.run(  # noqa: S603 - our own tests
                command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output, check=False
            ).returncode
        del self._running[lane.name]
        text = log.read_text(encoding="utf-8", errors="replace")
        _print(f"\n=== {lane.name}: {time.monotonic() - began_s:.0f} s\n{text}")
        self._ends[lane.name] = text[-_END_CHARS:]
        return 0 if status == _NO_TESTS else status

    def end_of(self, name: str) -> str:
        """Return the last characters that a lane printed in its last run."""
        return self._ends[name]

    def costs_of(self, lane: Lane) -> dict[str, Any]:
        """Read the document of tests/costs.py for a lane's last run; {} if the run wrote none."""
        file = self._costs_file(lane)
        return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}

    def _costs_file(self, lane: Lane) -> Path:
        return self._folder / f"{lane.name}.json"

    def progress(self) -> str:
        """Print the progress of each running lane, as in `unit 43%, aws 80%`."""
        return ", ".join(f"{name} {_share(log)}" for name, log in list(self._running.items()))


def _share(log: Path) -> str:
    shares = re.findall(r"\[ *(\d+%)\]", log.read_text(encoding="utf-8", errors="replace"))
    return shares[-1] if shares else "begins"


def main(arguments: Sequence[str], lanes_of: Callable[[str], list[Lane]] = lanes_of) -> int:
    """Run the command line; return 1 if a test failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=("test", "rest", "fast"))
    parser.add_argument("--costs", type=Path, metavar="FILE", help="write the seconds of each test, as JSON")
    parsed = parser.parse_args(arguments)
    lanes = lanes_of(parsed.kind)
    with tempfile.TemporaryDirectory(prefix="headwater-tests-") as folder:
        runs = Runs(Path(folder))
        statuses = _run_all(runs, lanes)
        costs = _sum(map(runs.costs_of, lanes))
        for lane in [lane for lane in lanes if statuses[lane.name] == _TESTS_FAILED]:
            if 0 < runs.costs_of(lane).get("outcomes", {}).get("failed", 0) <= _AGAIN_MAX:
                _print(f"\n{lane.name}: failed tests run once more, alone")
                statuses[lane.name] = runs.run(lane, "--last-failed")
    if parsed.costs:
        parsed.costs.write_text(json.dumps(costs, indent=1) + "\n", encoding="utf-8")
    failed = [name for name, status in statuses.items() if status]
    for name in failed:
        _print(f"\n=== the end of {name}\n{runs.end_of(name)}")
    _print("\n".join(_summary(costs)))
    _print(f"failed: {', '.join(failed)}" if failed else "all lanes passed")
    return int(bool(failed))


def _run_all(runs: Runs, lanes: Sequence[Lane]) -> dict[str, int]:
    over = threading.Event()

    def report() -> None:
        while not over.wait(_PROGRESS_S):
            _print(f"... {runs.progress()}")

    threading.Thread(target=report, daemon=True).start()
    with ThreadPoolExecutor(2 * (os.cpu_count() or 1)) as pool:
        statuses = list(pool.map(runs.run, lanes))
    over.set()
    return {lane.name: status for lane, status in zip(lanes, statuses, strict=True)}


def _sum(documents: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Sum the costs of all lanes: seconds by part, and the rows of tests."""
    outcomes: Counter[str] = Counter()
    parts: dict[str, Counter[str]] = {}
    tests: list[dict[str, Any]] = []
    for document in filter(None, documents):
        outcomes.update(document["outcomes"])
        tests += document["tests"]
        for name, row in document["parts"].items():
            parts.setdefault(name, Counter()).update(row)
    return {"outcomes": outcomes, "parts": parts, "tests": tests}


def _summary(costs: dict[str, Any]) -> Iterator[str]:
    yield "\nThe dearest tests: seconds of CPU and of the clock, with the fixtures that they needed first"
    for row in sorted(costs["tests"], key=lambda row: -row["cpu_s"])[:_DEAREST]:
        yield f"{row['cpu_s']:8.1f} {row['wall_s']:8.1f}  {row['test']}"
    yield "\nCPU seconds:"
    for name, row in costs["parts"].items():
        yield f"{row['cpu_s']:8.1f}  {name}: {row['count']}"
    outcomes = costs["outcomes"]
    yield f"\n{outcomes['passed']} passed, {outcomes['failed']} failed, {outcomes['skipped']} skipped"


def _print(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
