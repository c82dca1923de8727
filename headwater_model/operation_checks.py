"""Rules for the operations of one run: CDAP's own, and further rules.

CDAP (`FieldLineageInfo`) refuses repeated names, a set without a read or without a write, and unknown origins; it
accepts a field that its origin does not emit. Further rules refuse cycles, at which CDAP fails later, writes as
origins, unnoticed by CDAP, and sets above the caps.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter

from headwater_model.errors import Fault, Invalid
from headwater_model.ids import DatasetId
from headwater_model.operation_set import SOURCES_MAX, OperationSet
from headwater_model.operations import InputField, Operation, Read, Transform, Write, inputs_of, outputs_of

# The most operations of a set; CDAP's own regression has 507 operations with 100 fields each.
OPERATIONS_MAX = 10_000
# Inputs and outputs of all operations together.
FIELDS_MAX = 100_000
# Pairs of a source's field and a field made of it, over all endpoints: 3,000 fields of 3,000 sources.
PAIRS_MAX = 10_000_000
# Bytes of the names of source datasets, each counted for every dataset made of it: facts, index rows and graphs hold
# the pairs.
SOURCE_NAME_BYTES_MAX = 4 * 1024 * 1024
# As in events: a namespace's characters, a name's bytes.
NAMESPACE_MAX_CHARS = 1_024
NAME_MAX_BYTES = 2_048
# The most faults in an error.
_CYCLES_LISTED = 20
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def check_operations(operations: Sequence[Operation], where: str = "operations") -> tuple[str, ...]:
    """Check operations; return warnings about valid inputs that their origin does not emit.

    Raises:
        Invalid: with every broken rule, named from `where` on; for a set above the caps, with the cap alone.
    """
    checked = _Set(operations, where)
    faults = [*_size_faults(checked)] or [fault for rule in _RULES for fault in rule(checked)]
    faults = faults or [*_extent_faults(checked)]
    if faults:
        raise Invalid(faults)
    return tuple(_warn_of_missing(checked))


@dataclass(frozen=True)
class _Set:
    operations: Sequence[Operation]
    where: str

    @property
    def placed(self) -> Iterator[tuple[str, Operation]]:
        """Each operation and its place: `operations[3]`."""
        return ((f"{self.where}[{index}]", operation) for index, operation in enumerate(self.operations))

    @property
    def placed_inputs(self) -> Iterator[tuple[str, Operation, InputField]]:
        """Each input, its place, and its operation."""
        for place, operation in self.placed:
            for index, field in enumerate(inputs_of(operation)):
                yield f"{place}.inputs[{index}]", operation, field

    @cached_property
    def by_name(self) -> Mapping[str, Operation]:
        """The operations by name; for equal names the first."""
        return {operation.name: operation for operation in reversed(self.operations)}


def _size_faults(checked: _Set) -> Iterator[Fault]:
    count = len(checked.operations)
    if count > OPERATIONS_MAX:
        yield Fault(checked.where, count, f"must be at most {OPERATIONS_MAX:,} operations")
    fields = sum(len(inputs_of(operation)) + len(outputs_of(operation)) for operation in checked.operations)
    if fields > FIELDS_MAX:
        yield Fault(checked.where, fields, f"must have at most {FIELDS_MAX:,} inputs and outputs in all")


def _extent_faults(checked: _Set) -> Iterator[Fault]:
    operations = OperationSet(checked.operations)
    if operations.pair_count > PAIRS_MAX:
        yield Fault(checked.where, operations.pair_count, f"must relate at most {PAIRS_MAX:,} pairs of fields")
    if operations.source_count > SOURCES_MAX:
        rule = f"must make fields of at most {SOURCES_MAX:,} others in all, where they are not made of the same ones"
        yield Fault(checked.where, operations.source_count, rule)
    if operations.pair_count <= PAIRS_MAX and operations.source_name_bytes > SOURCE_NAME_BYTES_MAX:
        rule = (
            f"must make datasets of others whose names have at most {SOURCE_NAME_BYTES_MAX:,} bytes, each pair counted"
        )
        yield Fault(checked.where, operations.source_name_bytes, rule)


def _repeated_names(checked: _Set) -> Iterator[Fault]:
    seen: set[str] = set()
    for place, operation in checked.placed:
        if operation.name in seen:
            yield Fault(f"{place}.name", operation.name, "must be unique among the operations")
        seen.add(operation.name)


def _missing_ends(checked: _Set) -> Iterator[Fault]:
    for kind, name in ((Read, "READ"), (Write, "WRITE")):
        if not any(isinstance(operation, kind) for operation in checked.operations):
            yield Fault(checked.where, None, f"must hold at least one operation of type {name}", missing=True)


def _bad_names(checked: _Set) -> Iterator[Fault]:
    for place, operation in checked.placed:
        yield from _name_faults(f"{place}.name", operation.name)
        for index, name in enumerate(outputs_of(operation)):
            yield from _name_faults(f"{place}.outputs[{index}]", name)
        if isinstance(operation, Read):
            yield from _endpoint_faults(f"{place}.source", operation.source)
        if isinstance(operation, Write):
            yield from _endpoint_faults(f"{place}.destination", operation.destination)
    for place, _, field in checked.placed_inputs:
        yield from _name_faults(f"{place}.name", field.name)


def _name_faults(place: str, name: str) -> Iterator[Fault]:
    if not name.strip():
        yield Fault(place, name, "must not be blank")
    elif len(name.encode(errors="replace")) > NAME_MAX_BYTES:
        yield Fault(place, name, f"must have at most {NAME_MAX_BYTES:,} bytes")


def _endpoint_faults(place: str, endpoint: DatasetId) -> Iterator[Fault]:
    yield from _name_faults(f"{place}.name", endpoint.name)
    if not endpoint.namespace.strip():
        yield Fault(f"{place}.namespace", endpoint.namespace, "must not be blank")
    elif _CONTROL.search(endpoint.namespace):
        yield Fault(f"{place}.namespace", endpoint.namespace, "must not hold control characters")
    elif len(endpoint.namespace) > NAMESPACE_MAX_CHARS:
        rule = f"must have at most {NAMESPACE_MAX_CHARS:,} characters"
        yield Fault(f"{place}.namespace", endpoint.namespace, rule)


def _bad_origins(checked: _Set) -> Iterator[Fault]:
    for place, operation, field in checked.placed_inputs:
        origin = checked.by_name.get(field.origin)
        if origin is None:
            yield Fault(f"{place}.origin", field.origin, "must be the name of an operation")
        elif isinstance(origin, Write):
            yield Fault(f"{place}.origin", field.origin, "must not be a write, which emits nothing")
        elif field.origin == operation.name:
            yield Fault(f"{place}.origin", field.origin, "must not be the operation itself")


def _cycles(checked: _Set) -> Iterator[Fault]:
    graph = {
        name: {field.origin for field in operation.inputs if field.origin != name}
        for name, operation in checked.by_name.items()
        if isinstance(operation, Transform)
    }
    for _ in range(_CYCLES_LISTED):
        cycle = _find_cycle(graph)
        if not cycle:
            return
        yield Fault(checked.where, " -> ".join(cycle), "must not depend on each other in a cycle")
        for name in cycle[1:]:
            del graph[name]


def _find_cycle(graph: Mapping[str, set[str]]) -> list[str]:
    """Find the names on a cycle, each derived from the name before, from the smallest to itself; else nothing."""
    # Sets have no lasting order: the next process gets a new order.
    sorter = TopologicalSorter({name: sorted(origins) for name, origins in graph.items()})
    try:
        sorter.prepare()
    except CycleError as error:
        cycle: list[str] = error.args[1][:-1]
        first = cycle.index(min(cycle))
        return [*cycle[first:], *cycle[: first + 1]]
    return []


_RULES: tuple[Callable[[_Set], Iterator[Fault]], ...] = (
    _repeated_names,
    _missing_ends,
    _bad_names,
    _bad_origins,
    _cycles,
)


def _warn_of_missing(checked: _Set) -> Iterator[str]:
    emitted = {operation.name: frozenset(outputs_of(operation)) for operation in checked.operations}
    for place, _, field in checked.placed_inputs:
        if field.name not in emitted[field.origin]:
            yield f"{place}.name: the operation {field.origin!r} does not emit {field.name!r}"
