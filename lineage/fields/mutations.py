"""Operations declared beside a job whose code tells nothing: CDAP's `fieldMutations` of a pipeline's stages.

    {"name": "Projection", "fieldMutations": [
        {"inputFields": [{"name": "ts", "type": "long"}], "mutation": "rename", "description": "...",
         "outputField": {"name": "seqId", "type": "long"}}]}

A mutation without an `outputField` deletes its inputs; `outputFields` is a list of several. What else a stage holds is
not read. Only the standard library is needed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lineage.errors import Fault, Invalid
from lineage.fields.ordered import OrderedOperation
from lineage.fields.ordered_forms import parse_description, parse_field, parse_fields, parse_list, parse_text, types_of


@dataclass(frozen=True, slots=True)
class DeclaredStage:
    """A stage of a pipeline; without operations it has only its place among the others."""

    name: str
    operations: tuple[OrderedOperation, ...]


def read_mutations(path: Path) -> tuple[DeclaredStage, ...]:
    """What a JSON file declares.

    Raises:
        Invalid: there is no such file, it is no JSON, or breaks a rule.
    """
    try:
        form: object = json.loads(path.read_bytes())
    except OSError as error:
        raise Invalid.because("file", str(path), f"must be readable ({error.strerror})") from error
    except ValueError as error:
        raise Invalid.because("file", str(path), f"must be JSON ({error})") from error
    return parse_mutations(form)


def parse_mutations(form: object) -> tuple[DeclaredStage, ...]:
    """The stages that JSON declares, in their order: one stage, a list of them, or a pipeline that has `stages`.

    Raises:
        Invalid: with every fault, named from its place on (`stages[0].fieldMutations[2].outputField.name`).
    """
    faults: list[Fault] = []
    stages = [_parse_stage(one, where, faults) for where, one in _placed_stages(form, faults)]
    if faults:
        raise Invalid(faults)
    return tuple(stages)


def _placed_stages(form: object, faults: list[Fault]) -> list[tuple[str, object]]:
    if isinstance(form, Mapping) and "stages" not in form:
        return [("stage", form)]
    stages = form["stages"] if isinstance(form, Mapping) else form
    return [(f"stages[{place}]", one) for place, one in enumerate(parse_list(stages, "stages", faults))]


def _parse_stage(form: object, where: str, faults: list[Fault]) -> DeclaredStage:
    if not isinstance(form, Mapping):
        faults.append(Fault(where, form, "must be a JSON object"))
        return DeclaredStage("", ())
    name = parse_text(form.get("name"), f"{where}.name", faults)
    where = f"{where}.fieldMutations"
    mutations = enumerate(parse_list(form.get("fieldMutations"), where, faults))
    return DeclaredStage(
        name, tuple(_parse_mutation(one, f"{where}[{place}]", name, faults) for place, one in mutations)
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
