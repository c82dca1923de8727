"""The source fields of each operation, and the operations between: a single pass in order of execution.

Sets of fields and of operations are the bits of ints: uniting two costs their length / 64, and nothing recurses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from headwater_model.columns import Column
from headwater_model.field_paths import parse_slashed
from headwater_model.operations import InputField, Operation, Read, Transform


@dataclass(frozen=True, slots=True)
class Reach:
    """The source fields that reach a field: untouched (`direct`), or through transforms (`made`).

    Each bit is a column; in `by`, each bit is a transform.
    """

    direct: int = 0
    made: int = 0
    by: int = 0

    def __or__(self, other: Reach) -> Reach:
        """Unite two reaches."""
        return Reach(self.direct | other.direct, self.made | other.made, self.by | other.by)


NOTHING = Reach()


class Reachability:
    """The reach of each field of operations in the order of execution."""

    def __init__(self, operations: Sequence[Operation]) -> None:
        self._operations = operations
        self._columns: list[Column] = []
        self._bits: dict[Column, int] = {}
        self._reads = {read.name: read for read in operations if isinstance(read, Read)}
        self._of_reads = {
            read.name: {name: self._bit_of(Column(read.source, parse_slashed(name))) for name in read.outputs}
            for read in operations
            if isinstance(read, Read)
        }
        self._of_transforms: dict[str, Reach] = {}
        for place, operation in enumerate(operations):
            if isinstance(operation, Transform):
                self._of_transforms[operation.name] = self._of_inputs(operation.inputs, 1 << place)
        self._after = self._follow()

    def of(self, field: InputField) -> Reach:
        """Look up the reach of a field: an operation's output, or known from the inputs of a later operation."""
        transform = self._of_transforms.get(field.origin)
        return Reach(direct=self._bit(field)) if transform is None else transform

    def through(self, operation: Transform) -> Reach:
        """Look up the reach of a transform, equal for all its outputs."""
        return self._of_transforms[operation.name]

    def after(self, column: Column) -> int:
        """Look up the transforms after a source field, as bits."""
        return self._after.get(column, 0)

    def columns(self, bits: int) -> Iterator[Column]:
        """List the source fields of bits."""
        return (self._columns[place] for place in _places(bits))

    def operations(self, bits: int) -> Iterator[Operation]:
        """List the operations of bits, in their order."""
        return (self._operations[place] for place in _places(bits))

    def _follow(self) -> dict[Column, int]:
        of_columns: dict[Column, int] = {}
        of_transforms: dict[str, int] = {}
        for place in reversed(range(len(self._operations))):
            operation = self._operations[place]
            if isinstance(operation, Transform):
                after = of_transforms.pop(operation.name, 0) | 1 << place
                for field in operation.inputs:
                    read = self._reads.get(field.origin)
                    if read is None:
                        of_transforms[field.origin] = of_transforms.get(field.origin, 0) | after
                    else:
                        column = Column(read.source, parse_slashed(field.name))
                        of_columns[column] = of_columns.get(column, 0) | after
        return of_columns

    def _of_inputs(self, inputs: Iterable[InputField], by: int) -> Reach:
        """Unite the reach of a transform's inputs; a transform among their origins counts once."""
        transformed = 0
        origins: dict[str, Reach] = {}
        for field in inputs:
            if field.origin in self._of_transforms:
                origins[field.origin] = self._of_transforms[field.origin]
            else:
                transformed |= self._bit(field)
        for reach in origins.values():
            # The first is used as it is: a chain of operations shares an int.
            transformed, by = (transformed | reach.made if transformed else reach.made), by | reach.by
        return Reach(made=transformed, by=by)

    def _bit(self, field: InputField) -> int:
        """Look up the bit of a field that was read; a field outside the read's outputs gets a bit, too."""
        known = self._of_reads[field.origin]
        if field.name not in known:
            known[field.name] = self._bit_of(Column(self._reads[field.origin].source, parse_slashed(field.name)))
        return known[field.name]

    def _bit_of(self, column: Column) -> int:
        if column not in self._bits:
            self._bits[column] = 1 << len(self._columns)
            self._columns.append(column)
        return self._bits[column]


def _places(bits: int) -> Iterator[int]:
    """Yield the positions of the set bits, from the lowest on."""
    text = f"{bits:b}"[::-1]
    place = text.find("1")
    while place >= 0:
        yield place
        place = text.find("1", place + 1)
