"""The whole operations of a field in a time range, a hop each way, as CDAP has them.

Up: all operations before a written field. Down: all operations after a read field. An operation has all its inputs and
outputs, so it may name origins outside the result.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field

from headwater.queries.ranges.operation_graph import fields_read
from headwater.queries.ranges.operation_paths import PATHS_MAX, making, taking
from headwater.queries.ranges.runs_in_range import RunsInRange
from headwater.queries.ranges.similar_runs import RangeRun
from headwater.queries.results.cdap import FieldOperations, LastStart, MakingOperations
from headwater.queries.results.columns import TimeRange
from headwater.queries.results.graphs import DOWN, SIDES, UP, Direction, Side
from headwater.queries.view import GraphView
from headwater_model.columns import Column
from headwater_model.ids import JobId
from headwater_model.operation_set import OperationSet
from headwater_model.operations import InputField, Operation, Read, Write, inputs_of, outputs_of

# Names of fields in all operations of a result together.
FIELDS_MAX = 250_000


def operations_into(operations: OperationSet, column: Column) -> tuple[Operation, ...]:
    """List the operations before a destination's field, or related fields; empty if the set writes none of them."""
    written = set(operations.written_as(column))
    ends = {
        write.name
        for write in operations.writes
        if write.destination == column.dataset and written.intersection(write.inputs)
    }
    needed = ends | {input_field.origin for input_field in written}
    for operation in reversed(operations.operations):
        if operation.name in needed and not isinstance(operation, Write):
            needed.update(input_field.origin for input_field in inputs_of(operation))
    return tuple(operation for operation in operations.operations if operation.name in needed)


def operations_out_of(operations: OperationSet, column: Column) -> tuple[Operation, ...]:
    """List the reads of a source's field, or of overlapping fields, and all operations after them."""
    reached = set(fields_read(operations, column))
    taken = {input_field.origin for input_field in reached}
    for operation in operations.operations:
        if not isinstance(operation, Read) and not reached.isdisjoint(inputs_of(operation)):
            taken.add(operation.name)
            if not isinstance(operation, Write):
                reached.update(InputField(operation.name, name) for name in operations.emitted[operation.name])
    return tuple(operation for operation in operations.operations if operation.name in taken)


def find_operations(view: GraphView, column: Column, time_range: TimeRange, direction: Direction) -> FieldOperations:
    """Find the operations before and after a field, by runs of the time range."""
    range_runs = RunsInRange(view, time_range)
    range_runs.load_datasets(((column.dataset, side) for side in SIDES[direction]), operations=True)
    column = Column(range_runs.primary(column.dataset), column.field)
    budget = _Budget(FIELDS_MAX)
    sides = {side: _operations_on(side, column, range_runs) for side in SIDES[direction]}
    before, after = (tuple(budget.take_sets(sides[side], view)) if side in sides else None for side in (UP, DOWN))
    return FieldOperations(before, after, range_runs.truncated or budget.spent)


@dataclass(slots=True)
class _Making:
    """A set's operations on the field, and the newest such run of each job."""

    operations: tuple[Operation, ...]
    started: dict[JobId, str] = field(default_factory=dict)


def _operations_on(side: Side, column: Column, range_runs: RunsInRange) -> list[_Making]:
    """Cut each distinct set to the operations on the field; the runs come newest first."""
    name, cut = column.dataset, operations_into if side == UP else operations_out_of
    # A run, the key shared by equal reports, and the sets of operations in the report, made at their first use.
    reports: list[tuple[RangeRun, Hashable, Iterator[OperationSet]]]
    if side == UP:
        reports = [(each.run, each.place, making(column, each, range_runs)) for each in range_runs.written(name)]
    else:
        reports = [(each.run, each.place, taking(column, each, range_runs)) for each in range_runs.read(name)]
    by_report: dict[Hashable, list[_Making]] = {}
    by_set: dict[str, _Making] = {}
    for run, place, sets in reports:
        if place not in by_report:
            cuts = ((operations.checksum, cut(operations, column)) for operations in sets)
            by_report[place] = [
                by_set.setdefault(key, _Making(cut_operations)) for key, cut_operations in cuts if cut_operations
            ]
        if run.job is not None:
            for making_it in by_report[place]:
                making_it.started.setdefault(run.job, run.started)
    return list(by_set.values())


@dataclass(slots=True)
class _Budget:
    """The room left in a result for sets of operations on each side, and for names of fields."""

    fields: int
    spent: bool = False

    def take_sets(self, side: list[_Making], view: GraphView) -> Iterator[MakingOperations]:
        """Yield the fitting sets of a side; the first always fits."""
        self.spent |= len(side) > PATHS_MAX
        for entry in side[:PATHS_MAX]:
            size = sum(len(inputs_of(operation)) + len(outputs_of(operation)) for operation in entry.operations)
            if size > self.fields and self.fields < FIELDS_MAX:
                self.spent = True
                return
            self.fields -= size
            yield MakingOperations(entry.operations, _last_starts(entry, view))


def _last_starts(making_it: _Making, view: GraphView) -> tuple[LastStart, ...]:
    newest = sorted(making_it.started.items(), key=lambda item: (item[1], item[0]), reverse=True)
    return tuple(LastStart(job, started if view.opens(job) else None) for job, started in newest)
