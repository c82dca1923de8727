"""The synthesized template, parsed once, and refused for anything unknown to the local stack."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from local_stack.errors import UnknownInTemplate
from local_stack.template.properties import Properties, referred_ids
from local_stack.template.resources import IGNORED_TYPES, MODELS

P = TypeVar("P", bound=Properties)
RawTemplate = Mapping[str, Any]

# Further sections by the CDK; none of them changes the running stack.
_RESOURCE_KEYS = {"Type", "Properties", "DependsOn", "DeletionPolicy", "UpdateReplacePolicy", "Metadata"}
_TEMPLATE_KEYS = {"Resources", "Outputs", "Parameters", "Rules", "Description", "AWSTemplateFormatVersion", "Metadata"}


@dataclass(frozen=True)
class Template:
    """Resources by logical id, as models and as written, and the outputs as written."""

    resources: Mapping[str, Properties]
    raw: Mapping[str, dict[str, Any]]
    outputs: Mapping[str, Any]

    def of(self, model: type[P]) -> dict[str, P]:
        """List all resources of a type, by logical id."""
        return {logical_id: resource for logical_id, resource in self.resources.items() if isinstance(resource, model)}

    def only(self, model: type[P]) -> tuple[str, P] | None:
        """Find the only resource of a type; None without it."""
        resources = self.of(model)
        if len(resources) > 1:
            raise UnknownInTemplate(
                f"{', '.join(resources)}: the local stack serves one {model.__name__}, not {len(resources)}"
            )
        return next(iter(resources.items()), None)


def load_template(path: Path) -> RawTemplate:
    """Read the JSON file of synthesis: `{"Resources": {...}, "Outputs": {...}}`."""
    template: RawTemplate = json.loads(path.read_text(encoding="utf-8"))
    return template


def parse_template(raw: RawTemplate) -> Template:
    """Parse the template of the local stack.

    Raises:
        UnknownInTemplate: Naming the logical id, the type and the property, for all of them at once.
    """
    faults = [f"template: section {key!r} is not known to the local stack" for key in raw.keys() - _TEMPLATE_KEYS]
    resources: dict[str, Properties] = {}
    for logical_id, resource in raw["Resources"].items():
        parsed = _parse_resource(logical_id, resource)
        if isinstance(parsed, Properties):
            resources[logical_id] = parsed
        else:
            faults.extend(parsed)
    if faults:
        raise UnknownInTemplate("\n".join(faults))
    return Template(resources, {name: raw["Resources"][name] for name in resources}, _outputs(raw))


def _outputs(raw: RawTemplate) -> dict[str, Any]:
    """List the outputs, without outputs of resources left out by the local stack."""
    outputs = {name: output["Value"] for name, output in raw.get("Outputs", {}).items()}
    ignored = {name for name, resource in raw["Resources"].items() if resource["Type"] in IGNORED_TYPES}
    return {name: value for name, value in outputs.items() if ignored.isdisjoint(referred_ids(value))}


def _parse_resource(logical_id: str, resource: Mapping[str, Any]) -> Properties | list[str]:
    """Parse the resource, or list its faults; an ignored resource has no faults."""
    name = f"{logical_id} ({resource['Type']})"
    unknown = [f"{name}: attribute {key!r} is not known to the local stack" for key in resource.keys() - _RESOURCE_KEYS]
    if resource["Type"] in IGNORED_TYPES:
        return unknown
    model = MODELS.get(resource["Type"])
    if model is None:
        return [*unknown, f"{name}: this resource type is not known to the local stack"]
    try:
        return unknown or model.model_validate(resource.get("Properties", {}))
    except ValidationError as error:
        return unknown + [
            _fault(name, fault["loc"], fault["type"], fault["msg"], fault["input"]) for fault in error.errors()
        ]


def _fault(name: str, location: tuple[int | str, ...], kind: str, rule: str, value: object) -> str:
    where = ".".join(map(str, location))
    if kind == "extra_forbidden":
        return f"{name}: property {where} is not known to the local stack; honour it, or ignore it with a reason"
    return f"{name}: property {where}: {rule}, got {value!r}"
