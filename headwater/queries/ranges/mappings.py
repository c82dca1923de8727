"""Mappings between the fields of datasets, upstream and downstream of a dataset in a time range (CDAP)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import TypeAlias

from headwater.queries.ranges.field_types import FieldTypes
from headwater.queries.ranges.runs_in_range import RunColumns, RunsInRange
from headwater.queries.results.columns import FieldMapping, Mappings, TimeRange
from headwater.queries.results.graphs import DOWN, UP, Side
from headwater.queries.view import GraphView
from headwater.walk import Walked, walk
from headwater_model.columns import Column, ColumnLineage
from headwater_model.ids import DatasetId, FieldPath

# Datasets of a walk, and pairs of fields in its result.
DATASETS_MAX = 1_000
PAIRS_MAX = 100_000

# A dataset, and the direction of the walk from it.
_Node: TypeAlias = tuple[DatasetId, Side]
_Ends: TypeAlias = tuple[DatasetId, DatasetId]
_Pair: TypeAlias = tuple[FieldPath, FieldPath]


def find_mappings(view: GraphView, dataset: DatasetId, time_range: TimeRange, *, level: int) -> Mappings:
    """Find field mappings upstream and downstream of a dataset, up to `level` datasets away."""
    return MappingWalk(view, time_range).walk(dataset, level)


class MappingWalk:
    """A walk in progress, in both directions at once: a level takes two rounds of requests."""

    def __init__(self, view: GraphView, time_range: TimeRange) -> None:
        self._view, self._range_runs = view, RunsInRange(view, time_range)
        self._pairs: dict[_Ends, set[_Pair]] = {}
        self._pairs_left = PAIRS_MAX
        self._truncated = False
        self._types = FieldTypes(view)
        self._counted: set[tuple[_Ends, tuple[str, ...], DatasetId]] = set()

    def walk(self, dataset: DatasetId, level: int) -> Mappings:
        """Walk the mappings within `level` datasets of a dataset."""
        start: list[_Node] = [(dataset, UP), (dataset, DOWN)]
        walked = walk(start, self._expand, into=Walked(DATASETS_MAX), depth=level - 1)
        items = (FieldMapping(*ends, tuple(sorted(self._pairs[ends]))) for ends in sorted(self._pairs))
        types = self._read_types()
        cut = self._truncated or walked.truncated or self._range_runs.truncated or self._types.truncated
        return Mappings(tuple(items), cut, types)

    def _read_types(self) -> tuple[tuple[Column, str], ...]:
        fields = {
            Column(dataset, path)
            for ends, pairs in self._pairs.items()
            for dataset, side in zip(ends, zip(*pairs, strict=True), strict=False)
            for path in set(side)
        }
        self._types.load_schemas({column.dataset for column in fields})
        typed = ((column, self._types.of(column.dataset, column.field)) for column in sorted(fields))
        return tuple((column, kind) for column, kind in typed if kind is not None)

    def _expand(self, nodes: Sequence[_Node], _: bool) -> set[_Node]:
        """Add the mappings of the datasets; return their neighbours shown in full."""
        self._range_runs.load_datasets(nodes)
        primaries = {(self._range_runs.primary(name), side) for name, side in nodes}
        neighbours = {neighbour for node in sorted(primaries) for neighbour in self._add_mappings(*node)}
        return {neighbour for neighbour in neighbours if self._view.shows(neighbour[0])}

    def _add_mappings(self, dataset: DatasetId, side: Side) -> Iterator[_Node]:
        """Add the mappings to or from a dataset; yield the neighbours at the other ends."""
        if side == UP:
            for report in _distinct(self._range_runs.written(dataset)):
                for source in sorted(report.columns.datasets):
                    self._add(source, report)
                    yield source, side
        else:
            for report in _distinct(report for reading in self._range_runs.read(dataset) for report in reading.derived):
                # A source in a ref may be missing where another ref wins.
                if dataset in report.columns.datasets:
                    self._add(dataset, report)
                    yield report.dataset, side

    def _add(self, source: DatasetId, report: RunColumns) -> None:
        ends = (source, report.dataset)
        pairs = self._pairs.setdefault(ends, set())
        if (ends, report.refs, report.name) in self._counted:
            return
        self._counted.add((ends, report.refs, report.name))
        self._types.add_report(report)
        for pair in _pairs(report.columns, source):
            if pair in pairs:
                continue
            if self._pairs_left == 0:
                self._truncated = True
                return
            self._pairs_left -= 1
            pairs.add(pair)


def _distinct(reports: Iterable[RunColumns]) -> Iterable[RunColumns]:
    """List the first of equal reports; runs without a report are equal if they read the same."""
    distinct: dict[Hashable, RunColumns] = {}
    for report in reports:
        sources = () if report.known else tuple(report.columns.dataset_level)
        distinct.setdefault((report.refs, report.name, sources), report)
    return distinct.values()


def _pairs(columns: ColumnLineage, source: DatasetId) -> Iterator[_Pair]:
    for path in sorted(columns.fields):
        for column in columns.fields[path]:
            if column.dataset == source and column.field is not None:
                yield column.field, path
