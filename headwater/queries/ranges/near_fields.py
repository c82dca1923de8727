"""The fields of a dataset and their relations to fields a hop away, in a time range, as CDAP has them.

Relations are reported pairs of fields: a dependency of a whole dataset relates no field to another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from headwater.queries.ranges.mappings import DATASETS_MAX, PAIRS_MAX
from headwater.queries.ranges.runs_in_range import RUNS_MAX, RunColumns, RunsInRange, distinct
from headwater.queries.results.cdap import (
    DatasetFields,
    DatasetSummary,
    FieldRelations,
    FieldSummary,
    ListedField,
    ListedFields,
)
from headwater.queries.results.columns import TimeRange
from headwater.queries.results.graphs import DOWN, SIDES, UP, Direction
from headwater.queries.view import GraphView
from headwater.queries.view.descriptions import described_fields
from headwater_model.columns import Column, ColumnLineage
from headwater_model.field_paths import RelatedPaths
from headwater_model.ids import DatasetId, FieldPath

# Rows read for a summary, each of a run and a dataset.
ROWS_MAX = 100_000


@dataclass(frozen=True, slots=True)
class NearReports:
    """The reports on a dataset and on its derived datasets, each once, and its fields dropped by operations."""

    dataset: DatasetId
    written: Sequence[RunColumns]
    derived: Sequence[RunColumns]
    dropped: frozenset[FieldPath]
    # Fields of all schemas ever given by writers and declarations.
    described: frozenset[FieldPath]

    @classmethod
    def of(cls, dataset: DatasetId, range_runs: RunsInRange) -> NearReports:
        """Take the loaded reports of a dataset, with operations, under its primary name."""
        reads = range_runs.read(dataset)
        refs = dict.fromkeys(ref for read in reads for ref in read.operations)
        dropped = (column for ref in refs for column in range_runs.operations(ref).dropped)
        return cls(
            dataset,
            distinct(range_runs.written(dataset)),
            distinct(report for read in reads for report in read.derived),
            frozenset(column.field for column in dropped if column.dataset == dataset),
            frozenset(described_fields(range_runs.view.group(dataset).facts)),
        )

    @property
    def fields(self) -> set[FieldPath]:
        """The written fields of the dataset, and its own among the fields that were read or dropped.

        A reader may name any field: where writers or declarations name fields, only related fields are its own.
        """
        written = set[FieldPath]().union(*(report.columns.fields.keys() for report in self.written))
        taken = self.dropped.union(*(_fields_taken(report.columns, self.dataset) for report in self.derived))
        own = RelatedPaths(written | self.described)
        return written | {path for path in taken if not own.paths or own.describes(path)}

    def pairs_in(self) -> Iterator[tuple[DatasetId, FieldPath, FieldPath]]:
        """Yield the sources of the dataset's fields: the source's dataset, the source field, the dataset's field."""
        for report in self.written:
            for path, sources in report.columns.fields.items():
                yield from ((source.dataset, source.field, path) for source in sources if source.field is not None)

    def pairs_out(self) -> Iterator[tuple[DatasetId, FieldPath, FieldPath]]:
        """Yield the fields derived from the dataset: the derived dataset, the dataset's field, the derived field."""
        for report in self.derived:
            for path, sources in report.columns.fields.items():
                for source in sources:
                    if source.dataset == self.dataset and source.field is not None:
                        yield report.dataset, source.field, path

    def made_of(self, path: FieldPath) -> Iterator[tuple[DatasetId, FieldPath]]:
        """Yield the sources of a field of the dataset, by the related fields in each report."""
        for report in self.written:
            for related in RelatedPaths(report.columns.fields).find(path):
                sources = report.columns.fields[related]
                yield from ((source.dataset, source.field) for source in sources if source.field is not None)

    def made_from(self, path: FieldPath) -> Iterator[tuple[DatasetId, FieldPath]]:
        """Yield the fields derived from a field of the dataset, or from a field overlapping with it."""
        for report in self.derived:
            used = set(RelatedPaths(_fields_taken(report.columns, self.dataset)).overlapping(path))
            for derived, sources in report.columns.fields.items() if used else ():
                if any(source.dataset == self.dataset and source.field in used for source in sources):
                    yield report.dataset, derived

    def drops(self, path: FieldPath) -> bool:
        """True if a field, a field inside it, or a struct around it was dropped."""
        return bool(RelatedPaths(self.dropped).overlapping(path))


def _fields_taken(columns: ColumnLineage, dataset: DatasetId) -> set[FieldPath]:
    """List the dataset's fields among the sources of fields."""
    return ColumnLineage(columns.fields).fields_of(dataset)


def list_fields(view: GraphView, dataset: DatasetId, time_range: TimeRange, *, current: bool) -> ListedFields:
    """List the fields of a dataset with lineage in the time range; with `current`, also its schema's columns.

    A column of the schema has lineage if it or a field inside it has.
    """
    range_runs = RunsInRange(view, time_range)
    range_runs.load_datasets([(dataset, UP), (dataset, DOWN)], operations=True)
    primary = range_runs.primary(dataset)
    fields = NearReports.of(primary, range_runs).fields
    related = RelatedPaths(fields)
    columns = _columns_now(primary, range_runs, view) if current else set()
    items = [ListedField(path, has_lineage=related.has(path)) for path in sorted(fields | columns)]
    return ListedFields(tuple(items), range_runs.truncated)


def _columns_now(dataset: DatasetId, range_runs: RunsInRange, view: GraphView) -> set[FieldPath]:
    schema = view.live_schemas([range_runs.view.group(dataset)])[dataset]
    return set() if schema is None else set(schema.columns)


def summarize_field(view: GraphView, column: Column, time_range: TimeRange, direction: Direction) -> FieldSummary:
    """Find the sources of a field and the fields derived from it, by runs of the time range."""
    range_runs = RunsInRange(view, time_range)
    range_runs.load_datasets(((column.dataset, side) for side in SIDES[direction]), operations=DOWN in SIDES[direction])
    reports = NearReports.of(range_runs.primary(column.dataset), range_runs)
    incoming = _by_dataset(reports.made_of(column.field)) if UP in SIDES[direction] else None
    outgoing = _by_dataset(reports.made_from(column.field)) if DOWN in SIDES[direction] else None
    return FieldSummary(incoming, outgoing, reports.drops(column.field), range_runs.truncated)


def _by_dataset(fields: Iterable[tuple[DatasetId, FieldPath]]) -> tuple[DatasetFields, ...]:
    paths: dict[DatasetId, set[FieldPath]] = {}
    for dataset, path in fields:
        paths.setdefault(dataset, set()).add(path)
    return tuple(DatasetFields(dataset, tuple(sorted(paths[dataset]))) for dataset in sorted(paths))


def summarize_dataset(
    view: GraphView, dataset: DatasetId, time_range: TimeRange, direction: Direction
) -> DatasetSummary:
    """Find the relations of all fields of a dataset in the time range, and its fields as in `list_fields`."""
    range_runs = RunsInRange(view, time_range, RUNS_MAX, ROWS_MAX)
    range_runs.load_datasets([(dataset, UP), (dataset, DOWN)], operations=True)
    primary = range_runs.primary(dataset)
    reports = NearReports.of(primary, range_runs)
    relations = _Relations(range_runs)
    incoming = relations.pairs(reports.pairs_in()) if UP in SIDES[direction] else {}
    outgoing = relations.pairs(reports.pairs_out()) if DOWN in SIDES[direction] else {}
    counts = relations.count_fields({**incoming, **outgoing})
    return DatasetSummary(
        primary,
        tuple(sorted(reports.fields | _columns_now(primary, range_runs, view))),
        _in_order(incoming, counts),
        _in_order(outgoing, counts),
        tuple(sorted(reports.dropped)) if DOWN in SIDES[direction] else (),
        relations.truncated or range_runs.truncated,
    )


class _Relations:
    """Relations in the making, at most `PAIRS_MAX` in all."""

    def __init__(self, range_runs: RunsInRange) -> None:
        self._range_runs = range_runs
        self._left = PAIRS_MAX
        self.truncated = False

    def pairs(
        self, field_pairs: Iterable[tuple[DatasetId, FieldPath, FieldPath]]
    ) -> dict[DatasetId, set[tuple[FieldPath, FieldPath]]]:
        pairs: dict[DatasetId, set[tuple[FieldPath, FieldPath]]] = {}
        for dataset, source, destination in field_pairs:
            pair = source, destination
            if pair in pairs.get(dataset, ()):
                continue
            if self._left == 0:
                self.truncated = True
                break
            self._left -= 1
            pairs.setdefault(dataset, set()).add(pair)
        return pairs

    def count_fields(self, neighbours: Iterable[DatasetId]) -> dict[DatasetId, int]:
        """Count the fields with lineage of the neighbours shown in full, all read in two rounds."""
        datasets = sorted(neighbours)
        self.truncated |= len(datasets) > DATASETS_MAX
        opened = list(filter(self._range_runs.view.shows, datasets))
        shown = list(islice(opened, DATASETS_MAX))
        self._range_runs.load_datasets(
            ((dataset, side) for dataset in shown for side in SIDES["both"]), operations=True
        )
        return {dataset: len(NearReports.of(dataset, self._range_runs).fields) for dataset in shown}


def _in_order(
    relations: Mapping[DatasetId, set[tuple[FieldPath, FieldPath]]], counts: Mapping[DatasetId, int]
) -> tuple[FieldRelations, ...]:
    return tuple(
        FieldRelations(dataset, tuple(sorted(relations[dataset])), counts.get(dataset)) for dataset in sorted(relations)
    )
