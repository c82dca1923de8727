"""Distinct operation paths that derive a field, each as operations, as edges from its sources, and in detail.

A path holds only operations behind the field: sets that differ in operations on other fields have the same path.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from headwater.facts.facet_refs import OPERATIONS_KIND
from headwater.queries.ranges.derived_operations import derive_operations
from headwater.queries.ranges.field_types import FieldTypes, endpoints_of
from headwater.queries.ranges.operation_graph import detail_of
from headwater.queries.ranges.runs_in_range import Place, RunColumns, RunRead, RunsInRange, distinct
from headwater.queries.results.columns import (
    Connection,
    Detail,
    DetailNode,
    FieldOperationPath,
    FieldOperationPaths,
    PathOperation,
    SimpleEdge,
    TimeRange,
)
from headwater.queries.results.graphs import DOWN, SIDES, UP, Direction
from headwater.queries.view import GraphView
from headwater_model.columns import Column, ColumnLineage, ColumnSource
from headwater_model.field_paths import RelatedPaths
from headwater_model.ids import DatasetId, FieldPath
from headwater_model.operation_set import OperationSet
from headwater_model.operations import InputField, Operation, Read, inputs_of, outputs_of, render_operations
from headwater_model.reachability import NOTHING

# The input of a read.
SOURCE = "source"
# Names of operations on the edges of a path: each of 1,000 operations may stand on the edge of each of 1,000 sources.
NAMES_MAX = 100_000


@dataclass(frozen=True, slots=True)
class OperationPath:
    """A path from sources to a field in a set of operations; two paths are equal if their `key` is.

    `operations` are whole reads and transforms in the order of execution, with all outputs. `edges` are the field's
    source fields, each with the transforms between. `nodes` and `connections` are every field between, as in `Detail`.
    Descriptions of endpoints are no part of the key. `truncated`: edges or connections were cut.
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
        """Make the result of the path, with its runs, newest first."""
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
    """Find the path to a destination's field, or related fields, in the set; None if it writes none of them."""
    written = operations.written_as(Column(destination, field))
    if not written:
        return None
    # Keep the operations behind the field, in the order of execution.
    needed = _needed(operations, written)
    on_path = [operation for operation in operations.operations if operation.name in needed]
    # Show the path twice: from each source field at once, and field by field. Both may be cut.
    edges, more = _edges(operations, written)
    detail = detail_of([operations], destination, field, "up")
    return OperationPath(
        _key(on_path, needed, written),
        tuple(_path_operation(operation) for operation in on_path),
        edges,
        detail.nodes,
        detail.connections,
        destination,
        more or detail.truncated,
        _description(operations, destination, written),
    )


def _description(operations: OperationSet, destination: DatasetId, written: Iterable[InputField]) -> str | None:
    """Find the endpoint's description: of the first write of the field with a description."""
    taken = set(written)
    writes = (
        write for write in operations.writes if write.destination == destination and not taken.isdisjoint(write.inputs)
    )
    return next((write.destination_description for write in writes if write.destination_description is not None), None)


def _needed(operations: OperationSet, written: Iterable[InputField]) -> Mapping[str, set[str]]:
    """Find the operations behind the field, each with its outputs on the path."""
    needed: dict[str, set[str]] = {}
    for input_field in written:
        needed.setdefault(input_field.origin, set()).add(input_field.name)
    # An operation comes after its origins, so a pass from the last to the first finds everything.
    for operation in reversed(operations.operations):
        if operation.name in needed:
            for input_field in inputs_of(operation):
                needed.setdefault(input_field.origin, set()).add(input_field.name)
    return needed


def _key(on_path: Iterable[Operation], needed: Mapping[str, set[str]], written: Iterable[InputField]) -> str:
    forms = render_operations(on_path)
    # Paths that differ only in outputs off the path, or in descriptions of endpoints, have the same key.
    for form in forms:
        form["outputs"] = sorted(needed[form["name"]])
        form.get("source", {}).pop("description", None)
    last = sorted([input_field.origin, input_field.name] for input_field in written)
    return hashlib.sha256(json.dumps([forms, last], sort_keys=True).encode()).hexdigest()


def _path_operation(operation: Operation) -> PathOperation:
    name, description, outputs = operation.name, operation.description, outputs_of(operation)
    if isinstance(operation, Read):
        return PathOperation(
            name, description, (SOURCE,), outputs, operation.source, source_description=operation.source_description
        )
    return PathOperation(
        name, description, tuple(dict.fromkeys(input_field.name for input_field in inputs_of(operation))), outputs
    )


def _edges(operations: OperationSet, written: Iterable[InputField]) -> tuple[tuple[SimpleEdge, ...], bool]:
    reached, reach = operations.reached, NOTHING
    # Unite the reach of each written field: the source fields, and the transforms between.
    for input_field in written:
        reach |= operations.reached.of(input_field)
    names = 0
    edges: list[SimpleEdge] = []
    descriptions = {read.source: read.source_description for read in operations.reads if read.source_description}
    # Each source field has an edge, with the transforms between it and the written fields.
    for column in sorted(reached.columns(reach.direct | reach.made)):
        between = reach.by & reached.after(column)
        names += between.bit_count()
        if names > NAMES_MAX:
            return tuple(edges), True
        operations_between = tuple(operation.name for operation in reached.operations(between))
        description = descriptions.get(column.dataset)
        edges.append(SimpleEdge(column.dataset, column.field, operations_between, description))
    return tuple(edges), False


# Paths of a field in a result, the newest.
PATHS_MAX = 100


def find_detail(view: GraphView, column: Column, time_range: TimeRange, direction: Direction) -> Detail:
    """Draw the field's paths through the operations reported by runs of the time range."""
    range_runs = RunsInRange(view, time_range)
    range_runs.load_datasets(((column.dataset, side) for side in SIDES[direction]), operations=True)
    column = Column(range_runs.primary(column.dataset), column.field)
    types = FieldTypes(view)
    sets: dict[str, OperationSet] = {}
    if UP in SIDES[direction]:
        # Most runs share their report: each report is read, and hashed, once.
        for report in distinct(range_runs.written(column.dataset)):
            types.add_report(report)
            sets.update((operations.checksum, operations) for operations in making(column, report, range_runs))
    if DOWN in SIDES[direction]:
        # Reads with equal reports have the same operations.
        taken = (
            operations
            for read in distinct(range_runs.read(column.dataset))
            for operations in taking(column, read, range_runs)
        )
        sets.update((operations.checksum, operations) for operations in taken)
    detail = types.typed(detail_of(sets.values(), column.dataset, column.field, direction))
    return replace(detail, truncated=detail.truncated or range_runs.truncated)


def making(column: Column, report: RunColumns, range_runs: RunsInRange) -> Iterator[OperationSet]:
    """Yield the operations behind a column in a report: recorded, else derived from the report."""
    # Recorded operations count if they wrote the column; else its sources give the operations.
    recorded = [range_runs.operations(ref) for ref in report.refs if ref.startswith(OPERATIONS_KIND)]
    making_it = [operations for operations in recorded if operations.written_as(column)]
    if making_it:
        yield from making_it
    elif related := RelatedPaths(report.columns.fields).find(column.field):
        yield derive_operations(
            {report.dataset: ColumnLineage({path: report.columns.fields[path] for path in related})}
        )


def taking(column: Column, read: RunRead, range_runs: RunsInRange) -> Iterator[OperationSet]:
    """Yield the operations of a run's read of the column's dataset: recorded ones, and those of other reports."""
    recorded = [range_runs.operations(ref) for ref in read.operations]
    yield from recorded
    # Derive operations for the columns without a recorded operation.
    derived = {report.dataset: _made_of(column, report, recorded) for report in read.derived}
    rest = {dataset: columns for dataset, columns in derived.items() if columns.fields}
    if rest:
        yield derive_operations(rest)


def _made_of(column: Column, report: RunColumns, recorded: Sequence[OperationSet]) -> ColumnLineage:
    """Choose the columns derived from this column, without the columns of recorded operations."""
    used = RelatedPaths(report.columns.fields_of(column.dataset)).overlapping(column.field)
    sources = [ColumnSource(column.dataset, path) for path in used]
    by_hand = {
        written.field for operations in recorded for written in operations.written if written.dataset == report.dataset
    }
    return ColumnLineage(
        {
            path: made_of
            for path, made_of in report.columns.fields.items()
            if path not in by_hand and any(source in made_of for source in sources)
        }
    )


def find_paths(view: GraphView, column: Column, time_range: TimeRange) -> FieldOperationPaths:
    """List the distinct paths to the field, by runs of the time range, the newest run's first."""
    range_runs = RunsInRange(view, time_range)
    range_runs.load_datasets([(column.dataset, UP)], operations=True)
    column = Column(range_runs.primary(column.dataset), column.field)
    types = FieldTypes(view)
    paths: dict[str, OperationPath] = {}
    runs: dict[str, dict[str, None]] = {}
    seen: dict[Place, list[OperationPath]] = {}
    for report in range_runs.written(column.dataset):
        # Runs with equal reports took the same paths: the paths are derived once.
        if report.place not in seen:
            types.add_report(report)
            seen[report.place] = list(_paths(column, making(column, report, range_runs)))
        for path in seen[report.place]:
            paths.setdefault(path.key, path)
            runs.setdefault(path.key, {})[report.run.root.id] = None
    # Types are read only for the ends of the shown paths.
    shown = list(paths)[:PATHS_MAX]
    cut = len(paths) > PATHS_MAX or range_runs.truncated or any(paths[key].truncated for key in shown)
    types.load_schemas({column.dataset, *(endpoint for key in shown for endpoint in endpoints_of(paths[key].nodes))})
    items = (_typed(paths[key].taken_by(tuple(runs[key])), types) for key in shown)
    return FieldOperationPaths(tuple(items), cut or types.truncated, types.of(column.dataset, column.field))


def _typed(path: FieldOperationPath, types: FieldTypes) -> FieldOperationPath:
    nodes, edges = map(types.typed_node, path.nodes), map(types.typed_edge, path.edges)
    return replace(path, nodes=tuple(nodes), edges=tuple(edges))


def _paths(column: Column, sets: Iterable[OperationSet]) -> Iterator[OperationPath]:
    paths = (path_of(operations, column.dataset, column.field) for operations in sets)
    return (path for path in paths if path is not None)
