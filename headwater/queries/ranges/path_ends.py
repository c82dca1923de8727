"""Ends of upstream paths: columns without writers, with unreported sources, or written before the range.

A run without a column report may have derived any output from any input. Then the output dataset, a source without a
field, stands for its columns; a column derived from any column of the dataset may be derived from this source.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, groupby
from typing import Literal, TypeAlias

from headwater.queries.ranges.runs_in_range import RunColumns, RunsInRange
from headwater.queries.ranges.similar_runs import NEWEST_MAX, RangeRun, Runs, newest_first
from headwater.queries.results.reports import Reason, ReportedRun
from headwater_model.columns import (
    Column,
    ColumnLineage,
    ColumnSource,
    Sources,
    Transformation,
    merge_columns,
    sources_at,
)
from headwater_model.field_paths import RelatedPaths
from headwater_model.ids import DatasetId, FieldPath, JobId

# Datasets in an end read by its named runs.
READS_MAX = 1_000

# Reasons for a column's open origin; `left out`: the run reported other columns only.
_Kind: TypeAlias = Literal["generated", "unreported", "left out"]
_REASONS: Mapping[_Kind, Reason] = {"generated": "generated", "unreported": "unreported", "left out": "unreported"}
How: TypeAlias = frozenset[Transformation]
# By path of a used column, its related columns (see `ColumnIndex.invert`).
Takers: TypeAlias = Mapping[FieldPath, Collection[FieldPath]]


@dataclass(frozen=True)
class _Writing:
    """Runs that wrote a dataset, and their reported columns under all its names; None without a report."""

    runs: Runs
    columns: ColumnLineage | None

    def sources_of(self, column: Column) -> Sources | None:
        """Look up the reported sources of the column; None if the column was not reported."""
        related = self._paths.find(column.field)
        return sources_at(self._fields, related) if related else None

    @property
    def _fields(self) -> Mapping[FieldPath, Sources]:
        return self.columns.fields if self.columns else {}

    @cached_property
    def _paths(self) -> RelatedPaths:
        return RelatedPaths(self._fields)


@dataclass(slots=True)
class End:
    """A reason why a path ends at a column, the runs that cause it, and the datasets read by the runs.

    `unnamed` are the datasets behind a run's unnamed columns; None: any of its inputs.
    """

    reason: Reason
    jobs: set[JobId] = field(default_factory=set)
    unnamed: dict[ReportedRun, set[DatasetId] | None] = field(default_factory=dict)
    reads: set[DatasetId] = field(default_factory=set)

    def add(self, runs: Runs, unnamed: set[DatasetId] | None) -> None:
        """Count runs."""
        self.jobs.update([] if runs.job is None else [runs.job])
        self.unnamed.update((run, unnamed) for run in runs.newest)

    @property
    def newest(self) -> list[ReportedRun]:
        """The newest of the runs."""
        return newest_first(self.unnamed)[:NEWEST_MAX]

    @property
    def runs(self) -> tuple[str, ...]:
        """The ids of the newest of the runs."""
        return tuple(run.id for run in self.newest)


def find_ends(columns: Iterable[Column], range_runs: RunsInRange) -> dict[Column, list[End]]:
    """List the reasons why paths end at each column; empty where runs reported all its sources.

    A path may also continue from an end: writes without a report may have other origins than the reported ones.
    """
    ends: dict[Column, list[End]] = {}
    outside: list[Column] = []
    for dataset, of_dataset in groupby(sorted(columns), key=lambda column: column.dataset):
        writings = list(_writings(dataset, range_runs))
        for column in of_dataset:
            ends[column] = _ends(column, writings)
            if not (ends[column] or _is_reported(column, writings)):
                outside.append(column)
    before = range_runs.last_written_before({column.dataset for column in outside})
    for column in outside:
        ends[column] = [_end_outside(before.get(column.dataset))]
    _add_reads(list(chain(*ends.values())), range_runs)
    return ends


def _writings(dataset: DatasetId, range_runs: RunsInRange) -> Iterator[_Writing]:
    """Yield the writes of the range's runs, with their reports."""
    for runs, reported in range_runs.written_alike(dataset):
        known: Sequence[RunColumns] = [report for report in reported if report.known]
        yield _Writing(runs, merge_columns(report.columns for report in known) if known else None)


def _ends(column: Column, writings: Sequence[_Writing]) -> list[End]:
    ends = {kind: End(reason) for kind, reason in _REASONS.items()}
    for writing in writings:
        kind, unnamed = _kind(column, writing)
        if kind is not None:
            ends[kind].add(writing.runs, unnamed)
    # A writer of other columns leaves nothing open where a run reported this column.
    if ends["unreported"].unnamed or _is_reported(column, writings):
        del ends["left out"]
    return [end for end in ends.values() if end.unnamed]


def _kind(column: Column, writing: _Writing) -> tuple[_Kind | None, set[DatasetId] | None]:
    """Find the reason why writers of the dataset leave the column's origin open, or None.

    The second value has the datasets with unnamed source columns; None if the column itself was not reported.
    """
    # A DatasetEvent (it has no job) declares columns, and writes none.
    is_job = writing.runs.job is not None
    if writing.columns is None or (is_job and not writing.columns.fields):
        return "unreported", None
    own = writing.sources_of(column)
    if own is None:
        return ("left out" if is_job else None), None
    unnamed = {source.dataset for source in own if source.field is None}
    return ("unreported" if unnamed else "generated" if not own else None), unnamed


def _is_reported(column: Column, writings: Iterable[_Writing]) -> bool:
    return any(writing.sources_of(column) is not None for writing in writings)


def _end_outside(writer: RangeRun | None) -> End:
    """Make the end of a column without a write in the range."""
    end = End("raw" if writer is None else "before")
    if writer is not None:
        runs = Runs(writer.job)
        runs.add(writer)
        end.add(runs, set())
    return end


def _add_reads(ends: Sequence[End], range_runs: RunsInRange) -> None:
    newest = [(end, run) for end in ends for run in end.newest]
    inputs = range_runs.inputs_of({run.key for end, run in newest if end.unnamed[run] is None})
    for end, run in newest:
        unnamed = end.unnamed[run]
        end.reads.update(inputs.get(run.key, ()) if unnamed is None else unnamed)


def reads_of(end: End) -> tuple[DatasetId, ...]:
    """List the datasets read by the runs, in order, at most `READS_MAX`."""
    return tuple(sorted(end.reads)[:READS_MAX])


def is_cut(ends: Mapping[Column, Sequence[End]]) -> bool:
    """True if the runs of an end read more datasets than a report shows."""
    return any(len(end.reads) > READS_MAX for column_ends in ends.values() for end in column_ends)


@dataclass(frozen=True)
class PossibleUse:
    """Columns of `derived` in a report, possibly from a source dataset; `takers` are the source's columns."""

    derived: DatasetId
    columns: ColumnLineage
    source: DatasetId
    takers: Takers

    def of(self, node: ColumnSource) -> Iterator[tuple[ColumnSource, How]]:
        """Yield the columns possibly derived from a source column, or (for a node without a field) from any column."""
        yield from (self._of_any if node.field is None else self._of_unnamed).items()
        if self._unnamed in self.columns.dataset_level and not self._is_named:
            yield ColumnSource(self.derived), self.columns.dataset_level[self._unnamed]
        if node.field is not None and node.field in self._of_whole:
            yield ColumnSource(self.derived), self._of_whole[node.field]

    @property
    def _unnamed(self) -> ColumnSource:
        return ColumnSource(self.source)

    @cached_property
    def _of_whole(self) -> Mapping[FieldPath, How]:
        """The columns in the dependencies of a whole dataset without reported columns, with their transformations."""
        taken: dict[FieldPath, How] = {}
        for source, how in self.columns.dataset_level.items() if not self.columns.fields else ():
            if source.dataset == self.source and source.field is not None:
                taken.update((path, how | taken.get(path, how)) for path in self.takers.get(source.field, ()))
        return taken

    @cached_property
    def _of_unnamed(self) -> Mapping[ColumnSource, How]:
        """The reported columns derived from an unnamed column of the source dataset."""
        fields = self.columns.fields.items()
        return {ColumnSource(self.derived, path): own[self._unnamed] for path, own in fields if self._unnamed in own}

    @cached_property
    def _of_any(self) -> Mapping[ColumnSource, How]:
        """The columns derived from any column of the source dataset."""
        of_whole = self._taken(
            {source: how for source, how in self.columns.dataset_level.items() if source.field is not None}
        )
        if not self.columns.fields:
            return {} if of_whole is None else {ColumnSource(self.derived): of_whole}
        # Columns of an operation share their sources.
        source_sets = {id(own): own for own in self.columns.fields.values()}
        taken = {
            place: [how for how in (self._taken(own), of_whole) if how is not None]
            for place, own in source_sets.items()
        }
        uses = {ColumnSource(self.derived, path): taken[id(own)] for path, own in self.columns.fields.items()}
        return {column: frozenset[Transformation]().union(*hows) for column, hows in uses.items() if hows}

    def _taken(self, sources: Sources) -> How | None:
        """Join the transformations of the source dataset's columns; None if no column is taken."""
        taken = [how for source, how in sources.items() if source.dataset == self.source]
        return frozenset[Transformation]().union(*taken) if taken else None

    @cached_property
    def _is_named(self) -> bool:
        """True if a column of the source dataset is reported: a dependency on the whole dataset adds nothing then."""
        return bool(self.columns.fields_of(self.source))
