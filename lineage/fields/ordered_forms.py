"""Operations in their order, as JSON tells them: as CDAP's first design stores them, and as its mutations name fields.

    {"name", "description", "source": {"namespace", "name"}, "inputs": ["source", "body"], "outputs": ["first_name"]}

An input is a field (its name, or `{"name", "type"}`), a source (`{"namespace", "name"}`), or the word `source` where
the operation has a `source` beside its inputs. A source may have a `description`. An output is a field. A type that is
a schema is kept as JSON text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from lineage.errors import Fault, Invalid
from lineage.fields.ordered import OrderedOperation, Types
from lineage.names import DatasetId

DescribedSource: TypeAlias = tuple[DatasetId, "str | None"]
# What an input says that stands for the operation's own source.
_SOURCE = "source"


def parse_ordered(form: object, where: str, *, stage: str | None = None) -> OrderedOperation:
    """One operation.

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
        tuple(one for one, _ in outputs),
        types_of(outputs),
        stage,
        descriptions_of(sources.items()),
    )


def _parse_inputs(
    forms: object, where: str, own: DescribedSource | None, faults: list[Fault]
) -> tuple[Mapping[DatasetId, str | None], tuple[str, ...]]:
    """Return the sources among the inputs with their descriptions, and the fields."""
    sources, fields = [] if own is None else [own], []
    for place, form in enumerate(parse_list(forms, where, faults)):
        if own is not None and form == _SOURCE:
            continue
        if isinstance(form, Mapping) and "namespace" in form:
            sources.append(_parse_source(form, f"{where}[{place}]", faults))
        else:
            fields.append(parse_field(form, f"{where}[{place}]", faults)[0])
    return _described(sources), tuple(fields)


def _described(sources: Iterable[DescribedSource]) -> Mapping[DatasetId, str | None]:
    """Return each source once, with the first description given of it."""
    found: dict[DatasetId, str | None] = {}
    for source, description in sources:
        found[source] = description if found.get(source) is None else found[source]
    return found


def descriptions_of(sources: Iterable[DescribedSource]) -> tuple[tuple[DatasetId, str], ...]:
    """Return the sources that have a description, with it."""
    return tuple((source, description) for source, description in sources if description is not None)


def _parse_source(form: object, where: str, faults: list[Fault]) -> DescribedSource:
    if not isinstance(form, Mapping):
        faults.append(Fault(where, form, "must be a JSON object with a namespace and a name"))
        return DatasetId("", ""), None
    namespace, name = (parse_text(form.get(part), f"{where}.{part}", faults) for part in ("namespace", "name"))
    return DatasetId(namespace, name), parse_description(form, where, faults)


def parse_fields(forms: object, where: str, faults: list[Fault]) -> list[tuple[str, str | None]]:
    """Fields and their types, of a list of names or of `{"name", "type"}`."""
    return [
        parse_field(form, f"{where}[{place}]", faults) for place, form in enumerate(parse_list(forms, where, faults))
    ]


def types_of(fields: Iterable[tuple[str, str | None]]) -> Types:
    """The types of those fields that have one."""
    return tuple((name, kind) for name, kind in fields if kind is not None)


def parse_field(form: object, where: str, faults: list[Fault]) -> tuple[str, str | None]:
    """A field and its type, where one is given."""
    if isinstance(form, Mapping):
        return parse_text(form.get("name"), f"{where}.name", faults), _parse_type(form.get("type"))
    return parse_text(form, where, faults), None


def _parse_type(form: object) -> str | None:
    """A type by name; of a type that is a schema the JSON.

    >>> _parse_type({"type": "map", "keys": "string", "values": "string"})
    '{"keys":"string","type":"map","values":"string"}'
    """
    if form is None or isinstance(form, str):
        return form
    return json.dumps(form, sort_keys=True, separators=(",", ":"), default=str)


def parse_text(form: object, where: str, faults: list[Fault]) -> str:
    """A text that says something; "" if it does not, with a fault."""
    if isinstance(form, str) and form.strip():
        return form
    rule = "must not be blank" if isinstance(form, str) else "must be a string"
    faults.append(Fault(where, None, "is required", missing=True) if form is None else Fault(where, form, rule))
    return ""


def parse_description(form: Mapping[str, object], where: str, faults: list[Fault]) -> str | None:
    """The description, where there is one."""
    description = form.get("description")
    if description is None or isinstance(description, str):
        return description
    faults.append(Fault(f"{where}.description", description, "must be a string"))
    return None


def parse_list(forms: object, where: str, faults: list[Fault]) -> Sequence[object]:
    """A list; empty if nothing is there, or with a fault."""
    if forms is None:
        return ()
    if isinstance(forms, Sequence) and not isinstance(forms, (str, bytes)):
        return forms
    faults.append(Fault(where, forms, "must be a list"))
    return ()
