"""docs/benchmarks.json: every row of the benchmarks, and the machine and the day of its run."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from benchmarks.rows import Row

# The conditions of figures, by name; the `date` identifies a run.
Run: TypeAlias = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Result:
    """Row of a benchmark, and the date of its run."""

    benchmark: str
    row: Row
    run: str


@dataclass(frozen=True, slots=True)
class Results:
    """Rows of all benchmarks, each with its run."""

    results: Sequence[Result] = ()
    runs: Mapping[str, Run] = field(default_factory=dict)

    def row(self, what: str) -> Result | None:
        """Find the result of this name, or None without a measurement."""
        return next((result for result in self.results if result.row.what == what), None)


def replace_rows(old: Results, measured: Mapping[str, Sequence[Row]], run: Run) -> Results:
    """Replace the rows of the measured benchmarks; a new benchmark's rows come last.

    Runs without a row are left out.
    """
    results: list[Result] = []
    left = {name: [Result(name, row, run["date"]) for row in rows] for name, rows in measured.items()}
    for result in old.results:
        if result.benchmark not in measured:
            results.append(result)
        else:
            results += left.pop(result.benchmark, ())
    results += (result for rows in left.values() for result in rows)
    runs = {**old.runs, run["date"]: run}
    used = {result.run for result in results}
    return Results(results, {date: runs[date] for date in sorted(runs) if date in used})


def read_results(path: Path) -> Results:
    """Read the results of `write_results`; none without a file."""
    if not path.exists():
        return Results()
    stored = json.loads(path.read_text(encoding="utf-8"))
    return Results([_result(row) for row in stored["rows"]], stored["runs"])


def _result(stored: Mapping[str, Any]) -> Result:
    row = {name: value for name, value in stored.items() if name not in {"benchmark", "run"}}
    return Result(stored["benchmark"], Row(**row), stored["run"])


def write_results(path: Path, results: Results) -> None:
    """Write results as JSON, a name a line: a changed row changes only its lines."""
    rows = [{"benchmark": result.benchmark, **asdict(result.row), "run": result.run} for result in results.results]
    text = json.dumps({"runs": results.runs, "rows": rows}, indent=1, ensure_ascii=False)
    path.write_text(f"{text}\n", encoding="utf-8")
