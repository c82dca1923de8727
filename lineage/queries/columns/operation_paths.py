"""S3's paths: the distinct ways in which a field is made, each as operations, as edges from its sources, and in detail.

A way is what made the field and nothing else: sets that differ only in what other fields are made of know the same way.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from lineage.graph.facet_refs import OPERATIONS_KIND
from lineage.graph.table import GraphTable
from lineage.queries.columns.column_steps import Place, fields_used, step_place_of
from lineage.queries.columns.derived_operations import derive_operations
from lineage.queries.columns.operation_graph import detail_of
from lineage.queries.columns.results import (
    Connection,
    Detail,
    DetailNode,
    Direction,
    FieldOperationPath,
    FieldOperationPaths,
    PathOperation,
    SimpleEdge,
    TimeRange,
)
from lineage.queries.columns.run_range import BACKWARD, FORWARD, RunColumns, RunRange, RunRead, Side
from lineage_model.column_index import RelatedPaths
from lineage_model.columns import Column, ColumnLineage, ColumnSource
from lineage_model.ids import DatasetId, FieldPath
from lineage_model.operation_set import OperationSet
from lineage_model.operations import InputField, Operation, Read, render_operations
from lineage_model.reachability import NOTHING, inputs_of, outputs_of

# What S3 prints as the input of a read.
SOURCE = "source"
# Names of operations on the edges of one way: each of 1,000 operations may stand on the edge of each of 1,000 sources.
NAMES_MAX = 100_000


@dataclass(frozen=True, slots=True)
class OperationPath:
    """How a set of operations makes a field; two are the same way if their `key` is.

    `operations` are reads and transforms whole, in the order of execution, with all that they emit; `edges` the source
    fields that went into the field, each with the transforms on its way; `nodes` and `connections` every field between,
    as `detail` tells them. Descriptions of endpoints are no part of the key. `truncated`: of edges or connections there
    is more.
    """

    key: str
    operations: tuple[PathOperation, ...]
    edges: tuple[SimpleEdge, ...]
    nodes: tuple[DetailNode, ...]
    connections: tuple[Connection, ...]
    destination: DatasetId
    truncated: bool = False
    destination_description: str | None = None

    def taken_by(self, runs: tuple[str, ...]) -> FieldOperationPath:
        """The way as it is answered, with the runs that took it, newest first."""
        return FieldOperationPath(
            self.operations,
            self.edges,
            runs,
            self.nodes,
            self.connections,
            self.destination,
            self.destination_description,
        )


def path_of(operations: OperationSet, destination: DatasetId, field: FieldPath) -> OperationPath | None:
    """Return how the set makes a destination's field, or those that are related to it; None if it writes none."""
    written = operations.written_as(Column(destination, field))
    if not written:
        return None
    needed = _needed(operations, written)
    on_the_way = [one for one in operations.operations if one.name in needed]
    edges, more = _edges(operations, written)
    detail = detail_of([operations], destination, field, "backward")
    return OperationPath(
        _key(on_the_way, needed, written),
        tuple(_path_operation(one) for one in on_the_way),
        edges,
        detail.nodes,
        detail.connections,
        destination,
        more or detail.truncated,
        _description(operations, destination, written),
    )


def _description(operations: OperationSet, destination: DatasetId, written: Iterable[InputField]) -> str | None:
    """Return what the first write of the field that describes its endpoint says of it."""
    taken = set(written)
    writes = (one for one in operations.writes if one.destination == destination and not taken.isdisjoint(one.inputs))
    return next((one.destination_description for one in writes if one.destination_description is not None), None)


def _needed(operations: OperationSet, written: Iterable[InputField]) -> Mapping[str, set[str]]:
    """The operations that made the field, and which of the fields that they emitted it took."""
    needed: dict[str, set[str]] = {}
    for one in written:
        needed.setdefault(one.origin, set()).add(one.name)
    for operation in reversed(operations.operations):
        if operation.name in needed:
            for one in inputs_of(operation):
                needed.setdefault(one.origin, set()).add(one.name)
    return needed


def _key(on_the_way: Iterable[Operation], needed: Mapping[str, set[str]], written: Iterable[InputField]) -> str:
    forms = render_operations(on_the_way)
    for form in forms:
        form["outputs"] = sorted(needed[form["name"]])
        form.get("source", {}).pop("description", None)
    last = sorted([one.origin, one.name] for one in written)
    return hashlib.sha256(json.dumps([forms, last], sort_keys=True).encode()).hexdigest()


def _path_operation(operation: Operation) -> PathOperation:
    name, description, outputs = operation.name, operation.description, outputs_of(operation)
    if isinstance(operation, Read):
        return PathOperation(
            name, description, (SOURCE,), outputs, operation.source, source_description=operation.source_description
        )
    return PathOperation(name, description, tuple(dict.fromkeys(one.name for one in inputs_of(operation))), outputs)


def _edges(operations: OperationSet, written: Iterable[InputField]) -> tuple[tuple[SimpleEdge, ...], bool]:
    reached, reach = operations.reached, NOTHING
    for one in written:
        reach |= operations.reached.of(one)
    names = 0
    edges: list[SimpleEdge] = []
    descriptions = {one.source: one.source_description for one in operations.reads if one.source_description}
    for column in sorted(reached.columns(reach.direct | reach.made)):
        between = reach.by & reached.after(column)
        names += between.bit_count()
        if names > NAMES_MAX:
            return tuple(edges), True
        operations_between = tuple(one.name for one in reached.operations(between))
        said = descriptions.get(column.dataset)
        edges.append(SimpleEdge(column.dataset, column.field, operations_between, said))
    return tuple(edges), False


# Ways in which one field was made that are told, the newest.
PATHS_MAX = 100
_WAYS: dict[Direction, tuple[Side, ...]] = {"backward": (BACKWARD,), "forward": (FORWARD,), "both": (BACKWARD, FORWARD)}


def find_detail(
    table: GraphTable, dataset: DatasetId, field: FieldPath, window: TimeRange, direction: Direction
) -> Detail:
    """The field's way through the operations that runs of the time range told of it."""
    span = RunRange(table, window)
    span.load(((dataset, way) for way in _WAYS[direction]), operations=True)
    column = Column(span.primary(dataset), field)
    sets: dict[str, OperationSet] = {}
    if BACKWARD in _WAYS[direction]:
        # Most runs report the same as others: each report is looked at, and hashed, once.
        reports: dict[Place, RunColumns] = {}
        for told in span.written(column.dataset):
            reports.setdefault(step_place_of(told), told)
        sets.update((one.checksum, one) for told in reports.values() for one in making(column, told, span))
    if FORWARD in _WAYS[direction]:
        sets.update((one.checksum, one) for one in _taking(column, span))
    detail = detail_of(sets.values(), column.dataset, field, direction)
    return Detail(detail.nodes, detail.operations, detail.connections, detail.truncated or span.truncated)


def making(column: Column, told: RunColumns, span: RunRange) -> Iterator[OperationSet]:
    """The operations by which a run made a column: those that it recorded, else what it told otherwise."""
    recorded = [span.operations(one) for one in told.refs if one.startswith(OPERATIONS_KIND)]
    making_it = [one for one in recorded if one.written_as(column)]
    if making_it:
        yield from making_it
    elif related := RelatedPaths(told.columns.fields).find(column.field):
        yield derive_operations({told.dataset: ColumnLineage({path: told.columns.fields[path] for path in related})})


def _taking(column: Column, span: RunRange) -> Iterator[OperationSet]:
    for reading in _distinct(span.read(column.dataset)):
        recorded = [span.operations(one) for one in reading.operations]
        yield from recorded
        told = {one.dataset: _made_of(column, one, recorded) for one in reading.made}
        rest = {dataset: columns for dataset, columns in told.items() if columns.fields}
        if rest:
            yield derive_operations(rest)


def _distinct(readings: Iterable[RunRead]) -> Iterable[RunRead]:
    """Return the first of the readings that report the same."""
    found: dict[Hashable, RunRead] = {}
    for one in readings:
        found.setdefault((one.operations, tuple(map(step_place_of, one.made))), one)
    return found.values()


def _made_of(column: Column, told: RunColumns, recorded: Sequence[OperationSet]) -> ColumnLineage:
    """The columns that are made of this one, without those that operations were recorded for."""
    used = RelatedPaths(fields_used(told.columns, column.dataset)).overlapping(column.field)
    sources = [ColumnSource(column.dataset, path) for path in used]
    by_hand = {one.field for some in recorded for one in some.written if one.dataset == told.dataset}
    return ColumnLineage(
        {
            path: made_of
            for path, made_of in told.columns.fields.items()
            if path not in by_hand and any(one in made_of for one in sources)
        }
    )


def find_paths(table: GraphTable, dataset: DatasetId, field: FieldPath, window: TimeRange) -> FieldOperationPaths:
    """The distinct ways in which runs of the time range made the field, that of the newest run first."""
    span = RunRange(table, window)
    span.load([(dataset, BACKWARD)], operations=True)
    column = Column(span.primary(dataset), field)
    ways: dict[str, OperationPath] = {}
    runs: dict[str, dict[str, None]] = {}
    seen: dict[tuple[DatasetId, tuple[str, ...]], list[OperationPath]] = {}
    for told in span.written(column.dataset):
        place = (told.name, told.refs)
        if place not in seen:
            seen[place] = list(_paths(column, making(column, told, span)))
        for way in seen[place]:
            ways.setdefault(way.key, way)
            runs.setdefault(way.key, {})[told.run.root.id] = None
    kept = list(ways)[:PATHS_MAX]
    cut = len(ways) > PATHS_MAX or span.truncated or any(ways[key].truncated for key in kept)
    items: Iterable[FieldOperationPath] = (ways[key].taken_by(tuple(runs[key])) for key in kept)
    return FieldOperationPaths(tuple(items), cut)


def _paths(column: Column, sets: Iterable[OperationSet]) -> Iterator[OperationPath]:
    found = (path_of(one, column.dataset, column.field) for one in sets)
    return (way for way in found if way is not None)
