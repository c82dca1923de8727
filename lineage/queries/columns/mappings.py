"""S1's first question: which fields went into which, of all datasets up and down from one, in a time range."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import TypeAlias

from lineage.graph.table import GraphTable
from lineage.graph.visibility import EVERYTHING, Visibility
from lineage.queries.columns.results import FieldMapping, Mappings, TimeRange
from lineage.queries.columns.run_range import BACKWARD, FORWARD, RunColumns, RunRange, Side
from lineage.walk import Walked, walk
from lineage_model.columns import ColumnLineage
from lineage_model.ids import DatasetId, FieldPath

# Datasets that one walk visits, and pairs of fields that it tells.
DATASETS_MAX = 1_000
PAIRS_MAX = 100_000

# A dataset, and the direction in which the walk goes on from it.
_Node: TypeAlias = tuple[DatasetId, Side]
_Ends: TypeAlias = tuple[DatasetId, DatasetId]
_Pair: TypeAlias = tuple[FieldPath, FieldPath]


class MappingWalk:
    """A walk under way, in both directions at once, so that a level takes two rounds of requests."""

    def __init__(self, table: GraphTable, window: TimeRange, visibility: Visibility = EVERYTHING) -> None:
        self._span, self._visibility = RunRange(table, window), visibility
        self._pairs: dict[_Ends, set[_Pair]] = {}
        self._room = PAIRS_MAX
        self._truncated = False
        self._told: set[tuple[_Ends, tuple[str, ...], DatasetId]] = set()

    def walk(self, dataset: DatasetId, level: int) -> Mappings:
        """Return the mappings within so many datasets of one."""
        start: list[_Node] = [(dataset, BACKWARD), (dataset, FORWARD)]
        walked = walk(start, self._expand, into=Walked(DATASETS_MAX), depth=level - 1)
        items = (FieldMapping(*ends, tuple(sorted(self._pairs[ends]))) for ends in sorted(self._pairs))
        return Mappings(tuple(items), self._truncated or walked.truncated or self._span.truncated)

    def _expand(self, nodes: Sequence[_Node], _: bool) -> set[_Node]:
        """Add the mappings of these datasets, which are read here; return those that the walk may go on from."""
        self._span.load(nodes)
        primaries = {(self._span.primary(name), way) for name, way in nodes}
        near = {other for node in sorted(primaries) for other in self._add_mappings(*node)}
        return {other for other in near if self._span.groups.opens(other[0], self._visibility)}

    def _add_mappings(self, dataset: DatasetId, way: Side) -> Iterator[_Node]:
        """Add what leads to, or from, a dataset; yield the datasets there."""
        if way == BACKWARD:
            for told in _distinct(self._span.written(dataset)):
                for source in sorted(told.columns.datasets):
                    self._add(source, told)
                    yield source, way
        else:
            for told in _distinct(made for reading in self._span.read(dataset) for made in reading.made):
                # What one telling says of a source, another that is preferred may not.
                if dataset in told.columns.datasets:
                    self._add(dataset, told)
                    yield told.dataset, way

    def _add(self, source: DatasetId, told: RunColumns) -> None:
        ends = (source, told.dataset)
        pairs = self._pairs.setdefault(ends, set())
        if (ends, told.refs, told.name) in self._told:
            return
        self._told.add((ends, told.refs, told.name))
        for pair in _pairs(told.columns, source):
            if pair in pairs:
                continue
            if self._room == 0:
                self._truncated = True
                return
            self._room -= 1
            pairs.add(pair)


def _distinct(every: Iterable[RunColumns]) -> Iterable[RunColumns]:
    """Return the first of those that report the same; runs that reported nothing may differ in what they read."""
    found: dict[Hashable, RunColumns] = {}
    for told in every:
        sources = () if told.known else tuple(told.columns.dataset_level)
        found.setdefault((told.refs, told.name, sources), told)
    return found.values()


def _pairs(columns: ColumnLineage, source: DatasetId) -> Iterator[_Pair]:
    for path in sorted(columns.fields):
        for one in columns.fields[path]:
            if one.dataset == source and one.field is not None:
                yield one.field, path
