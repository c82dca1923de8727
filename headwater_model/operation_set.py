"""The operations of one run, and the lineage of fields derived from them: sources, dropped and generated fields.

The granularity is the operation, as in CDAP: every output of a transform derives from all its inputs. A field without a
transform between read and write derives from itself alone. All is linear in operations and their inputs
(`reachability`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from graphlib import TopologicalSorter
from itertools import chain, islice

from headwater_model.columns import Column, ColumnLineage, ColumnSource, Sources, Transformation
from headwater_model.field_paths import RelatedPaths, parse_slashed
from headwater_model.ids import DatasetId, FieldPath
from headwater_model.operations import (
    InputField,
    Operation,
    Read,
    Transform,
    Write,
    inputs_of,
    outputs_of,
    render_operations,
)
from headwater_model.reachability import NOTHING, Reach, Reachability

# The most operations that a description names of a field's path.
NAMES_LISTED = 20
# The most sources in `columns`, shared mappings counted once.
SOURCES_MAX = 250_000
_KINDS = (Read, Transform, Write)
_IDENTITY = frozenset({Transformation("DIRECT", "IDENTITY")})


@dataclass(frozen=True, init=False)
class OperationSet:
    """Operations with unique names and known origins, without a cycle (`operation_checks`), in order of execution.

    The order is the same for equal sets: reads, then transforms, each after the origins of its inputs, then writes;
    else by name.

    Raises:
        graphlib.CycleError: the operations were not checked.
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
    def consumers(self) -> Mapping[InputField, tuple[Operation, ...]]:
        """Each field with the operations that have it as an input."""
        consumers: dict[InputField, dict[str, Operation]] = {}
        for operation in self.operations:
            for taken in inputs_of(operation):
                consumers.setdefault(taken, {})[operation.name] = operation
        return {field: tuple(operations.values()) for field, operations in consumers.items()}

    @cached_property
    def emitted(self) -> Mapping[str, tuple[str, ...]]:
        """The emitted fields by operation; fields known from the inputs of later operations are included."""
        emitted = {operation.name: dict.fromkeys(outputs_of(operation)) for operation in self.operations}
        for field in self.consumers:
            emitted[field.origin][field.name] = None
        return {name: tuple(fields) for name, fields in emitted.items()}

    @property
    def reads(self) -> Iterator[Read]:
        """The reads of the set."""
        return (operation for operation in self.operations if isinstance(operation, Read))

    @property
    def writes(self) -> Iterator[Write]:
        """The writes of the set."""
        return (operation for operation in self.operations if isinstance(operation, Write))

    @property
    def sources(self) -> frozenset[DatasetId]:
        """The datasets of all reads."""
        return frozenset(read.source for read in self.reads)

    @property
    def destinations(self) -> frozenset[DatasetId]:
        """The datasets of all writes."""
        return frozenset(write.destination for write in self.writes)

    @cached_property
    def reached(self) -> Reachability:
        """The reachability of each field."""
        return Reachability(self.operations)

    @cached_property
    def written(self) -> Mapping[Column, tuple[InputField, ...]]:
        """The fields of destinations, each with the operations' fields written to it."""
        fields: dict[Column, dict[InputField, None]] = {}
        for write in self.writes:
            for field in write.inputs:
                fields.setdefault(Column(write.destination, parse_slashed(field.name)), {})[field] = None
        return {column: tuple(origins) for column, origins in fields.items()}

    def written_as(self, column: Column) -> tuple[InputField, ...]:
        """Find the operations' fields written to a destination's field, or to fields related to it."""
        related = self._written_paths.get(column.dataset, RelatedPaths(())).find(column.field)
        fields = (self.written[Column(column.dataset, path)] for path in sorted(related))
        return tuple(dict.fromkeys(chain.from_iterable(fields)))

    @cached_property
    def _written_paths(self) -> Mapping[DatasetId, RelatedPaths]:
        paths: dict[DatasetId, set[FieldPath]] = {}
        for column in self.written:
            paths.setdefault(column.dataset, set()).add(column.field)
        return {dataset: RelatedPaths(fields) for dataset, fields in paths.items()}

    def columns(self) -> dict[DatasetId, ColumnLineage]:
        """Derive the column lineage of each destination.

        A field written as it was read is DIRECT IDENTITY. Else it is DIRECT TRANSFORMATION, described by the transforms
        between source and destination. Fields of the same operations share a mapping of their sources: 1,500 fields of
        1,500 fields are 3,000 entries. Above `SOURCES_MAX` entries, all fields with the same sources share a mapping,
        and descriptions are left out.
        """
        shared: dict[Hashable, Sources] = {}
        fields: dict[DatasetId, dict[FieldPath, Sources]] = {dataset: {} for dataset in self.destinations}
        types: dict[DatasetId, dict[FieldPath, str]] = {dataset: {} for dataset in self.destinations}
        for column, origins in self.written.items():
            key = self._shared[column]
            if key not in shared:
                shared[key] = self._sources(self._reach(origins), described=isinstance(key, frozenset))
            fields[column.dataset][column.field] = shared[key]
            kinds = [self.types[origin] for origin in origins if origin in self.types]
            types[column.dataset].update({column.field: max(kinds)} if kinds else {})
        return {dataset: ColumnLineage(fields[dataset], {}, types[dataset]) for dataset in fields}

    @property
    def source_count(self) -> int:
        """The number of sources in `columns`, shared mappings counted once; cheap for any number."""
        return self._count(self._shared)

    @property
    def pair_count(self) -> int:
        """The number of pairs of a source field and a derived field; cheap for any number."""
        reaches = (self._reach(origins) for origins in self.written.values())
        return sum((reach.direct | reach.made).bit_count() for reach in reaches)

    @property
    def source_name_bytes(self) -> int:
        """The bytes of the source datasets' names, each counted for every destination derived from it."""
        reached: dict[DatasetId, int] = {}
        for column, origins in self.written.items():
            reach = self._reach(origins)
            reached[column.dataset] = reached.get(column.dataset, 0) | reach.direct | reach.made
        of_bits = {bits: {source.dataset for source in self.reached.columns(bits)} for bits in set(reached.values())}
        sizes = {
            bits: sum(len(f"{dataset.namespace}{dataset.name}".encode()) for dataset in datasets)
            for bits, datasets in of_bits.items()
        }
        return sum(sizes[bits] for bits in reached.values())

    @property
    def dropped(self) -> frozenset[Column]:
        """The dropped source fields: dropped themselves, or in a field derived from them."""
        drops = (
            operation for operation in self.operations if isinstance(operation, Transform) and not operation.outputs
        )
        bits = 0
        for drop in drops:
            bits |= self.reached.through(drop).made
        return frozenset(self.reached.columns(bits))

    @property
    def generated(self) -> frozenset[Column]:
        """The destinations' fields without sources."""
        reaches = ((column, self._reach(origins)) for column, origins in self.written.items())
        return frozenset(column for column, reach in reaches if not reach.direct | reach.made)

    def rename(self, names: Mapping[DatasetId, DatasetId]) -> OperationSet:
        """Rename endpoints; endpoints outside `names` stay."""
        return OperationSet(_rename(operation, names) for operation in self.operations)

    @cached_property
    def types(self) -> Mapping[InputField, str]:
        """The types that operations gave to their outputs."""
        emitting = (operation for operation in self.operations if not isinstance(operation, Write))
        return {InputField(operation.name, name): kind for operation in emitting for name, kind in operation.types}

    def _reach(self, origins: Iterable[InputField]) -> Reach:
        reach = NOTHING
        for origin in origins:
            reach |= self.reached.of(origin)
        return reach

    @cached_property
    def _shared(self) -> Mapping[Column, Hashable]:
        """The key by which written fields share their sources: the origins (a frozenset), or the source fields."""
        reads = {read.name for read in self.reads}
        by_origins: dict[Column, Hashable] = {
            column: frozenset(field if field.origin in reads else field.origin for field in origins)
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
        by_transforms: dict[int, frozenset[Transformation]] = {}
        sources: dict[ColumnSource, frozenset[Transformation]] = {}
        for column in self.reached.columns(reach.made):
            between = reach.by & self.reached.after(column) if described else 0
            if between not in by_transforms:
                description = ", ".join(self._names_listed(between)) or None
                by_transforms[between] = frozenset({Transformation("DIRECT", "TRANSFORMATION", description)})
            sources[ColumnSource(column.dataset, column.field)] = by_transforms[between]
        for column in self.reached.columns(reach.direct):
            source = ColumnSource(column.dataset, column.field)
            sources[source] = sources.get(source, frozenset()) | _IDENTITY
        return sources

    def _names_listed(self, by: int) -> Iterator[str]:
        yield from (operation.name for operation in islice(self.reached.operations(by), NAMES_LISTED))
        more = by.bit_count() - NAMES_LISTED
        if more > 0:
            yield f"… and {more} more"


def _in_order(operations: Iterable[Operation]) -> tuple[Operation, ...]:
    by_name = {operation.name: operation for operation in operations}
    sorter = TopologicalSorter({name: {field.origin for field in inputs_of(by_name[name])} for name in by_name})
    sorter.prepare()
    ordered: list[Operation] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready())
        sorter.done(*ready)
        ordered += (by_name[name] for name in ready)
    return tuple(sorted(ordered, key=lambda operation: _KINDS.index(type(operation))))


def _rename(operation: Operation, names: Mapping[DatasetId, DatasetId]) -> Operation:
    if isinstance(operation, Read):
        return replace(operation, source=names.get(operation.source, operation.source))
    if isinstance(operation, Write):
        return replace(operation, destination=names.get(operation.destination, operation.destination))
    return operation
