"""docs/benchmarks.json: every row of the benchmarks, and the machine and the day of its run."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TypeAlias

from benchmarks.rows import Row

# The conditions of figures, by name; the `date` identifies a run.
Run: TypeAlias = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Results:
    """Rows of all benchmarks, and their runs by date."""

    rows: Sequence[Row]
    runs: Mapping[str, Run]

    def row(self, what: str) -> Row | None:
        """Find the row of this name, or None without a measurement."""
        return next((row for row in self.rows if row.what == what), None)


def replace_rows(old: Results, measured: Mapping[str, Sequence[Row]], run: Run) -> Results:
    """Replace the rows of the measured benchmarks; a new benchmark's rows come last.

    Runs without a row are left out.
    """
    rows = [row for row in old.rows if row.benchmark not in measured]
    rows += [replace(row, benchmark=name, run=run["date"]) for name, new in measured.items() for row in new]
    order = list(dict.fromkeys(row.benchmark for row in (*old.rows, *rows)))
    rows.sort(key=lambda row: order.index(row.benchmark))
    used, runs = {row.run for row in rows}, {**old.runs, run["date"]: run}
    return Results(rows, {date: runs[date] for date in sorted(runs) if date in used})


def read_results(path: Path) -> Results:
    """Read the results of `write_results`."""
    stored = json.loads(path.read_text(encoding="utf-8"))
    return Results([Row(**row) for row in stored["rows"]], stored["runs"])


def write_results(path: Path, results: Results) -> None:
    """Write results as JSON, a name a line: a changed row changes only its lines."""
    rows = [{"benchmark": row.benchmark, **asdict(row)} for row in results.rows]
    text = json.dumps({"runs": results.runs, "rows": rows}, indent=1, ensure_ascii=False)
    path.write_text(f"{text}\n", encoding="utf-8")
