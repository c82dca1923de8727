"""The graph of columns, now or as of a time, walked breadth first; up and down are separate walks: no siblings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from operator import attrgetter, itemgetter
from types import MappingProxyType
from typing import Any

from headwater.queries.columns.read_versions import ReadVersions
from headwater.queries.graphs.short_forms import find_writes
from headwater.queries.results.columns import UNKNOWN_TYPE, ColumnGraph, ColumnInput, ColumnNode
from headwater.queries.results.entities import LastWriter
from headwater.queries.view import GraphView
from headwater.queries.view.column_reports import DatasetColumns
from headwater.walk import Walked, walk
from headwater_model.columns import Column, ColumnLineage, ColumnSource, Sources, Transformation, in_order
from headwater_model.field_paths import ColumnIndex
from headwater_model.ids import DatasetId, FieldPath, JobId

# Columns of a graph: more than a response of 4 MB holds.
COLUMNS_MAX = 5_000
# Inputs and outputs in a result, all columns together; each column in the result has all its own.
SOURCES_MAX = 50_000
_NO_VERSIONS: Mapping[Any, str] = MappingProxyType({})
# The order of columns, compared as texts: thousands are sorted.
_NAMES = attrgetter("dataset.namespace", "dataset.name", "field")


@dataclass(frozen=True, slots=True)
class ColumnStep:
    """A step from a column to a derived column in a report, and the reporting job; None for a DatasetEvent.

    A report may name no columns of its dataset, or of the source's dataset. Then `source` and `derived` have no field:
    any column of the derived dataset may derive from any column of the source's dataset.
    """

    source: ColumnSource
    derived: ColumnSource
    how: frozenset[Transformation]
    job: JobId | None


class ColumnWalk:
    """A walk in progress: the reached columns by distance, and the outputs of the columns walked downstream.

    The graph is as of the view's time; None for now.
    """

    def __init__(self, view: GraphView) -> None:
        self._view = view
        self._walked = Walked[Column](COLUMNS_MAX)
        self._outputs: dict[Column, AbstractSet[Column]] = {}

    def graph(self, requested: Sequence[Column], *, depth: int, downstream: bool) -> ColumnGraph:
        """Walk from existing columns to their sources and, `downstream`, to their derived columns."""
        # Upstream: from each column to its sources.
        walk(requested, self._sources, into=self._walked, depth=depth)
        if downstream:
            # Downstream: from each column to its derived columns.
            walk(requested, self._users, into=self._walked, depth=depth)
            # Columns reached upstream show all their outputs, too.
            self._users([column for column in self._walked.hops if column not in self._outputs], True)
        # The columns are known now: read what a node shows of each.
        nodes = tuple(self._nodes())
        return ColumnGraph(nodes, self._walked.truncated)

    def below(self, column: Column, *, depth: int) -> Mapping[Column, int]:
        """Measure the distance of the columns derived from an existing column, and of the column itself: 0."""
        self._view.load_columns([column.dataset], below=2 if depth else 1)
        return walk([column], self._users, into=self._walked, depth=depth).hops

    @property
    def truncated(self) -> bool:
        """True if the walk left out columns."""
        return self._walked.truncated or self._view.truncated

    def entry(self, column: Column) -> DatasetColumns | None:
        """Look up the columns of a reached column's dataset; None if the caller may not see them."""
        entry = self._view.find_columns(column.dataset)
        return entry if self._opened([column]) else None

    def steps_from(self, reached: Iterable[Column]) -> Iterator[ColumnStep]:
        """Yield the steps from columns before the last level of `below`, report by report."""
        columns = self._opened(reached)
        # The walk has read all datasets below.
        groups, entries = self._view.load_below({column.dataset for column in columns})
        # A report may name a source as a struct around a column, or as a field inside it.
        takers = self._consumers(columns, set().union(*(entry.used for entry in entries.values())))
        # Each report on such a dataset yields its own steps, with its job.
        datasets = {group.primary for group in groups}
        for _, entry in sorted(entries.items()):
            for job, reported in entry.known.by_job():
                yield from _steps_into(entry, job, reported, takers, datasets)

    def _opened(self, columns: Iterable[Column]) -> list[Column]:
        """List the columns shown in full; their datasets' names are loaded."""
        return [column for column in columns if self._view.shows(column.dataset)]

    def _sources(self, level: Sequence[Column], _: bool) -> AbstractSet[Column]:
        """Read the columns shown in full; return their sources."""
        columns = self._opened(level)
        self._view.load_columns({column.dataset for column in columns})
        entries = {dataset: self._view.columns(dataset) for dataset in {column.dataset for column in columns}}
        pairs = ((entries[column.dataset], column.field) for column in columns)
        # Columns of an operation share their sources: each set is merged once.
        sets = {id(part): part for entry, field in pairs if entry for part in entry.known.sources_of(field)}
        return set().union(*sets.values())

    def _users(self, level: Sequence[Column], is_last: bool) -> AbstractSet[Column]:
        """List the columns derived from the columns shown in full; also keep them as the outputs of each."""
        columns = self._opened(level)
        groups, entries = self._view.load_below({column.dataset for column in columns}, is_last=is_last)
        self._walked.truncated |= any(group.cut for group in groups)
        # Look up each set of sources once: many derived columns share it.
        outputs: dict[Column, list[frozenset[Column]]] = {column: [] for column in columns}
        below = set[Column]()
        # Columns with the same sources stay together.
        users = [(entry.group.primary, *of_sources) for entry in entries.values() for of_sources in entry.users()]
        takers = self._consumers(columns, set().union(*(sources for _, sources, _ in users)))
        used = set(takers)
        # The columns derived from a set are outputs of each column in the set.
        for dataset, sources, paths in users:
            reached = {column for source in sources & used for column in takers[source]}
            derived = frozenset(Column(dataset, path) for path in (paths if reached else ()))
            below |= derived
            for column in reached:
                outputs[column].append(derived)
        for column, parts in outputs.items():
            self._outputs[column] = parts[0] if len(parts) == 1 else frozenset().union(*parts)
        return below

    def _consumers(self, columns: Sequence[Column], used: AbstractSet[Column]) -> Mapping[Column, set[Column]]:
        """Map each used column to its columns among `columns`: equal, inside it, or around it."""
        requested: dict[DatasetId, set[FieldPath]] = {}
        for column in columns:
            requested.setdefault(column.dataset, set()).add(column.field)
        paths: dict[DatasetId, set[FieldPath]] = {}
        for dataset, field in used:
            if dataset in requested:
                paths.setdefault(dataset, set()).add(field)
        takers: dict[Column, set[Column]] = {}
        # The reports on a dataset say how its nested columns are related.
        for dataset, used_paths in paths.items():
            entry = self._view.columns(dataset)
            index = entry.known.index if entry else ColumnIndex(())
            for path, takers_of in index.invert(requested[dataset], used_paths).items():
                takers[Column(dataset, path)] = {Column(dataset, taker) for taker in takers_of}
        return takers

    def _nodes(self) -> Iterable[ColumnNode]:
        # Find the last writers of datasets without a visible producer now.
        opened = {column.dataset for column in self._opened(self._walked.hops)}
        writers, _ = find_writes(self._view.datasets(opened), self._view)
        shown = list(self._shown({dataset: self._view.columns(dataset) for dataset in opened}))
        inputs: dict[tuple[int, int], tuple[ColumnInput, ...]] = {}
        entries = {column.dataset: entry for column, entry in shown if entry}
        # Only for columns that fit the result, find the versions of their sources.
        reads = ReadVersions(entries.values(), self._view)
        self._walked.truncated |= reads.truncated or self._view.truncated

        def inputs_of(sources: Sources, read: Mapping[ColumnSource, str]) -> tuple[ColumnInput, ...]:
            # Columns of an operation share their sources, and so their inputs.
            key = id(sources), id(read)
            if key not in inputs:
                inputs[key] = column_inputs(sources, read=read)
            return inputs[key]

        dependencies = {
            dataset: inputs_of(entry.columns.dataset_level, reads.of_dependencies(entry))
            for dataset, entry in entries.items()
        }
        for column, entry in shown:
            if entry is None:
                yield ColumnNode(column.dataset, column.field, outline=True)
                continue
            yield column_node(
                column,
                entry,
                inputs_of(entry.known.inputs_of(column.field), reads.of_inputs(entry, column.field)),
                dependencies[column.dataset],
                self._outputs.get(column, frozenset()),
                writers.get(column.dataset),
            )

    def _shown(
        self, entries: Mapping[DatasetId, DatasetColumns | None]
    ) -> Iterable[tuple[Column, DatasetColumns | None]]:
        """Yield columns, nearest first, while their sources fit the budget; outlines have no sources."""
        budget, shown = SOURCES_MAX, False
        for column, _ in sorted(self._walked.hops.items(), key=itemgetter(1, 0)):
            if column.dataset not in entries:
                yield column, None
                continue
            entry = entries[column.dataset]
            if entry is None:
                continue
            outputs = self._outputs.get(column, frozenset())
            budget -= len(entry.known.inputs_of(column.field)) + len(entry.columns.dataset_level) + len(outputs)
            if budget < 0 and shown:
                self._walked.truncated = True
                return
            shown = True
            yield column, entry


def _steps_into(
    entry: DatasetColumns,
    job: JobId | None,
    reported: ColumnLineage,
    takers: Mapping[Column, set[Column]],
    datasets: AbstractSet[DatasetId],
) -> Iterator[ColumnStep]:
    """Yield the steps of a report from the takers to the columns of its dataset."""
    # Columns share sets of sources: each set is looked up once.
    taken: dict[int, list[tuple[ColumnSource, frozenset[Transformation]]]] = {}
    for path, sources in (*reported.fields.items(), *((path, reported.dataset_level) for path in entry.paths)):
        if id(sources) not in taken:
            taken[id(sources)] = [
                (ColumnSource(taker.dataset, taker.field), how)
                for used, how in sources.items()
                if used.field is not None
                for taker in takers.get(Column(used.dataset, used.field), ())
            ]
        for source, how in taken[id(sources)]:
            yield ColumnStep(source, ColumnSource(entry.group.primary, path), how, job)
    unnamed = {source.dataset for sources in reported.source_sets for source in sources if source.field is None}
    for dataset in sorted(unnamed & datasets):
        yield ColumnStep(ColumnSource(dataset), ColumnSource(entry.group.primary), frozenset(), job)


def columns_of(view: GraphView, datasets: Sequence[DatasetId]) -> Mapping[DatasetId, ColumnGraph]:
    """Read each dataset's derived columns with their current inputs; the input limit counts for all together."""
    view.load_columns(datasets)
    budget = SOURCES_MAX
    graphs = {}
    for dataset in datasets:
        entry = view.columns(dataset)
        columns = reported_graph(entry, budget) if entry else ColumnGraph(())
        budget -= sum(len(column.inputs) for column in columns.columns)
        graphs[dataset] = columns
    return graphs


def reported_graph(entry: DatasetColumns, budget: int) -> ColumnGraph:
    """List a dataset's reported columns, each with all its sources, while the sources fit the budget."""
    nodes: list[ColumnNode] = []
    dependencies = column_inputs(entry.columns.dataset_level)
    for path in sorted(entry.columns.fields):
        budget -= len(entry.columns.fields[path])
        if budget < 0:
            return ColumnGraph(tuple(nodes), truncated=True)
        inputs = column_inputs(entry.known.inputs_of(path))
        nodes.append(column_node(Column(entry.group.primary, path), entry, inputs, dependencies))
    return ColumnGraph(tuple(nodes))


def column_node(
    column: Column,
    entry: DatasetColumns,
    inputs: tuple[ColumnInput, ...],
    dependencies: tuple[ColumnInput, ...],
    outputs: Iterable[Column] = (),
    last: LastWriter | None = None,
    *,
    version: str | None = None,
) -> ColumnNode:
    """Make the node of a column, with its own inputs, and the dependencies of its dataset as a whole."""
    return ColumnNode(
        column.dataset,
        column.field,
        version,
        type=entry.type_of(column.field) or UNKNOWN_TYPE,
        schema_known=entry.schema.known,
        place=entry.schema.columns.get(column.field[:1]),
        inputs=inputs,
        dependencies=dependencies,
        outputs=tuple(sorted(outputs, key=_NAMES)),
        reporters=entry.known.reporters_of(column.field),
        stale=last is not None,
        last_written_by=last,
    )


def column_inputs(
    sources: Sources,
    versions: Mapping[DatasetId, str] = _NO_VERSIONS,
    *,
    read: Mapping[ColumnSource, str] = _NO_VERSIONS,
) -> tuple[ColumnInput, ...]:
    """Make the inputs of a node from sources, in order: each of its version, or with the version read of it."""
    return tuple(
        ColumnInput(
            source.dataset, source.field, in_order(sources[source]), versions.get(source.dataset), read.get(source)
        )
        for source in sorted(sources, key=lambda source: source.order)
    )
