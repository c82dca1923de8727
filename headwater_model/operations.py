"""Operations on fields, as CDAP defines them, and their JSON.

A run reads fields from endpoints, transforms them and writes them to endpoints. The JSON is CDAP's: in events and in
the graph table, with a checksum.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from headwater_model.ids import DatasetId
from headwater_model.json_checks import JsonValue, read_json


@dataclass(frozen=True, order=True, slots=True)
class InputField:
    """An input of an operation: the operation that emitted the field, and the field's name."""

    origin: str
    name: str


@dataclass(frozen=True, slots=True)
class Read:
    """Fields read from an endpoint; `types` are pairs (name, type) of outputs with a type.

    A description of the endpoint is for people: it is no part of the endpoint's identity.
    """

    name: str
    source: DatasetId
    outputs: tuple[str, ...]
    description: str | None = None
    types: tuple[tuple[str, str], ...] = ()
    source_description: str | None = None


@dataclass(frozen=True, slots=True)
class Transform:
    """Fields made of fields, every output of all inputs; without outputs it drops them, without inputs it generates."""

    name: str
    inputs: tuple[InputField, ...]
    outputs: tuple[str, ...]
    description: str | None = None
    types: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Write:
    """Fields written to an endpoint, under their own names."""

    name: str
    inputs: tuple[InputField, ...]
    destination: DatasetId
    description: str | None = None
    destination_description: str | None = None


Operation: TypeAlias = Read | Transform | Write


def inputs_of(operation: Operation) -> tuple[InputField, ...]:
    """List the inputs of an operation, such as `InputField("read", "name")`; a read has none."""
    return () if isinstance(operation, Read) else operation.inputs


def outputs_of(operation: Operation) -> tuple[str, ...]:
    """List the outputs of an operation, such as `("first_name", "last_name")`; a write has none."""
    return () if isinstance(operation, Write) else operation.outputs


def parse_operations(forms: object, where: str = "operations") -> tuple[Operation, ...]:
    """Parse a JSON list of operations, in its order; `operation_checks` has the rules for the whole set.

    Raises:
        Invalid: with every missing value and wrong type, named from `where` on
            (`operations[3].inputs[0].origin`).
    """
    return read_json(forms, where, lambda value: tuple(map(_operation, value.items())))


def parse_operation(form: object, where: str) -> Operation:
    """Read the operation of a JSON object, as in `parse_operations`."""
    return read_json(form, where, _operation)


def render_operations(operations: Iterable[Operation]) -> list[dict[str, Any]]:
    """Render the operations as JSON, `[{"type": "READ", "name": "read", ...}]`; parsing it gives equal operations."""
    return [_render(operation) for operation in operations]


def _render(operation: Operation) -> dict[str, Any]:
    described = {} if operation.description is None else {"description": operation.description}
    head = {"name": operation.name, **described}
    if isinstance(operation, Read):
        source = _endpoint(operation.source, operation.source_description)
        return {"type": "READ", **head, "source": source, "outputs": _outputs(operation)}
    if isinstance(operation, Write):
        inputs = _inputs(operation)
        destination = _endpoint(operation.destination, operation.destination_description)
        return {"type": "WRITE", **head, "inputs": inputs, "destination": destination}
    return {"type": "TRANSFORM", **head, "inputs": _inputs(operation), "outputs": _outputs(operation)}


def _endpoint(dataset: DatasetId, description: str | None) -> dict[str, str]:
    described = {} if description is None else {"description": description}
    return {"namespace": dataset.namespace, "name": dataset.name, **described}


def _inputs(operation: Transform | Write) -> list[dict[str, str]]:
    return [{"origin": taken.origin, "name": taken.name} for taken in operation.inputs]


def _outputs(operation: Read | Transform) -> list[str | dict[str, str]]:
    types = dict(operation.types)
    return [{"name": name, "type": types[name]} if name in types else name for name in operation.outputs]


_NOTHING = Transform("", (), ())


def _operation(form: JsonValue) -> Operation:
    if not form.is_object():
        return _NOTHING
    kind = form.member("type")
    if kind.text() in _PARSERS:
        return _PARSERS[kind.value](form, form.member("name").text(), _description(form))
    if isinstance(kind.value, str):
        kind.fault("must be READ, TRANSFORM or WRITE")
    return _NOTHING


def _read(form: JsonValue, name: str, description: str | None) -> Read:
    outputs, types = _parse_outputs(form)
    source = form.member("source")
    return Read(name, _dataset(source), outputs, description, types, _description(source))


def _transform(form: JsonValue, name: str, description: str | None) -> Transform:
    inputs = tuple(map(_input, form.member("inputs").items()))
    outputs, types = _parse_outputs(form)
    return Transform(name, inputs, outputs, description, types)


def _write(form: JsonValue, name: str, description: str | None) -> Write:
    inputs, destination = tuple(map(_input, form.member("inputs").items())), form.member("destination")
    return Write(name, inputs, _dataset(destination), description, _description(destination))


_PARSERS: Mapping[str, Callable[[JsonValue, str, str | None], Operation]] = {
    "READ": _read,
    "TRANSFORM": _transform,
    "WRITE": _write,
}


def _dataset(form: JsonValue) -> DatasetId:
    if form.value is None:
        form.text()
    elif form.is_object():
        return DatasetId(form.member("namespace").text(), form.member("name").text())
    return DatasetId("", "")


def _description(form: JsonValue) -> str | None:
    return form.member("description").text_or_none()


def _input(form: JsonValue) -> InputField:
    return InputField(form.member("origin").text(), form.member("name").text()) if form.is_object() else _NO_INPUT


_NO_INPUT = InputField("", "")


def _parse_outputs(form: JsonValue) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    pairs = list(map(_output, form.member("outputs").items()))
    types = {name: kind for name, kind in pairs if kind is not None}
    return tuple(name for name, _ in pairs), tuple(types.items())


def _output(form: JsonValue) -> tuple[str, str | None]:
    if isinstance(form.value, str):
        return form.value, None
    if isinstance(form.value, Mapping):
        return form.member("name").text(), form.member("type").text_or_none()
    form.fault("must be a name, or a JSON object with a name and a type")
    return "", None
