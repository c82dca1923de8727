"""S3's paths: the distinct ways in which a field is made, each as operations, as edges from its sources, and in detail.

A way is what made the field and nothing else: sets that differ only in what other fields are made of know the same way.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lineage.fields.columns import Column
from lineage.fields.detail import detail_of
from lineage.fields.found import Connection, DetailNode, FieldPathFound, PathOperation, SimpleEdge
from lineage.fields.operation_forms import render_operations
from lineage.fields.operation_set import OperationSet
from lineage.fields.operations import InputField, Operation, Read
from lineage.fields.reach import NOTHING, inputs_of, outputs_of
from lineage.names import DatasetId, FieldPath

# What S3 prints as the input of a read.
SOURCE = "source"
# Names of operations on the edges of one way: each of 1,000 operations may stand on the edge of each of 1,000 sources.
NAMES_MAX = 100_000


@dataclass(frozen=True, slots=True)
class Way:
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

    def taken_by(self, runs: tuple[str, ...]) -> FieldPathFound:
        """The way as it is answered, with the runs that took it, newest first."""
        return FieldPathFound(
            self.operations,
            self.edges,
            runs,
            self.nodes,
            self.connections,
            self.destination,
            self.destination_description,
        )


def way_of(operations: OperationSet, destination: DatasetId, field: FieldPath) -> Way | None:
    """Return how the set makes a destination's field, or those that are related to it; None if it writes none."""
    written = operations.written_as(Column(destination, field))
    if not written:
        return None
    needed = _needed(operations, written)
    on_the_way = [one for one in operations.operations if one.name in needed]
    edges, more = _edges(operations, written)
    detail = detail_of([operations], destination, field, "backward")
    return Way(
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
