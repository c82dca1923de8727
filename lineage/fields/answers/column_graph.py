"""The graph of columns, now: walked breadth first from what was asked, up and down apart, so that no sibling is met."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TypeAlias

from lineage.fields.answers.present import Entry, Present
from lineage.fields.columns import Column, Sources, in_order
from lineage.fields.found import UNKNOWN_TYPE, ColumnGraph, FoundColumn, FoundSource, Teller
from lineage.names import DatasetId, FieldPath, JobId
from lineage.runs.answers.nodes import unproduced
from lineage.runs.answers.written import last_writers
from lineage.runs.facts.current import io_of
from lineage.runs.facts.table import GraphTable
from lineage.runs.found import LastWriter

_Near: TypeAlias = Callable[[Sequence[Column]], Mapping[Column, AbstractSet[Column]]]
# Columns of one graph: more than an answer of 4 MB holds.
COLUMNS_MAX = 5_000
# Inputs and outputs that one answer tells, all columns together; each column that it tells is told in full.
SOURCES_MAX = 50_000


class ColumnWalk:
    """A walk under way: the columns found so far, by their distance, and what is made of those that look down."""

    def __init__(self, table: GraphTable) -> None:
        self._table = table
        self._present = Present(table)
        self._columns: dict[Column, int] = {}
        self._outputs: dict[Column, AbstractSet[Column]] = {}
        self._truncated = False

    def exists(self, dataset: DatasetId, path: FieldPath) -> Column | None:
        """The column, under its dataset's primary name, if it is in the schema, told of, or something is made of it."""
        entry = self._visible(dataset)
        if entry is None:
            return None
        there = path in entry.schema.types or path in entry.columns.fields
        return Column(entry.group.primary, path) if there or self.is_used(dataset, path) else None

    def columns_of(self, dataset: DatasetId, *, used: bool) -> list[Column]:
        """The columns of a dataset; `used`: those too that only others' columns tell of."""
        entry = self._visible(dataset)
        if entry is None:
            return []
        primary = entry.group.primary
        own = [Column(primary, path) for path in entry.paths]
        return own if entry.schema.known and not used else list(dict.fromkeys((*own, *self.used(primary))))

    def is_used(self, dataset: DatasetId, path: FieldPath) -> bool:
        """Whether something is told to be made of this column now."""
        return any(column.field == path for column in self.used(dataset))

    def used(self, dataset: DatasetId) -> list[Column]:
        """The columns of a dataset that others are told to be made of now."""
        self._present.load([dataset], readers=True)
        group = self._present.groups.group(dataset)
        made = self._present.made_of(group)
        self._present.load(made)
        others = [other for name in made if (other := self._present.entry(name))]
        return sorted({column for one in others for column in one.used if column.dataset == group.primary})

    def tellers_of(self, column: Column) -> tuple[Teller, ...]:
        """Those who told of a column that exists."""
        entry = self._visible(column.dataset)
        return entry.tellers_of(column.field) if entry else ()

    def is_visible(self, dataset: DatasetId) -> bool:
        """Whether the dataset is known and not hidden."""
        return self._visible(dataset) is not None

    def outputs_of(self, job: JobId) -> list[DatasetId] | None:
        """The datasets that a job writes now; None if it is unknown or hidden."""
        self._present.load_jobs([job])
        if not self._present.is_visible_job(job):
            return None
        return sorted(io_of(self._present.nodes[job])[1])

    def graph(self, asked: Sequence[Column], *, depth: int, downstream: bool) -> ColumnGraph:
        """The graph around these columns, which exist."""
        start = self._fitting(sorted(asked), 0)
        self._walk(start, depth, self._sources)
        if downstream:
            self._walk(start, depth, self._users)
            self._present.load({column.dataset for column in self._columns})
            self._add_outputs()
        found = tuple(self._found())
        return ColumnGraph(found, self._truncated)

    def _walk(self, start: Sequence[Column], depth: int, near: _Near) -> None:
        """Add all within so many hops of the start."""
        seen, frontier = set(start), start
        for hop in range(depth + 1):
            # Columns that one operation made share what is near: it is looked at once.
            reached: set[Column] = set().union(*{id(some): some for some in near(frontier).values()}.values())
            if hop == depth or not reached:
                break
            frontier = self._fitting(sorted(reached - seen), hop + 1)
            seen.update(frontier)

    def _fitting(self, columns: Sequence[Column], hop: int) -> list[Column]:
        """As many of these as the graph may still hold."""
        fitting = []
        for column in columns:
            if column not in self._columns and len(self._columns) >= COLUMNS_MAX:
                self._truncated = True
                break
            self._columns[column] = min(hop, self._columns.get(column, hop))
            fitting.append(column)
        return fitting

    def _add_outputs(self) -> None:
        """What is made of the columns that are there for what they went into: only what is in the graph."""
        there = self._columns.keys() - self._outputs.keys()
        outputs: dict[Column, set[Column]] = {}
        for column in self._columns:
            entry = self._present.entry(column.dataset)
            if entry is not None and (column.field in entry.columns.fields or column.field in entry.schema.columns):
                for source in entry.sources_of(column.field) & there:
                    outputs.setdefault(source, set()).add(column)
        self._outputs.update(outputs)

    def _sources(self, columns: Sequence[Column]) -> Mapping[Column, AbstractSet[Column]]:
        self._present.load({column.dataset for column in columns})
        found = {}
        for column in columns:
            entry = self._present.entry(column.dataset)
            found[column] = entry.sources_of(column.field) if entry else frozenset()
        return found

    def _users(self, columns: Sequence[Column]) -> Mapping[Column, AbstractSet[Column]]:
        """What is made of each column; also remembered as its outputs."""
        self._present.load({column.dataset for column in columns}, readers=True)
        groups = {column.dataset: self._present.groups.group(column.dataset) for column in columns}
        self._truncated |= any(group.cut for group in groups.values())
        made = set().union(*(self._present.made_of(group) for group in groups.values()))
        self._present.load(made)
        wanted = set(columns)
        found: dict[Column, AbstractSet[Column]] = dict.fromkeys(columns, frozenset())
        entries = [entry for name in made if (entry := self._present.entry(name))]
        for entry in {entry.group.primary: entry for entry in entries}.values():
            for sources, users in _by_sources(entry):
                for column in sources & wanted:
                    found[column] = found[column] | users if found[column] else users
        self._outputs.update(found)
        return found

    def _visible(self, dataset: DatasetId) -> Entry | None:
        self._present.load([dataset])
        return self._present.entry(dataset)

    def _found(self) -> Iterable[FoundColumn]:
        groups = {}
        for column in self._columns:
            entry = self._present.entry(column.dataset)
            if entry is not None:
                groups[column.dataset] = entry.group
        stale = unproduced(list(groups.values()), self._table, self._present.namespaces, seen=self._present.nodes)
        writers = dict(zip(stale, last_writers([groups[one] for one in stale], self._table), strict=True))
        room, shown = SOURCES_MAX, False
        for column in sorted(self._columns, key=lambda one: (self._columns[one], one)):
            entry = self._present.entry(column.dataset)
            if entry is None:
                continue
            outputs = self._outputs.get(column, frozenset())
            room -= len(entry.columns.fields.get(column.field, ())) + len(entry.columns.whole) + len(outputs)
            if room < 0 and shown:
                self._truncated = True
                return
            shown = True
            yield found_column(column, entry, outputs, writers.get(column.dataset))


def _by_sources(entry: Entry) -> Iterable[tuple[AbstractSet[Column], set[Column]]]:
    """The columns of a dataset, together where they are made of the same."""
    shared: dict[int, tuple[AbstractSet[Column], set[Column]]] = {}
    for path in entry.paths:
        sources = entry.sources_of(path)
        shared.setdefault(id(sources), (sources, set()))[1].add(Column(entry.group.primary, path))
    return shared.values()


def told_columns(entry: Entry, room: int) -> ColumnGraph:
    """The columns of a dataset that were told of, each in full, as many as have no more sources than there is room."""
    found: list[FoundColumn] = []
    for path in sorted(entry.columns.fields):
        room -= len(entry.columns.fields[path])
        if room < 0:
            return ColumnGraph(tuple(found), truncated=True)
        found.append(found_column(Column(entry.group.primary, path), entry))
    return ColumnGraph(tuple(found))


def found_column(
    column: Column, entry: Entry, outputs: Iterable[Column] = (), last: LastWriter | None = None
) -> FoundColumn:
    """A column as it is told."""
    return FoundColumn(
        column.dataset,
        column.field,
        type=entry.type_of(column.field) or UNKNOWN_TYPE,
        schema_known=entry.schema.known,
        inputs=found_sources(entry.columns.fields.get(column.field, {})),
        dependencies=found_sources(entry.columns.whole),
        outputs=tuple(FoundSource(one.dataset, one.field) for one in sorted(outputs)),
        tellers=entry.tellers_of(column.field),
        stale=last is not None,
        last_written_by=last,
    )


def found_sources(sources: Sources, versions: Mapping[DatasetId, str] | None = None) -> tuple[FoundSource, ...]:
    """Sources as they are told, in their order."""
    return tuple(
        FoundSource(source.dataset, source.field, in_order(sources[source]), (versions or {}).get(source.dataset))
        for source in sorted(sources, key=lambda one: one.order)
    )
