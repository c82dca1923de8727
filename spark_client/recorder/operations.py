"""Operations given to the recorder, read from the fluent builder, the model, or JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from headwater_model.errors import Fault, Invalid
from headwater_model.field_paths import print_slashed
from headwater_model.ids import DatasetId
from headwater_model.json_checks import read_json
from headwater_model.operations import Operation, Read, Transform, Write, parse_operation
from headwater_model.ordered_json import DescribedSource, descriptions_of, parse_ordered, read_fields, types_of
from headwater_model.ordered_operations import OrderedOperation, Step, Types, WriteStep
from spark_client.dataset_names import clean_dataset

# A dataset as (namespace, name) or (namespace, name, description), as `{"namespace", "name", "description"}`, or as the
# model's own.
Dataset: TypeAlias = "DatasetId | tuple[str, str] | tuple[str, str, str] | Mapping[str, object]"
# Types of CDAP's own operations; operations of its first design have none.
_TYPES = frozenset({"READ", "TRANSFORM", "WRITE"})
_PARTS = ("namespace", "name", "description")


class FieldOperation:
    """Operation on fields, given in the job's order; each method returns a new operation.

    >>> FieldOperation("concat").inputs("first_name", "last_name").outputs("name").content
    {'name': 'concat', 'inputs': ['first_name', 'last_name'], 'outputs': ['name']}

    Without `outputs` it drops its inputs. Without `inputs` and sources it generates its outputs. A field in a struct is
    a path with slashes (`employees/name`). The operation is checked when it is recorded.
    """

    def __init__(self, name: str) -> None:
        self.content: Mapping[str, Any] = {"name": name, "inputs": [], "outputs": []}
        self.sources: tuple[Dataset, ...] = ()

    def describe(self, description: str) -> FieldOperation:
        """Set the description, for people; leave out ids and times of a run."""
        return self._with(description=description)

    def reads(self, *sources: Dataset) -> FieldOperation:
        """Add datasets to read, each as (namespace, name), or with a description as the third part."""
        changed = self._with()
        changed.sources = (*self.sources, *sources)
        return changed

    def inputs(self, *fields: str) -> FieldOperation:
        """Add input fields, each as the latest operation before made it."""
        return self._with(inputs=[*self.content["inputs"], *fields])

    def outputs(self, *fields: str, **types: str) -> FieldOperation:
        """Add output fields, each made of all inputs; `age="int"` adds a field with its type."""
        typed = [{"name": name, "type": kind} for name, kind in types.items()]
        return self._with(outputs=[*self.content["outputs"], *fields, *typed])

    def _with(self, **changes: Any) -> FieldOperation:
        changed = FieldOperation(self.content["name"])
        changed.content = {**self.content, **changes}
        changed.sources = self.sources
        return changed


# Operations for `record`: of the builder, of the model, or JSON of either CDAP design.
Given: TypeAlias = "FieldOperation | OrderedOperation | Operation | Mapping[str, object]"


def parse_dataset(given: Dataset, where: str = "dataset") -> DescribedSource:
    """Parse a dataset given in any form, with its description or None.

    Raises:
        Invalid: it is no dataset.
    """
    if isinstance(given, DatasetId):
        return given, None
    parts: object = tuple(map(given.get, _PARTS)) if isinstance(given, Mapping) else given
    if isinstance(parts, (tuple, list)) and len(parts) in (2, 3):
        namespace, name, description = (*parts, None)[:3]
        if isinstance(namespace, str) and isinstance(name, str) and isinstance(description, (str, type(None))):
            return DatasetId(namespace, name), description
    raise Invalid.because(where, given, "must be a dataset, as (namespace, name) or (namespace, name, description)")


def clean_operation(operation: Operation) -> Operation:
    """Clean the name of the dataset that an operation reads or writes (`dataset_names`)."""
    if isinstance(operation, Read):
        return replace(operation, source=clean_dataset(operation.source))
    if isinstance(operation, Write):
        return replace(operation, destination=clean_dataset(operation.destination))
    return operation


def parse_steps(operations: Iterable[Given], stage: str | None = None) -> tuple[Step, ...]:
    """Parse the operations as steps for translation, in their order; a stage's steps carry its name.

    Raises:
        Invalid: with every fault of each.
    """
    if not isinstance(operations, Iterable) or isinstance(operations, (str, bytes, Mapping)):
        raise Invalid.because("operations", operations, "must be an iterable of operations")
    faults: list[Fault] = []
    steps: list[Step] = []
    for index, given in enumerate(operations):
        try:
            steps.append(_parse_step(given, f"operations[{index}]", stage))
        except Invalid as error:
            faults += error.faults
    if faults:
        raise Invalid(faults)
    return tuple(steps)


def _parse_step(given: object, where: str, stage: str | None) -> Step:
    if isinstance(given, (Read, Transform, Write)):
        return given
    if isinstance(given, FieldOperation):
        sources = [parse_dataset(dataset, f"{where}.sources[{index}]") for index, dataset in enumerate(given.sources)]
        step = parse_ordered(given.content, where, stage=stage)
        return replace(
            step, sources=tuple(source for source, _ in sources), source_descriptions=descriptions_of(sources)
        )
    if isinstance(given, OrderedOperation):
        return replace(given, stage=stage or given.stage)
    if isinstance(given, Mapping) and given.get("type") in _TYPES:
        return parse_operation(given, where)
    return parse_ordered(given, where, stage=stage)


def parse_written(destination: Dataset, fields: object = None, *, stage: str | None = None) -> WriteStep:
    """Parse a write of a DataFrame, a schema, or names with or without types; without `fields` they are guessed."""
    dataset, description = parse_dataset(destination, "destination")
    names, types = (None, ()) if fields is None else parse_names(fields)
    return WriteStep(dataset, names, types, "write", stage, description)


def parse_names(fields: object) -> tuple[tuple[str, ...], Types]:
    """Parse field names and their types, if given; reads a DataFrame or StructType without PySpark.

    Raises:
        Invalid: the argument has no fields.
    """
    parsed = _fields_of(fields)
    return tuple(name for name, _ in parsed), types_of(parsed)


def _fields_of(fields: object) -> list[tuple[str, str | None]]:
    schema = getattr(fields, "schema", fields)
    if isinstance(columns := getattr(schema, "fields", None), Sequence):
        return [(print_slashed((column.name,)), column.dataType.simpleString()) for column in columns]
    if (named := getattr(fields, "columns", None)) is not None:
        return [(print_slashed((str(name),)), None) for name in named]
    return read_json(fields, "fields", read_fields)
