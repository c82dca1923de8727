"""Fields of operations, folded by the rules of names for their endpoints.

A field of a read belongs to the source, a field of a write to the destination; a field between operations has a name of
its own. A write cannot rename fields. So a transform is put before a write whose destination folds a field differently:

    write(nav) to a dataset in upper case -> transform(nav -> NAV), write(NAV)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from headwater.events.field_folds import FieldFold
from headwater_model.ids import DatasetId
from headwater_model.operations import InputField, Operation, Read, Transform, Write, inputs_of

_FoldOf = Callable[[DatasetId], "FieldFold | None"]


def fold_operations(operations: Sequence[Operation], fold_of: _FoldOf) -> tuple[Operation, ...]:
    """Fold the fields of checked operations.

    >>> read = Read("read", DatasetId("s3://lake", "legs"), ('"nav"',))
    >>> write = Write("write", (InputField("read", '"nav"'),), DatasetId("snowflake://a", "D.S.T"))
    >>> fold = FieldFold(quotes=True)
    >>> [operation.name for operation in fold_operations([read, write], {write.destination: fold}.get)]
    ['read', 'write: nav', 'write']
    """
    endpoints = {_endpoint(operation) for operation in operations} - {None}
    if not any(fold_of(endpoint) for endpoint in endpoints if endpoint):
        return tuple(operations)
    names = _names(operations, fold_of)
    named = [_renamed(operation, names) for operation in operations]
    taken = {operation.name for operation in named}
    return tuple(each for operation in named for each in _spelled(operation, fold_of, taken))


def _endpoint(operation: Operation) -> DatasetId | None:
    if isinstance(operation, Transform):
        return None
    return operation.source if isinstance(operation, Read) else operation.destination


def _names(operations: Sequence[Operation], fold_of: _FoldOf) -> Mapping[InputField, str]:
    """Map fields to folded names: by the source for a read's fields, by the first destination for a transform's."""
    names: dict[InputField, str] = {}
    reads = [operation for operation in operations if isinstance(operation, Read)]
    for read in reads:
        if fold := fold_of(read.source):
            taken = {field.name for other in operations for field in inputs_of(other) if field.origin == read.name}
            names |= {InputField(read.name, name): fold.slashed(name) for name in taken.union(read.outputs)}
    read_names = {read.name for read in reads}
    for write in sorted((each for each in operations if isinstance(each, Write)), key=lambda each: each.name):
        if fold := fold_of(write.destination):
            computed = (field for field in write.inputs if field.origin not in read_names)
            names = {**{field: fold.slashed(field.name) for field in computed}, **names}
    return names


def _renamed(operation: Operation, names: Mapping[InputField, str]) -> Operation:
    """Rename the fields of an operation; fields with equal new names become a single field."""
    taken = (InputField(field.origin, names.get(field, field.name)) for field in inputs_of(operation))
    inputs = tuple(dict.fromkeys(taken))
    if isinstance(operation, Write):
        return replace(operation, inputs=inputs)

    def name(field: str) -> str:
        return names.get(InputField(operation.name, field), field)

    outputs = tuple(dict.fromkeys(map(name, operation.outputs)))
    types = tuple({name(field): kind for field, kind in operation.types}.items())
    renamed = replace(operation, outputs=outputs, types=types)
    return replace(renamed, inputs=inputs) if isinstance(renamed, Transform) else renamed


def _spelled(operation: Operation, fold_of: _FoldOf, taken: set[str]) -> Iterator[Operation]:
    """Yield an operation; before a write, a transform for each field that its destination folds differently."""
    fold = fold_of(operation.destination) if isinstance(operation, Write) else None
    if fold is None or not isinstance(operation, Write):
        yield operation
        return
    inputs = []
    for field in operation.inputs:
        spelled = fold.slashed(field.name)
        if spelled != field.name:
            name = f"{operation.name}: {spelled}"
            while name in taken:
                name += "'"
            taken.add(name)
            yield Transform(name, (field,), (spelled,))
            field = InputField(name, spelled)
        inputs.append(field)
    yield replace(operation, inputs=tuple(dict.fromkeys(inputs)))
