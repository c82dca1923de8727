"""A field's way through the operations of one set: up from where it was written, or down from where it was read.

A walk goes from field to field, not from operation to operation: a field that an operation took or emitted beside the
way is not on it. The nearest come first, and a walk that becomes too large ends there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from lineage.fields.column_index import RelatedPaths
from lineage.fields.columns import Column
from lineage.fields.operation_set import OperationSet
from lineage.fields.operations import InputField, Operation, Read, Transform, Write
from lineage.fields.paths import parse_slashed

# One operation of 1,500 fields to 1,500 others connects 2,250,000 pairs; CDAP's answers had no bound.
CONNECTIONS_MAX = 10_000


@dataclass(frozen=True, slots=True)
class Link:
    """That an operation made a field of another."""

    origin: InputField
    destination: InputField
    operation: str


@dataclass(slots=True)
class Walk:
    """What was met: fields, operations, links between fields, and the writes of fields that were written."""

    fields: dict[InputField, None] = field(default_factory=dict)
    operations: dict[str, None] = field(default_factory=dict)
    links: dict[Link, None] = field(default_factory=dict)
    written: dict[InputField, dict[str, Write]] = field(default_factory=dict)
    truncated: bool = False

    def write(self, one: InputField, write: Write) -> None:
        """Meet a write of a field."""
        self.operations[write.name] = None
        self.written.setdefault(one, {})[write.name] = write


def walk_backward(operations: OperationSet, column: Column, walk: Walk) -> None:
    """Add to a walk all that made a destination's field, or those that are related to it."""
    start = operations.written_as(column)
    for one in start:
        for write in operations.takers[one]:
            if isinstance(write, Write) and write.destination == column.dataset:
                walk.write(one, write)

    def made_of(one: InputField) -> Iterator[Link]:
        origin = operations.by_name[one.origin]
        walk.operations[origin.name] = None
        if isinstance(origin, Transform):
            yield from (Link(taken, one, origin.name) for taken in origin.inputs)

    _follow(walk, start, made_of, lambda link: link.origin)


def walk_forward(operations: OperationSet, column: Column, walk: Walk) -> None:
    """Add to a walk all that was made of a source's field, or those that are related; its read, even if nothing was."""

    def went_into(one: InputField) -> Iterator[Link]:
        for taker in operations.takers.get(one, ()):
            if isinstance(taker, Write):
                walk.write(one, taker)
            else:
                yield from _made(one, taker)

    def _made(one: InputField, taker: Operation) -> Iterator[Link]:
        walk.operations[taker.name] = None
        if isinstance(taker, Transform):
            made = operations.emitted[taker.name]
            yield from (Link(one, InputField(taker.name, name), taker.name) for name in made)

    start = tuple(_fields_read(operations, column))
    walk.operations.update((one.origin, None) for one in start)
    _follow(walk, start, went_into, lambda link: link.destination)


def _fields_read(operations: OperationSet, column: Column) -> Iterator[InputField]:
    for read in operations.reads:
        if read.source == column.dataset:
            names = [(parse_slashed(name), name) for name in operations.emitted[read.name]]
            related = set(RelatedPaths({path for path, _ in names}).overlapping(column.field))
            yield from (InputField(read.name, name) for path, name in names if path in related)


def _follow(
    walk: Walk,
    start: Iterable[InputField],
    links: Callable[[InputField], Iterable[Link]],
    end: Callable[[Link], InputField],
) -> None:
    """Add the fields at the end of links from `start` on, each once, nearest first, and the links."""
    seen = dict.fromkeys(start)
    walk.fields.update(seen)
    queue = deque(seen)
    while queue:
        for link in links(queue.popleft()):
            if len(walk.links) >= CONNECTIONS_MAX:
                walk.truncated = True
                return
            walk.links[link] = None
            if end(link) not in seen:
                seen[end(link)] = None
                walk.fields[end(link)] = None
                queue.append(end(link))


def source_of(operations: OperationSet, one: InputField) -> Read | None:
    """The read that emitted the field, if one did."""
    origin = operations.by_name[one.origin]
    return origin if isinstance(origin, Read) else None
