"""Reports of columns: read from their rows by key, joined, and looked up by path.

    reports = reports_by(reporter, facts, [dataset])
    read_columns(reports, rows)
    IndexedColumns(reports, name_of).inputs_of(("co2_kg",))

The callers choose the reports that count (`graph_view`, `column_versions`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from headwater.facts.facet_refs import OPERATIONS_KIND, reported_columns, unreported_sources
from headwater.facts.facts import RunFacts, dataset_of, text_of
from headwater.facts.keys import facet_key
from headwater.facts.table import Key, Row
from headwater.queries.results.columns import Reporter
from headwater.queries.view.descriptions import Schema
from headwater.queries.view.names import ResolvedDataset
from headwater.queries.view.rows import GraphRows
from headwater_model.columns import (
    NO_COLUMNS,
    Column,
    ColumnLineage,
    ColumnSource,
    Sources,
    Transformation,
    columns_from_json,
    merge_columns,
    merge_sources,
    overlay,
)
from headwater_model.field_paths import ColumnIndex, RelatedPaths
from headwater_model.ids import DatasetId, FieldPath, JobId, RunKey


@dataclass(slots=True)
class ColumnReport:
    """A writer's last report on a dataset; without a report, the dataset depends on all inputs of the writer."""

    reporter: Reporter
    key: ColumnKey
    columns: ColumnLineage = NO_COLUMNS


class IndexedColumns:
    """Reported columns of a dataset by path; sources have primary names, hidden datasets are left out."""

    def __init__(
        self,
        reports: Iterable[ColumnReport] = (),
        name_of: Callable[[DatasetId], DatasetId | None] = lambda dataset: dataset,
    ) -> None:
        self.reports = list(reports)
        self.reported = [renamed(report.columns, name_of) for report in self.reports]
        self.columns = merge_columns(self.reported)
        self.index = ColumnIndex(report.columns.fields for report in self.reports)
        self._source_columns: dict[int, frozenset[Column]] = {}
        self._merged: dict[tuple[int, ...], Sources] = {}

    def by_job(self) -> Iterable[tuple[JobId | None, ColumnLineage]]:
        """Yield the columns of each report with the reporting job; None for a DatasetEvent."""
        return ((report.reporter.job, columns) for report, columns in zip(self.reports, self.reported, strict=True))

    def inputs_of(self, path: FieldPath) -> Sources:
        """Merge the sources of a column from each report that names the column, or else related columns."""
        reports = zip(self.reported, self.index.reports, strict=True)
        source_sets = [columns.fields[named_path] for columns, paths in reports for named_path in paths.find(path)]
        if len(source_sets) == 1:
            return source_sets[0]
        several = tuple(map(id, source_sets))
        if several not in self._merged:
            self._merged[several] = merge_sources(source_sets)
        return self._merged[several]

    def sources_of(self, path: FieldPath) -> tuple[frozenset[Column], frozenset[Column]]:
        """Find the source columns of a column, and the source columns of its whole dataset."""
        return self.columns_among(self.inputs_of(path)), self.columns_among(self.columns.dataset_level)

    @cached_property
    def users(self) -> Sequence[tuple[frozenset[Column], Sequence[FieldPath]]]:
        """The sets of source columns, each with its derived columns."""
        by_sources: dict[int, tuple[Sources, list[FieldPath]]] = {}
        for path, sources in self.columns.fields.items():
            by_sources.setdefault(id(sources), (sources, []))[1].append(path)
        return [(self.columns_among(sources), paths) for sources, paths in by_sources.values()]

    def columns_among(self, sources: Sources) -> frozenset[Column]:
        """Collect the columns among some of these sources: columns of an operation share the set."""
        if id(sources) not in self._source_columns:
            self._source_columns[id(sources)] = frozenset(
                Column(source.dataset, source.field) for source in sources if source.field is not None
            )
        return self._source_columns[id(sources)]

    def reporters_of(self, path: FieldPath) -> tuple[Reporter, ...]:
        """List the reporters of a column, of related columns, or of the whole dataset."""
        reporters = [
            report.reporter
            for report, paths in zip(self.reports, self.index.reports, strict=True)
            if report.key[0] and (paths.find(path) or report.columns.dataset_level)
        ]
        return tuple(sorted(set(reporters), key=lambda each: each.run) if len(reporters) > 1 else reporters)


def unknown_columns(inputs: Iterable[DatasetId]) -> ColumnLineage:
    """Make columns of a dataset that depends on all inputs, in an unknown way."""
    return ColumnLineage(dataset_level={ColumnSource(dataset): frozenset() for dataset in inputs})


def renamed(columns: ColumnLineage, name_of: Callable[[DatasetId], DatasetId | None]) -> ColumnLineage:
    """Rename the source datasets; sources whose dataset is named None are left out."""

    def known(sources: Sources) -> Sources:
        renamed_sources: dict[ColumnSource, frozenset[Transformation]] = {}
        for source, transformations in sources.items():
            dataset = names[source.dataset]
            if dataset is not None:
                primary = ColumnSource(dataset, source.field)
                renamed_sources[primary] = renamed_sources.get(primary, frozenset()) | transformations
        return renamed_sources

    names = {dataset: name_of(dataset) for dataset in columns.datasets}
    if all(dataset == name for dataset, name in names.items()):
        return columns
    # Columns of an operation share their sources, before and after.
    shared = {id(sources): known(sources) for sources in columns.source_sets}
    fields = {path: shared[id(sources)] for path, sources in columns.fields.items()}
    return ColumnLineage(fields, shared[id(columns.dataset_level)], columns.types)


# The refs of a run's report on a dataset, and the reported name of the dataset.
ColumnKey: TypeAlias = tuple[tuple[str, ...], DatasetId]


def reports_by(reporter: Reporter, facts: RunFacts, names: Iterable[DatasetId]) -> list[ColumnReport]:
    """List a run's reports on a dataset, `[ColumnReport(...)]`, one for each name; their columns are unread."""
    reported = ((name, reported_columns(facts, text_of(name))) for name in names)
    return [ColumnReport(reporter, (columns.refs, name)) for name, columns in reported if columns]


def reports_on_version(run: RunKey, version: str, facts: RunFacts, group: ResolvedDataset) -> list[ColumnReport]:
    """List a run's reports on its version of a dataset; without any, the version depends on the run's inputs."""
    reporter = Reporter(run, facts.job_id, version, facts.declared is not None)
    if reports := reports_by(reporter, facts, group.names):
        return reports
    sources = map(dataset_of, unreported_sources(facts, map(text_of, group.names)))
    return [ColumnReport(reporter, ((), group.primary), unknown_columns(sources))]


def read_columns(reports: Collection[ColumnReport], rows: GraphRows) -> None:
    """Read the columns of each report, in one round of requests."""
    keys = {report.key for report in reports if report.key[0]}
    columns = reported_in(keys, rows.get(keys_of(keys).values()))
    for report in reports:
        report.columns = columns.get(report.key, report.columns)


def keys_of(column_keys: Iterable[ColumnKey]) -> dict[tuple[str, DatasetId], Key]:
    """Make the row keys of columns, by ref and dataset."""
    return {(ref, dataset): facet_key(ref, dataset) for refs, dataset in column_keys for ref in refs}


def reported_in(column_keys: Collection[ColumnKey], rows: Mapping[Key, Row]) -> dict[ColumnKey, ColumnLineage]:
    """Parse the columns of each report, from rows that were read."""
    keys = keys_of(column_keys)
    reported = {pair: columns_from_json(rows[key].data) for pair, key in keys.items() if key in rows}
    return {
        (refs, dataset): compose([(ref, reported[ref, dataset]) for ref in refs if (ref, dataset) in reported])
        for refs, dataset in column_keys
    }


def compose(reported: Sequence[tuple[str, ColumnLineage]]) -> ColumnLineage:
    """Join the columns of a run's refs; operations win column by column, because they were recorded by hand."""
    by_hand = [columns for ref, columns in reported if ref.startswith(OPERATIONS_KIND)]
    rest = [columns for ref, columns in reported if not ref.startswith(OPERATIONS_KIND)]
    return reported[0][1] if len(reported) == 1 else overlay(merge_columns(by_hand), merge_columns(rest))


@dataclass(slots=True)
class DatasetColumns:
    """A dataset with the report of each writer, and its columns."""

    group: ResolvedDataset
    schema: Schema
    reports: list[ColumnReport]
    known: IndexedColumns = field(default_factory=IndexedColumns)

    @property
    def columns(self) -> ColumnLineage:
        """The columns of all reports, merged."""
        return self.known.columns

    @property
    def paths(self) -> list[FieldPath]:
        """The columns of the schema, then the columns known from reports alone."""
        return list(dict.fromkeys((*self.schema.columns, *sorted(self.columns.fields))))

    def has(self, path: FieldPath) -> bool:
        """True if the path, or a field inside it, is in the schema or was reported."""
        return RelatedPaths(self.schema.types).has(path) or self.known.index.has(path)

    def users(self) -> Iterator[tuple[frozenset[Column], Sequence[FieldPath]]]:
        """Yield sets of source columns with their columns; the sources of the whole dataset come with all columns."""
        yield from self.known.users
        if self.columns.dataset_level:
            yield self.known.columns_among(self.columns.dataset_level), self.paths

    def type_of(self, path: FieldPath) -> str | None:
        """Look up a column's type: from operations, else from the schema."""
        return self.columns.types.get(path) or self.schema.types.get(path)

    @property
    def used(self) -> set[Column]:
        """The source columns of all its columns and of the whole dataset."""
        return set[Column]().union(*(sources for sources, _ in self.users()))
