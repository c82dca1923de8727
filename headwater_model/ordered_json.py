"""The JSON of operations in their order: of CDAP's first design, and of `fieldMutations` declared beside a job."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from headwater_model.errors import Fault, Invalid
from headwater_model.ids import DatasetId
from headwater_model.ordered_operations import OrderedOperation, Types

DescribedSource: TypeAlias = tuple[DatasetId, "str | None"]
# The input for the operation's own source.
_SOURCE = "source"


def parse_ordered(form: object, where: str, *, stage: str | None = None) -> OrderedOperation:
    """Parse an operation.

    Raises:
        Invalid: with every fault, named from `where` on.
    """
    if not isinstance(form, Mapping):
        raise Invalid.because(where, form, "must be a JSON object")
    faults: list[Fault] = []
    own = _parse_source(form[_SOURCE], f"{where}.source", faults) if form.get(_SOURCE) is not None else None
    sources, inputs = _parse_inputs(form.get("inputs"), f"{where}.inputs", own, faults)
    outputs = parse_fields(form.get("outputs"), f"{where}.outputs", faults)
    name = parse_text(form.get("name"), f"{where}.name", faults)
    description = parse_description(form, where, faults)
    if faults:
        raise Invalid(faults)
    return OrderedOperation(
        name,
        description,
        tuple(sources),
        inputs,
        tuple(output for output, _ in outputs),
        types_of(outputs),
        stage,
        descriptions_of(sources.items()),
    )


def _parse_inputs(
    forms: object, where: str, own: DescribedSource | None, faults: list[Fault]
) -> tuple[Mapping[DatasetId, str | None], tuple[str, ...]]:
    """Parse the inputs: sources with their descriptions, and fields."""
    sources, fields = [] if own is None else [own], []
    for place, form in enumerate(parse_list(forms, where, faults)):
        if own is not None and form == _SOURCE:
            continue
        if isinstance(form, Mapping) and "namespace" in form:
            sources.append(_parse_source(form, f"{where}[{place}]", faults))
        else:
            fields.append(parse_field(form, f"{where}[{place}]", faults)[0])
    # Each source once, with its first description.
    descriptions: dict[DatasetId, str | None] = {}
    for source, description in sources:
        descriptions[source] = description if descriptions.get(source) is None else descriptions[source]
    return descriptions, tuple(fields)


def descriptions_of(sources: Iterable[DescribedSource]) -> tuple[tuple[DatasetId, str], ...]:
    """List the described sources, each with its description."""
    return tuple((source, description) for source, description in sources if description is not None)


def _parse_source(form: object, where: str, faults: list[Fault]) -> DescribedSource:
    if not isinstance(form, Mapping):
        faults.append(Fault(where, form, "must be a JSON object with a namespace and a name"))
        return DatasetId("", ""), None
    namespace, name = (parse_text(form.get(part), f"{where}.{part}", faults) for part in ("namespace", "name"))
    return DatasetId(namespace, name), parse_description(form, where, faults)


def parse_fields(forms: object, where: str, faults: list[Fault]) -> list[tuple[str, str | None]]:
    """Parse a list of names or of `{"name", "type"}`: fields and types."""
    return [
        parse_field(form, f"{where}[{place}]", faults) for place, form in enumerate(parse_list(forms, where, faults))
    ]


def types_of(fields: Iterable[tuple[str, str | None]]) -> Types:
    """List the fields with a type."""
    return tuple((name, kind) for name, kind in fields if kind is not None)


def parse_field(form: object, where: str, faults: list[Fault]) -> tuple[str, str | None]:
    """Parse a field and its type, if given."""
    if isinstance(form, Mapping):
        return parse_text(form.get("name"), f"{where}.name", faults), _parse_type(form.get("type"))
    return parse_text(form, where, faults), None


def _parse_type(form: object) -> str | None:
    """Read a type's name; a schema becomes JSON text.

    >>> _parse_type({"type": "map", "keys": "string", "values": "string"})
    '{"keys":"string","type":"map","values":"string"}'
    """
    if form is None or isinstance(form, str):
        return form
    return json.dumps(form, sort_keys=True, separators=(",", ":"), default=str)


def parse_text(form: object, where: str, faults: list[Fault]) -> str:
    """Parse a text with characters besides white space; "" with a fault otherwise."""
    if isinstance(form, str) and form.strip():
        return form
    rule = "must not be blank" if isinstance(form, str) else "must be a string"
    faults.append(Fault(where, None, "is required", missing=True) if form is None else Fault(where, form, rule))
    return ""


def parse_description(form: Mapping[str, object], where: str, faults: list[Fault]) -> str | None:
    """Parse the description, if given."""
    description = form.get("description")
    if description is None or isinstance(description, str):
        return description
    faults.append(Fault(f"{where}.description", description, "must be a string"))
    return None


def parse_list(forms: object, where: str, faults: list[Fault]) -> Sequence[object]:
    """Parse a list; a missing list is empty, a value of a different type is empty with a fault."""
    if forms is None:
        return ()
    if isinstance(forms, Sequence) and not isinstance(forms, (str, bytes)):
        return forms
    faults.append(Fault(where, forms, "must be a list"))
    return ()


@dataclass(frozen=True, slots=True)
class DeclaredStage:
    """A stage of a pipeline, with its operations if it has any."""

    name: str
    operations: tuple[OrderedOperation, ...]


def read_mutations(path: Path) -> tuple[DeclaredStage, ...]:
    """Read the declared stages of a JSON file.

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
    faults: list[Fault] = []
    stages = [_parse_stage(stage, where, faults) for where, stage in _placed_stages(form, faults)]
    if faults:
        raise Invalid(faults)
    return tuple(stages)


def _placed_stages(form: object, faults: list[Fault]) -> list[tuple[str, object]]:
    if isinstance(form, Mapping) and "stages" not in form:
        return [("stage", form)]
    stages = form["stages"] if isinstance(form, Mapping) else form
    return [(f"stages[{place}]", stage) for place, stage in enumerate(parse_list(stages, "stages", faults))]


def _parse_stage(form: object, where: str, faults: list[Fault]) -> DeclaredStage:
    if not isinstance(form, Mapping):
        faults.append(Fault(where, form, "must be a JSON object"))
        return DeclaredStage("", ())
    name = parse_text(form.get("name"), f"{where}.name", faults)
    where = f"{where}.fieldMutations"
    mutations = enumerate(parse_list(form.get("fieldMutations"), where, faults))
    return DeclaredStage(
        name, tuple(_parse_mutation(mutation, f"{where}[{place}]", name, faults) for place, mutation in mutations)
    )


def _parse_mutation(form: object, where: str, stage: str, faults: list[Fault]) -> OrderedOperation:
    if not isinstance(form, Mapping):
        faults.append(Fault(where, form, "must be a JSON object"))
        return OrderedOperation("")
    inputs = parse_fields(form.get("inputFields"), f"{where}.inputFields", faults)
    outputs = parse_fields(form.get("outputFields"), f"{where}.outputFields", faults)
    if form.get("outputField") is not None:
        outputs = [parse_field(form["outputField"], f"{where}.outputField", faults), *outputs]
    return OrderedOperation(
        parse_text(form.get("mutation"), f"{where}.mutation", faults),
        parse_description(form, where, faults),
        inputs=tuple(name for name, _ in inputs),
        outputs=tuple(name for name, _ in outputs),
        types=types_of(outputs),
        stage=stage,
    )
