"""Versions of the sources of columns, by the reads of the reporting runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from headwater.facts.facts import as_of
from headwater.facts.index_scan import read_run_facts
from headwater.queries.runs.input_versions import InputBudget, sources_read
from headwater.queries.view import GraphView
from headwater.queries.view.column_reports import ColumnReport, DatasetColumns
from headwater_model.columns import ColumnSource, Sources
from headwater_model.ids import FieldPath


class ReadVersions:
    """Versions of the sources of current columns, read together, in a fixed number of rounds; as of the view's time.

    `truncated`: there were more than `INPUTS_MAX`.
    """

    def __init__(self, entries: Iterable[DatasetColumns], view: GraphView) -> None:
        reports = [report for entry in entries for report in entry.reports]
        facts = read_run_facts({report.reporter.run for report in reports if report.columns.datasets}, view)
        if view.at:
            # A reporter existed then; a DatasetEvent has no job as owner.
            facts = {run: as_of(run_facts, view.at) for run, run_facts in facts.items()}
        budget = InputBudget()
        reads = sources_read(reports, facts, view, budget)
        self.truncated = bool(budget.cut)
        self._reads = {
            run: {read.group.primary: read.version for read in run_reads} for run, run_reads in reads.items()
        }
        self._known: dict[tuple[tuple[int, int], ...], Mapping[ColumnSource, str]] = {}

    def of_inputs(self, entry: DatasetColumns, path: FieldPath) -> Mapping[ColumnSource, str]:
        """Find the version of each source of a column, where all reporters read the same version."""
        reports = zip(entry.reports, entry.known.reported, entry.known.index.reports, strict=True)
        return self._agreed([(report, known.fields[at]) for report, known, paths in reports for at in paths.find(path)])

    def of_dependencies(self, entry: DatasetColumns) -> Mapping[ColumnSource, str]:
        """Find the version of each source of the whole dataset, as in `of_inputs`."""
        reports = zip(entry.reports, entry.known.reported, strict=True)
        return self._agreed([(report, columns.dataset_level) for report, columns in reports])

    def _agreed(self, reports: Sequence[tuple[ColumnReport, Sources]]) -> Mapping[ColumnSource, str]:
        # Columns of an operation share their sources, and so the versions read.
        key = tuple((id(report), id(sources)) for report, sources in reports)
        if key not in self._known:
            versions: dict[ColumnSource, set[str | None]] = {}
            for report, sources in reports:
                read = self._reads.get(report.reporter.run, {})
                for source in sources:
                    versions.setdefault(source, set()).add(read.get(source.dataset))
            only = ((source, next(iter(agreed))) for source, agreed in versions.items() if len(agreed) == 1)
            self._known[key] = {source: version for source, version in only if version is not None}
        return self._known[key]
