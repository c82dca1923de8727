"""CDAP's operation detail of a field: the fields on its path as nodes, the operations, and their connections.

Operations of several sets are shown together; their names are unique in their own set only. So a node is
`<origin>.<field>` where all sets on the path agree about the operation `origin`, else `<checksum>:<origin>.<field>`,
with the first eight characters of the smallest checksum of such a set. Outputs off the path do not count.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from headwater.queries.results.columns import Connection, Detail, DetailNode, DetailOperation
from headwater.queries.results.graphs import Direction
from headwater_model.columns import Column
from headwater_model.field_paths import RelatedPaths, parse_slashed
from headwater_model.ids import DatasetId, FieldPath
from headwater_model.operation_set import OperationSet
from headwater_model.operations import InputField, Operation, Read, Transform, Write

# An operation from 1,500 fields to 1,500 fields connects 2,250,000 pairs; CDAP's responses had no bound.
CONNECTIONS_MAX = 10_000


@dataclass(frozen=True, slots=True)
class Link:
    """An edge: an operation derived the destination from the origin."""

    origin: InputField
    destination: InputField
    operation: str


@dataclass(slots=True)
class OperationWalk:
    """Fields, operations, and links reached by a walk, and the writes of written fields."""

    fields: dict[InputField, None] = field(default_factory=dict)
    operations: dict[str, None] = field(default_factory=dict)
    links: dict[Link, None] = field(default_factory=dict)
    written: dict[InputField, dict[str, Write]] = field(default_factory=dict)
    truncated: bool = False

    def write(self, input_field: InputField, write: Write) -> None:
        """Add a write of a field."""
        self.operations[write.name] = None
        self.written.setdefault(input_field, {})[write.name] = write


def walk_up(operations: OperationSet, column: Column, walk: OperationWalk) -> None:
    """Add to a walk all operations and fields behind a destination's field, or related fields."""
    start = operations.written_as(column)
    # Begin at the writes of the field to this destination.
    for input_field in start:
        for write in operations.consumers[input_field]:
            if isinstance(write, Write) and write.destination == column.dataset:
                walk.write(input_field, write)

    # Go on from each field to the inputs of its transform; a read has none.
    def made_of(input_field: InputField) -> Iterator[Link]:
        origin = operations.by_name[input_field.origin]
        walk.operations[origin.name] = None
        if isinstance(origin, Transform):
            yield from (Link(taken, input_field, origin.name) for taken in origin.inputs)

    _follow(walk, start, made_of, lambda link: link.origin)


def walk_down(operations: OperationSet, column: Column, walk: OperationWalk) -> None:
    """Add to a walk all operations and fields after a source's field or related fields; its read, too, if alone."""

    def went_into(input_field: InputField) -> Iterator[Link]:
        for taker in operations.consumers.get(input_field, ()):
            if isinstance(taker, Write):
                walk.write(input_field, taker)
            else:
                yield from _made(input_field, taker)

    def _made(input_field: InputField, taker: Operation) -> Iterator[Link]:
        walk.operations[taker.name] = None
        if isinstance(taker, Transform):
            emitted = operations.emitted[taker.name]
            yield from (Link(input_field, InputField(taker.name, name), taker.name) for name in emitted)

    # Begin at the reads of the field: they count even where nothing takes it.
    start = tuple(fields_read(operations, column))
    walk.operations.update((input_field.origin, None) for input_field in start)
    _follow(walk, start, went_into, lambda link: link.destination)


def fields_read(operations: OperationSet, column: Column) -> Iterator[InputField]:
    """Yield the set's read fields of a source: the column, or fields overlapping with it."""
    for read in operations.reads:
        if read.source == column.dataset:
            names = [(parse_slashed(name), name) for name in operations.emitted[read.name]]
            related = set(RelatedPaths({path for path, _ in names}).overlapping(column.field))
            yield from (InputField(read.name, name) for path, name in names if path in related)


def _follow(
    walk: OperationWalk,
    start: Iterable[InputField],
    links: Callable[[InputField], Iterable[Link]],
    end: Callable[[Link], InputField],
) -> None:
    """Add links from `start` on, and the fields at their ends, each once and nearest first."""
    seen = dict.fromkeys(start)
    walk.fields.update(seen)
    queue = deque(seen)
    while queue:
        for link in links(queue.popleft()):
            # A full walk keeps the nearest links.
            if len(walk.links) >= CONNECTIONS_MAX:
                walk.truncated = True
                return
            walk.links[link] = None
            if end(link) not in seen:
                seen[end(link)] = None
                walk.fields[end(link)] = None
                queue.append(end(link))


def source_of(operations: OperationSet, input_field: InputField) -> Read | None:
    """Find the read of the field, if there is one."""
    origin = operations.by_name[input_field.origin]
    return origin if isinstance(origin, Read) else None


_Walked: TypeAlias = tuple[OperationSet, OperationWalk]
_Written: TypeAlias = tuple[OperationSet, Write, str]
_Node: TypeAlias = tuple[str, InputField]

_QUALIFIER_CHARS = 8
_WALKS: Mapping[Direction, tuple[Callable[[OperationSet, Column, OperationWalk], None], ...]] = {
    "up": (walk_up,),
    "down": (walk_down,),
    "both": (walk_up, walk_down),
}


def detail_of(sets: Iterable[OperationSet], endpoint: DatasetId, field: FieldPath, direction: Direction) -> Detail:
    """Draw the paths of an endpoint's field through all sets, in the order of the sets and their execution.

    A read or write is shown on its node: a field that was only read and written is one node with both. A node with
    several destinations shows none: the writes connect it with a node for each. Upwards ends at reads, downwards at
    writes and drops; a field that was only read is a node. After `CONNECTIONS_MAX` connections, no more sets are read.
    """
    walks: list[_Walked] = []
    connections, truncated = 0, False
    # Walk each distinct set, until all walks together have enough connections.
    for operations in dict.fromkeys(sets):
        truncated = connections >= CONNECTIONS_MAX
        if truncated:
            break
        walk = OperationWalk()
        for step in _WALKS[direction]:
            step(operations, Column(endpoint, field), walk)
        walks.append((operations, walk))
        connections += len(walk.links)
    return _detail(walks, truncated=truncated or any(walk.truncated for _, walk in walks))


def _detail(walks: Sequence[_Walked], *, truncated: bool) -> Detail:
    names = _NodeIds(walks)
    nodes: dict[str, DetailNode] = {}
    connections: dict[Connection, None] = {}
    written: dict[str, dict[DatasetId, _Written]] = {}
    for operations, walk in walks:
        order = _Order(operations)
        # Every field is a node, which sets may share; keep its writes for the end.
        for input_field in sorted(walk.fields, key=order.of):
            id_, read = names.of(operations, input_field), source_of(operations, input_field)
            nodes.setdefault(id_, _node(id_, input_field.name, read, operations.types.get(input_field)))
            for write in walk.written.get(input_field, {}).values():
                written.setdefault(id_, {}).setdefault(write.destination, (operations, write, input_field.name))
        # Connect the nodes in the order of execution.
        for link in sorted(walk.links, key=order.of_link):
            ends = names.of(operations, link.origin), names.of(operations, link.destination)
            connections[Connection(*ends, link.operation)] = None
    # Only all sets together say whether a node has one destination or several.
    for id_, writes in written.items():
        _end(id_, writes, names, nodes, connections)
    return Detail(tuple(nodes.values()), _operations(walks), tuple(connections), truncated)


def _end(
    id_: str,
    writes: Mapping[DatasetId, _Written],
    names: _NodeIds,
    nodes: dict[str, DetailNode],
    connections: dict[Connection, None],
) -> None:
    """Show the destination of a node on the node, or several destinations on a node for each."""
    if len(writes) == 1:
        ((_, write, _),) = writes.values()
        nodes[id_] = _written_to(nodes[id_], write)
        return
    for operations, write, name in writes.values():
        end = names.of(operations, InputField(write.name, name))
        nodes[end] = _written_to(DetailNode(end, name, type=nodes[id_].type), write)
        connections[Connection(id_, end, write.name)] = None


def _node(id_: str, name: str, read: Read | None, kind: str | None) -> DetailNode:
    if read is None:
        return DetailNode(id_, name, type=kind)
    return DetailNode(id_, name, source=read.source, source_description=read.source_description, type=kind)


def _written_to(node: DetailNode, write: Write) -> DetailNode:
    return replace(node, destination=write.destination, destination_description=write.destination_description)


def _operations(walks: Sequence[_Walked]) -> tuple[DetailOperation, ...]:
    met = (
        operation
        for operations, walk in walks
        for operation in operations.operations
        if operation.name in walk.operations
    )
    return tuple(dict.fromkeys(DetailOperation(operation.name, operation.description) for operation in met))


class _Order:
    """The order of fields and links in their set: by execution, then by name."""

    def __init__(self, operations: OperationSet) -> None:
        self._positions = {operation.name: position for position, operation in enumerate(operations.operations)}

    def of(self, input_field: InputField) -> tuple[int, str]:
        return self._positions[input_field.origin], input_field.name

    def of_link(self, link: Link) -> tuple[int, tuple[int, str], tuple[int, str]]:
        return self._positions[link.operation], self.of(link.origin), self.of(link.destination)


class _NodeIds:
    """Ids of nodes: each name with the checksum of its set, where sets disagree about its operation."""

    def __init__(self, walks: Sequence[_Walked]) -> None:
        self._taken: dict[str, _Node] = {}
        # Collect the meanings of each operation's name, each with the smallest checksum of its sets.
        meant: dict[str, dict[Hashable, str]] = {}
        for operations, walk in walks:
            for name in {*walk.operations, *(input_field.origin for input_field in walk.fields)}:
                checksums = meant.setdefault(name, {})
                meaning = _meaning(operations.by_name[name])
                checksums[meaning] = min(operations.checksum, checksums.get(meaning, operations.checksum))
        # Where sets disagree about a name, the ids of their nodes begin with this checksum.
        self._qualifiers = {
            (operations.checksum, name): f"{meant[name][_meaning(operations.by_name[name])][:_QUALIFIER_CHARS]}:"
            for operations, walk in walks
            for name in {*walk.operations, *(input_field.origin for input_field in walk.fields)}
            if len(meant[name]) > 1
        }

    def of(self, operations: OperationSet, input_field: InputField) -> str:
        """Make the node id of a field emitted (or written) by an operation of the set."""
        node = (self._qualifiers.get((operations.checksum, input_field.origin), ""), input_field)
        id_ = plain = f"{node[0]}{input_field.origin}.{input_field.name}"
        more = 2
        # Dots may stand in the names of both: `a.b` emitted `c`, and `a` emitted `b.c`.
        while self._taken.setdefault(id_, node) != node:
            id_, more = f"{plain}#{more}", more + 1
        return id_


def _meaning(operation: Operation) -> Hashable:
    """Hash the part of an operation that a node shows: all but its other outputs (for a write: inputs)."""
    if isinstance(operation, Read):
        return "READ", operation.description, operation.source
    if isinstance(operation, Write):
        return "WRITE", operation.description, operation.destination
    return "TRANSFORM", operation.description, operation.inputs
