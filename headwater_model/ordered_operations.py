"""Operations in their order, as programs emit them (CDAP's field-lineage API design): without origins.

An operation names its input fields; each comes from the latest earlier operation with this output. Names of operations
may repeat. A field's name is a path (`field_paths`). A struct without an emission of its own means all its emitted
fields. A field of a whole struct means the struct; a read of a struct reads its fields, too. The written schema is a
step of its own (`WriteStep`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from headwater_model.errors import Fault, Invalid
from headwater_model.field_paths import parse_slashed
from headwater_model.ids import DatasetId, FieldPath
from headwater_model.operations import InputField, Operation, Read, Transform, Write

Types: TypeAlias = tuple[tuple[str, str], ...]
# The most fields in a warning.
NAMES_SHOWN = 20


@dataclass(frozen=True, slots=True)
class OrderedOperation:
    """An operation on fields, or on whole `sources`; without outputs it drops the inputs.

    `types` are pairs (name, type) of outputs, `source_descriptions` pairs (source, description). A `stage` is put
    before the name: `<stage>.<name>`.
    """

    name: str
    description: str | None = None
    sources: tuple[DatasetId, ...] = ()
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    types: Types = ()
    stage: str | None = None
    source_descriptions: tuple[tuple[DatasetId, str], ...] = ()


@dataclass(frozen=True, slots=True)
class WriteStep:
    """A write of fields, as emitted by earlier steps, to a destination: the written schema.

    If `fields` is None they are guessed: all fields without a later use. The guess misses inputs
    that are written nevertheless (the API design's `name`, from which `id` is generated), and holds fields that were
    read and not written.
    """

    destination: DatasetId
    fields: tuple[str, ...] | None = None
    types: Types = ()
    name: str = "write"
    stage: str | None = None
    destination_description: str | None = None


# Operations with named origins may stand among the ordered steps: they take and emit the same fields.
Step: TypeAlias = OrderedOperation | WriteStep | Operation


@dataclass(frozen=True, slots=True)
class Translated:
    """Operations with their origins; `warnings` name guessed fields, and unknown fields, which are left out."""

    operations: tuple[Operation, ...]
    warnings: tuple[str, ...] = ()


def translate(steps: Sequence[Step], *, taken: Iterable[str] = (), where: str = "operations") -> Translated:
    """Translate the steps, each under a unique name: the second `drop` becomes `drop#2`.

    `taken` are names already in use; an operation with named origins is renamed with its origins.

    Raises:
        Invalid: fields without an earlier emission, writes of no field, and equal names of operations with named
            origins. A fault is named from `where` on: `operations[2].inputs[0]`, or `operations.Clean.drop.inputs[0]`
            in a stage.
    """
    translation = _Translation(steps, set(taken), where)
    for place, (step, name) in enumerate(zip(steps, translation.names, strict=True)):
        stage = None if isinstance(step, (Read, Transform, Write)) else step.stage
        translation.add(step, name, f"{where}.{stage}.{step.name}" if stage else f"{where}[{place}]")
    if translation.faults:
        raise Invalid(translation.faults)
    return Translated(translation.with_types(), tuple(translation.warnings))


class UniqueNames:
    """A giver of unused names."""

    def __init__(self, taken: set[str]) -> None:
        self._taken = taken
        self._counts: dict[str, int] = {}

    def unique(self, name: str) -> str:
        """Choose the name, or the first free name of `name#2`, `name#3`, ..."""
        count = self._counts.get(name, 0) + 1
        while (numbered := name if count == 1 else f"{name}#{count}") in self._taken:
            count += 1
        self._counts[name] = count
        self._taken.add(numbered)
        return numbered


class _Translation:
    """The operations of the steps so far, and the operation that emitted each field."""

    def __init__(self, steps: Sequence[Step], taken: set[str], where: str) -> None:
        self.faults: list[Fault] = []
        self.warnings: list[str] = []
        self._free = UniqueNames(taken)
        self._fields = _Fields()
        self._operations: list[Operation] = []
        self._types: dict[InputField, str] = {}
        self._origins: dict[str, str] = {}
        # Fields of structs by read.
        self._inner: dict[str, list[str]] = {}
        self.names = [self._choose_name(step, f"{where}[{place}].name") for place, step in enumerate(steps)]

    def _choose_name(self, step: Step, place: str) -> str:
        """Choose the step's name in the set; all names are chosen first, as a step may name a later origin."""
        if isinstance(step, (OrderedOperation, WriteStep)):
            return self._free.unique(f"{step.stage}.{step.name}" if step.stage else step.name)
        if step.name in self._origins:
            self.faults.append(Fault(place, step.name, "must be unique among the operations that name their origins"))
        self._origins[step.name] = self._free.unique(step.name)
        return self._origins[step.name]

    def add(self, step: Step, name: str, place: str) -> None:
        """Translate one step."""
        if isinstance(step, OrderedOperation):
            self._add_ordered(step, name, place)
        elif isinstance(step, WriteStep):
            self._add_written(step, name)
        else:
            self._add_operation(step, name)

    def with_types(self) -> tuple[Operation, ...]:
        """List the operations, with the types of the written schema on their outputs."""
        return tuple(map(self._add_types, self._operations))

    def _add_types(self, operation: Operation) -> Operation:
        if isinstance(operation, Write):
            return operation
        if isinstance(operation, Read):
            operation = replace(operation, outputs=(*operation.outputs, *self._inner[operation.name]))
        given = dict(operation.types)
        known = {name: self._types.get(InputField(operation.name, name), "") for name in operation.outputs}
        types = {name: given.get(name) or known[name] for name in operation.outputs if given.get(name) or known[name]}
        return replace(operation, types=tuple(types.items()))

    def _add_operation(self, operation: Operation, name: str) -> None:
        operation = replace(operation, name=name)
        if not isinstance(operation, Read):
            inputs = (
                replace(field, origin=self._origins.get(field.origin, field.origin)) for field in operation.inputs
            )
            operation = replace(operation, inputs=tuple(inputs))
            self._fields.use(field.name for field in operation.inputs)
        if not isinstance(operation, Write):
            self._fields.emit(operation.outputs, (name,))
        self._append(operation)

    def _add_ordered(self, step: OrderedOperation, name: str, place: str) -> None:
        outputs = tuple(dict.fromkeys(step.outputs))
        if not (step.sources or step.inputs or outputs):
            self.faults.append(Fault(place, step.name, "must take or emit something"))
        inputs: list[InputField] = []
        for number, field in enumerate(step.inputs):
            emissions = self._find(field)
            if not emissions:
                self.faults.append(Fault(f"{place}.inputs[{number}]", field, "must be emitted by an earlier operation"))
            inputs += emissions
        if step.sources and not step.inputs:
            self._fields.emit(outputs, self._add_reads(step, name, outputs, name))
            return
        reads = self._add_reads(step, f"{name}.read", outputs, None)
        inputs = [*(InputField(read, output) for read in reads for output in outputs), *inputs]
        self._append(Transform(name, tuple(dict.fromkeys(inputs)), outputs, step.description, step.types))
        self._fields.use(step.inputs)
        self._fields.emit(outputs, (name,))

    def _add_reads(
        self, step: OrderedOperation, base: str, outputs: tuple[str, ...], first: str | None
    ) -> tuple[str, ...]:
        """Add a read of each source and return their names; `first` is the chosen name of the first read."""
        names = [first if first and not place else self._free.unique(base) for place in range(len(step.sources))]
        described = dict(step.source_descriptions)
        for name, source in zip(names, step.sources, strict=True):
            self._append(Read(name, source, outputs, step.description, step.types, described.get(source)))
        return tuple(names)

    def _append(self, operation: Operation) -> None:
        self._operations.append(operation)
        if isinstance(operation, Read):
            self._inner[operation.name] = []

    def _find(self, name: str) -> Sequence[InputField]:
        """Find the latest emission of a field; a field in a read struct is added to the read."""
        emissions = self._fields.find(name)
        origins = tuple(emission.origin for emission in emissions)
        if (
            emissions
            and len(parse_slashed(name)) > len(parse_slashed(emissions[0].name))
            and self._inner.keys() >= set(origins)
        ):
            for origin in origins:
                self._inner[origin].append(name)
            self._fields.emit([name], origins)
            return self._fields.find(name)
        return emissions

    def _add_written(self, step: WriteStep, name: str) -> None:
        names = self._fields.left() if step.fields is None else step.fields
        emissions = {field: self._fields.find_whole(field) for field in names}
        inputs = tuple(dict.fromkeys(origin for origins in emissions.values() for origin in origins))
        if not inputs:
            rule = "must hold a field that an operation emits"
            self.faults.append(Fault("fields", None if step.fields is None else list(step.fields), rule))
        elif step.fields is None:
            rule = "give them as `fields`, for they are guessed"
            self.warnings.append(f"fields written to {step.destination.name}: {rule}: {_shorten(names)}")
        if unknown := [field for field in names if not emissions[field]]:
            shown = _shorten(unknown)
            self.warnings.append(f"no operation emits these fields written to {step.destination.name}: {shown}")
        types = dict(step.types)
        self._types.update((field, types[field.name]) for field in inputs if field.name in types)
        self._append(Write(name, inputs, step.destination, destination_description=step.destination_description))


def _shorten(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
    return ", ".join(names[:NAMES_SHOWN]) + more


class _Fields:
    """The operations that last emitted each field, and the fields used since."""

    def __init__(self) -> None:
        self._origins: dict[str, tuple[InputField, ...]] = {}
        self._within: dict[str, dict[FieldPath, str]] = {}  # by the first name of their paths
        self._used: set[str] = set()

    def emit(self, names: Sequence[str], origins: tuple[str, ...]) -> None:
        """Note the emission of fields by operations; a field of several sources has several reads."""
        # A field emitted again is a new field at the end; its inner fields are gone.
        for name in names:
            self._origins.pop(name, None)
            for path in self._inside(parse_slashed(name)):
                self._origins.pop(self._within[path[0]].pop(path), None)
        for name in names:
            path = parse_slashed(name)
            self._origins[name] = tuple(InputField(origin, name) for origin in origins)
            self._within.setdefault(path[0], {})[path] = name
            self._used.discard(name)

    def use(self, names: Iterable[str]) -> None:
        """Note the fields as inputs of an operation."""
        self._used.update(names)

    def left(self) -> list[str]:
        """List the fields without a use since their emission."""
        return [name for name in self._origins if name not in self._used]

    def find(self, name: str) -> Sequence[InputField]:
        """Find the field's latest emission; else the fields in it; else the struct around it; else nothing."""
        if name in self._origins:
            return self._origins[name]
        path = parse_slashed(name)
        above = (path[:length] for length in range(len(path) - 1, 0, -1))
        known = self._within.get(path[0], {})
        nearest = next((known[outer] for outer in above if outer in known), None)
        return self._find_inside(path) or (() if nearest is None else self._origins[nearest])

    def find_whole(self, name: str) -> Sequence[InputField]:
        """Find the field's latest emission, with the fields in it."""
        return (*self.find(name), *(self._find_inside(parse_slashed(name)) if name in self._origins else ()))

    def _find_inside(self, path: FieldPath) -> list[InputField]:
        """List the emissions of fields inside a path."""
        known = self._within.get(path[0], {})
        return [origin for inner in self._inside(path) for origin in self._origins[known[inner]]]

    def _inside(self, path: FieldPath) -> list[FieldPath]:
        """List the known paths inside a path."""
        known = self._within.get(path[0], {})
        return [other for other in known if len(other) > len(path) and other[: len(path)] == path]
