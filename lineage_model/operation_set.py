"""The operations of one run, and what they say of fields: which comes of which, which are dropped, generated.

The granularity is the operation, as in CDAP: every output of a transform is made of all its inputs. A field that is
read and written untouched is made of itself alone. All is linear in operations and their inputs (see `reach`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from graphlib import TopologicalSorter
from itertools import chain, islice

from lineage_model.column_index import RelatedPaths
from lineage_model.columns import Column, Columns, Source, Sources, Transformation
from lineage_model.field_paths import parse_slashed
from lineage_model.ids import DatasetId, FieldPath
from lineage_model.operations import InputField, Operation, Read, Transform, Write, render_operations
from lineage_model.reachability import NOTHING, Reach, Reached, inputs_of, outputs_of

# A description names so many of the operations on a field's way.
NAMES_TOLD = 20
# Sources that `columns` holds, those once that fields share.
SOURCES_MAX = 250_000
_KINDS = (Read, Transform, Write)
_IDENTITY = frozenset({Transformation("DIRECT", "IDENTITY")})


@dataclass(frozen=True, init=False)
class OperationSet:
    """Operations with unique names and known origins, without a cycle (see `checks`), in the order of execution.

    In whatever order they are given they stand in one: reads, then transforms, each after those whose fields it takes,
    then writes; else by name. So equal sets tell the same.

    Raises:
        graphlib.CycleError: they were not checked.
    """

    operations: tuple[Operation, ...]

    def __init__(self, operations: Iterable[Operation]) -> None:
        object.__setattr__(self, "operations", _in_order(operations))

    @cached_property
    def checksum(self) -> str:
        """SHA-256 of the operations' canonical JSON."""
        forms = render_operations(self.operations)
        return hashlib.sha256(json.dumps(forms, sort_keys=True, separators=(",", ":")).encode()).hexdigest()

    @cached_property
    def by_name(self) -> Mapping[str, Operation]:
        """The operations by name."""
        return {operation.name: operation for operation in self.operations}

    @cached_property
    def takers(self) -> Mapping[InputField, tuple[Operation, ...]]:
        """The operations that take a field, by that field."""
        takers: dict[InputField, dict[str, Operation]] = {}
        for operation in self.operations:
            for one in inputs_of(operation):
                takers.setdefault(one, {})[operation.name] = operation
        return {one: tuple(every.values()) for one, every in takers.items()}

    @cached_property
    def emitted(self) -> Mapping[str, tuple[str, ...]]:
        """The fields that each operation emits, by its name; those too that only their takers tell of."""
        emitted = {operation.name: dict.fromkeys(outputs_of(operation)) for operation in self.operations}
        for one in self.takers:
            emitted[one.origin][one.name] = None
        return {name: tuple(fields) for name, fields in emitted.items()}

    @property
    def reads(self) -> Iterator[Read]:
        """The operations that read."""
        return (operation for operation in self.operations if isinstance(operation, Read))

    @property
    def writes(self) -> Iterator[Write]:
        """The operations that write."""
        return (operation for operation in self.operations if isinstance(operation, Write))

    @property
    def sources(self) -> frozenset[DatasetId]:
        """The endpoints that are read."""
        return frozenset(read.source for read in self.reads)

    @property
    def destinations(self) -> frozenset[DatasetId]:
        """The endpoints that are written."""
        return frozenset(write.destination for write in self.writes)

    @cached_property
    def reached(self) -> Reached:
        """What reaches each field."""
        return Reached(self.operations)

    @cached_property
    def written(self) -> Mapping[Column, tuple[InputField, ...]]:
        """The fields of destinations, and as which fields of operations each was written."""
        fields: dict[Column, dict[InputField, None]] = {}
        for write in self.writes:
            for one in write.inputs:
                fields.setdefault(Column(write.destination, parse_slashed(one.name)), {})[one] = None
        return {column: tuple(every) for column, every in fields.items()}

    def written_as(self, column: Column) -> tuple[InputField, ...]:
        """Return as which fields of operations a destination's field, or those that are related to it, were written."""
        related = self._written_paths.get(column.dataset, RelatedPaths(())).find(column.field)
        fields = (self.written[Column(column.dataset, path)] for path in sorted(related))
        return tuple(dict.fromkeys(chain.from_iterable(fields)))

    @cached_property
    def _written_paths(self) -> Mapping[DatasetId, RelatedPaths]:
        paths: dict[DatasetId, set[FieldPath]] = {}
        for column in self.written:
            paths.setdefault(column.dataset, set()).add(column.field)
        return {dataset: RelatedPaths(some) for dataset, some in paths.items()}

    def columns(self) -> dict[DatasetId, Columns]:
        """What the written fields of each destination are made of.

        Of the field that was read: DIRECT IDENTITY. Else DIRECT TRANSFORMATION, described by the transforms between the
        source field and this one. Fields that the same operations made share one mapping of their sources: 1,500 fields
        of 1,500 others are 3,000 entries. Where these would be more than `SOURCES_MAX`, all that are made of the same
        fields share one, and descriptions are left out.
        """
        shared: dict[Hashable, Sources] = {}
        fields: dict[DatasetId, dict[FieldPath, Sources]] = {one: {} for one in self.destinations}
        types: dict[DatasetId, dict[FieldPath, str]] = {one: {} for one in self.destinations}
        for column, origins in self.written.items():
            key = self._shared[column]
            if key not in shared:
                shared[key] = self._sources(self._reach(origins), described=isinstance(key, frozenset))
            fields[column.dataset][column.field] = shared[key]
            kinds = [self._types[one] for one in origins if one in self._types]
            types[column.dataset].update({column.field: max(kinds)} if kinds else {})
        return {one: Columns(fields[one], {}, types[one]) for one in fields}

    @property
    def source_count(self) -> int:
        """How many sources `columns` holds, those once that fields share; cheap however many."""
        return self._count(self._shared)

    @property
    def pair_count(self) -> int:
        """How many pairs of a source's field and a field made of it there are; cheap however many."""
        reaches = (self._reach(origins) for origins in self.written.values())
        return sum((reach.direct | reach.made).bit_count() for reach in reaches)

    @property
    def dropped(self) -> frozenset[Column]:
        """The source fields that were dropped, themselves or something that was made of them."""
        drops = (one for one in self.operations if isinstance(one, Transform) and not one.outputs)
        bits = 0
        for drop in drops:
            bits |= self.reached.through(drop).made
        return frozenset(self.reached.columns(bits))

    @property
    def generated(self) -> frozenset[Column]:
        """The destinations' fields that are made of no field."""
        reaches = ((column, self._reach(origins)) for column, origins in self.written.items())
        return frozenset(column for column, reach in reaches if not reach.direct | reach.made)

    def renamed(self, names: Mapping[DatasetId, DatasetId]) -> OperationSet:
        """The same with endpoints under other names; those that `names` does not tell stay."""
        return OperationSet(_renamed(operation, names) for operation in self.operations)

    @cached_property
    def _types(self) -> Mapping[InputField, str]:
        emitting = (one for one in self.operations if not isinstance(one, Write))
        return {InputField(one.name, name): kind for one in emitting for name, kind in one.types}

    def _reach(self, origins: Iterable[InputField]) -> Reach:
        reach = NOTHING
        for one in origins:
            reach |= self.reached.of(one)
        return reach

    @cached_property
    def _shared(self) -> Mapping[Column, Hashable]:
        """By written field what it shares its sources by: its origins (a frozenset), or the fields it is made of."""
        reads = {read.name for read in self.reads}
        by_origins: dict[Column, Hashable] = {
            column: frozenset(one if one.origin in reads else one.origin for one in origins)
            for column, origins in self.written.items()
        }
        if self._count(by_origins) <= SOURCES_MAX:
            return by_origins
        reaches = {column: self._reach(origins) for column, origins in self.written.items()}
        return {column: (reach.direct, reach.made) for column, reach in reaches.items()}

    def _count(self, shared: Mapping[Column, Hashable]) -> int:
        one_of_each = {key: column for column, key in shared.items()}
        reaches = (self._reach(self.written[column]) for column in one_of_each.values())
        return sum((reach.direct | reach.made).bit_count() for reach in reaches)

    def _sources(self, reach: Reach, *, described: bool) -> Sources:
        told: dict[int, frozenset[Transformation]] = {}
        sources: dict[Source, frozenset[Transformation]] = {}
        for one in self.reached.columns(reach.made):
            between = reach.by & self.reached.after(one) if described else 0
            if between not in told:
                description = ", ".join(self._names_told(between)) or None
                told[between] = frozenset({Transformation("DIRECT", "TRANSFORMATION", description)})
            sources[Source(one.dataset, one.field)] = told[between]
        for one in self.reached.columns(reach.direct):
            source = Source(one.dataset, one.field)
            sources[source] = sources.get(source, frozenset()) | _IDENTITY
        return sources

    def _names_told(self, by: int) -> Iterator[str]:
        yield from (one.name for one in islice(self.reached.operations(by), NAMES_TOLD))
        more = by.bit_count() - NAMES_TOLD
        if more > 0:
            yield f"… and {more} more"


def _in_order(operations: Iterable[Operation]) -> tuple[Operation, ...]:
    by_name = {operation.name: operation for operation in operations}
    sorter = TopologicalSorter({name: {one.origin for one in inputs_of(by_name[name])} for name in by_name})
    sorter.prepare()
    ordered: list[Operation] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready())
        sorter.done(*ready)
        ordered += (by_name[name] for name in ready)
    return tuple(sorted(ordered, key=lambda operation: _KINDS.index(type(operation))))


def _renamed(operation: Operation, names: Mapping[DatasetId, DatasetId]) -> Operation:
    if isinstance(operation, Read):
        return replace(operation, source=names.get(operation.source, operation.source))
    if isinstance(operation, Write):
        return replace(operation, destination=names.get(operation.destination, operation.destination))
    return operation
