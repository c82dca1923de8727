"""The JSON of operations in their order: of CDAP's first design, and of `fieldMutations` declared beside a job."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from headwater_model.errors import Invalid
from headwater_model.ids import DatasetId
from headwater_model.json_checks import JsonValue, read_json
from headwater_model.ordered_operations import OrderedOperation, Types

DescribedSource: TypeAlias = tuple[DatasetId, "str | None"]
# A field and its type, if given.
TypedField: TypeAlias = tuple[str, "str | None"]
# The input for the operation's own source.
_SOURCE = "source"


def parse_ordered(form: object, where: str, *, stage: str | None = None) -> OrderedOperation:
    """Parse an operation.

    Raises:
        Invalid: with every fault, named from `where` on.
    """
    return read_json(form, where, lambda value: _ordered(value, stage))


def _ordered(form: JsonValue, stage: str | None) -> OrderedOperation:
    if not form.is_object():
        return OrderedOperation("")
    source = form.member(_SOURCE)
    own = None if source.value is None else _described_source(source)
    sources, inputs = _inputs(form.member("inputs"), own)
    outputs = read_fields(form.member("outputs"))
    return OrderedOperation(
        form.member("name").name(),
        form.member("description").text_or_none(),
        tuple(sources),
        inputs,
        tuple(output for output, _ in outputs),
        types_of(outputs),
        stage,
        descriptions_of(sources.items()),
    )


def _inputs(forms: JsonValue, own: DescribedSource | None) -> tuple[Mapping[DatasetId, str | None], tuple[str, ...]]:
    """Parse the inputs: sources with their descriptions, and fields."""
    sources, fields = [] if own is None else [own], []
    for form in forms.items():
        if own is not None and form.value == _SOURCE:
            continue
        if isinstance(form.value, Mapping) and "namespace" in form.value:
            sources.append(_described_source(form))
        else:
            fields.append(_read_field(form)[0])
    # Each source once, with its first description.
    descriptions: dict[DatasetId, str | None] = {}
    for source, description in sources:
        descriptions[source] = description if descriptions.get(source) is None else descriptions[source]
    return descriptions, tuple(fields)


def descriptions_of(sources: Iterable[DescribedSource]) -> tuple[tuple[DatasetId, str], ...]:
    """List the described sources with their descriptions: `[(a, "sales"), (b, None)]` gives `((a, "sales"),)`."""
    return tuple((source, description) for source, description in sources if description is not None)


def _described_source(form: JsonValue) -> DescribedSource:
    if not form.is_object("must be a JSON object with a namespace and a name"):
        return DatasetId("", ""), None
    dataset = DatasetId(form.member("namespace").name(), form.member("name").name())
    return dataset, form.member("description").text_or_none()


def read_fields(forms: JsonValue) -> list[TypedField]:
    """Read a list of names or of `{"name", "type"}`."""
    return list(map(_read_field, forms.items()))


def types_of(fields: Iterable[TypedField]) -> Types:
    """List the fields with a type: `[("id", "int"), ("name", None)]` gives `(("id", "int"),)`."""
    return tuple((name, kind) for name, kind in fields if kind is not None)


def _read_field(form: JsonValue) -> TypedField:
    if isinstance(form.value, Mapping):
        return form.member("name").name(), _type_in(form.member("type").value)
    return form.name(), None


def _type_in(form: object) -> str | None:
    """Read a type's name; a schema becomes JSON text.

    >>> _type_in({"type": "map", "keys": "string", "values": "string"})
    '{"keys":"string","type":"map","values":"string"}'
    """
    if form is None or isinstance(form, str):
        return form
    return json.dumps(form, sort_keys=True, separators=(",", ":"), default=str)


@dataclass(frozen=True, slots=True)
class DeclaredStage:
    """A stage of a pipeline, with its operations if it has any."""

    name: str
    operations: tuple[OrderedOperation, ...]


def read_mutations(path: Path) -> tuple[DeclaredStage, ...]:
    """Read the declared stages of a JSON file: `{"stages": [{"name": "Table", "fieldMutations": [...]}]}`.

    Raises:
        Invalid: the file is missing, is no JSON, or breaks a rule.
    """
    try:
        form: object = json.loads(path.read_bytes())
    except OSError as error:
        raise Invalid.because("file", str(path), f"must be readable ({error.strerror})") from error
    except ValueError as error:
        raise Invalid.because("file", str(path), f"must be JSON ({error})") from error
    return parse_mutations(form)


def parse_mutations(form: object) -> tuple[DeclaredStage, ...]:
    """Parse the declared stages, in their order: of a stage, a list of stages, or a pipeline with `stages`.

    Raises:
        Invalid: with every fault, named from its place on (`stages[0].fieldMutations[2].outputField.name`).
    """
    if isinstance(form, Mapping) and "stages" not in form:
        return (read_json(form, "stage", _stage),)
    stages = form["stages"] if isinstance(form, Mapping) else form
    return read_json(stages, "stages", lambda value: tuple(map(_stage, value.items())))


def _stage(form: JsonValue) -> DeclaredStage:
    if not form.is_object():
        return DeclaredStage("", ())
    name = form.member("name").name()
    return DeclaredStage(name, tuple(_mutation(each, name) for each in form.member("fieldMutations").items()))


def _mutation(form: JsonValue, stage: str) -> OrderedOperation:
    if not form.is_object():
        return OrderedOperation("")
    inputs, outputs = read_fields(form.member("inputFields")), read_fields(form.member("outputFields"))
    output = form.member("outputField")
    if output.value is not None:
        outputs = [_read_field(output), *outputs]
    return OrderedOperation(
        form.member("mutation").name(),
        form.member("description").text_or_none(),
        inputs=tuple(name for name, _ in inputs),
        outputs=tuple(name for name, _ in outputs),
        types=types_of(outputs),
        stage=stage,
    )
