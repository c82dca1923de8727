"""Rows of a time range, confirmed: an unverified row is compared with the facts of its run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from headwater.facts.facts import text_of
from headwater.facts.index_scan import read_run_facts, run_of, time_of
from headwater.facts.run_reports import ROW_KINDS, RunReports, is_unverified
from headwater.facts.table import Row
from headwater.queries.results.graphs import Side
from headwater.queries.view import GraphView
from headwater_model.ids import DatasetId, RunKey

# A dataset, and a side: its writers or its readers.
RunsOf: TypeAlias = tuple[DatasetId, Side]
# Unverified rows of a dataset and side to check, the newest: each costs a read of its run's facts.
_UNVERIFIED_MAX = 2_000
# Datasets named in the facts read for a level; and runs read before their width is known.
NAMED_MAX = 200_000
_WIDE_RUNS = 50


def confirm_rows(rows: Mapping[RunsOf, Sequence[Row]], view: GraphView) -> tuple[dict[RunsOf, Sequence[Row]], bool]:
    """Confirm the rows, newest first; drop unverified rows without a match in their run's facts; true if cut.

    The facts of the newest runs are read, until they name `NAMED_MAX` datasets: a run may name thousands.
    """
    unverified: dict[RunKey, str] = {}
    left_out = set[RunKey]()
    for dataset_rows in rows.values():
        runs = [(run_of(row), time_of(row)) for row in dataset_rows if is_unverified(row)]
        unverified.update(runs[:_UNVERIFIED_MAX])
        left_out.update(run for run, _ in runs[_UNVERIFIED_MAX:])
    newest = sorted(unverified, key=lambda run: (unverified[run], run), reverse=True)
    reports, cut = _read_reports(newest, view)
    confirmed: dict[RunsOf, Sequence[Row]] = {
        (name, side): [right for row in dataset_rows if (right := _confirmed(row, name, side, reports)) is not None]
        for (name, side), dataset_rows in rows.items()
    }
    return confirmed, cut or not left_out <= unverified.keys()


def _read_reports(runs: Sequence[RunKey], view: GraphView) -> tuple[dict[RunKey, RunReports], bool]:
    """Read the reports of runs; return true, too, if runs were left out."""
    reports: dict[RunKey, RunReports] = {}
    place, together, named = 0, _WIDE_RUNS, 0
    while place < len(runs) and named < NAMED_MAX:
        for run, facts in read_run_facts(runs[place : place + together], view).items():
            reports[run] = RunReports(run, facts)
            named += len(facts.inputs) + len(facts.outputs)
        place += together
        # As many runs as fit if they are as wide as the runs so far.
        together = max((NAMED_MAX - named) * place // max(named, 1), 1)
    return reports, place < len(runs)


def _confirmed(row: Row, name: DatasetId, side: Side, reports: Mapping[RunKey, RunReports]) -> Row | None:
    """Confirm the row of a dataset; None for a row that the facts lack, or of a run that was left out."""
    if not is_unverified(row):
        return row
    run = run_of(row)
    right = reports[run].find(ROW_KINDS[side], text_of(name)) if run in reports else None
    # The run may start at another time by now.
    return right if right is not None and right.key == row.key else None
