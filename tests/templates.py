"""A synthesized template, readable: references are printed as `RecordsQueue.Arn`, and things are found by name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tests.policies import as_list

_CONSTRUCTS = (
    "Storage",
    "Ingestion",
    "Events",
    "BucketEvents",
    "Forwarding",
    "Producers",
    "ArchiveSearch",
    "GraphTables",
    "SparkJobsEngine",
    "SparkJobs",
    "Compaction",
    "QueryApi",
    "ObservabilityAlarms",
    "Observability",
)
_HASH = re.compile(r"[0-9A-F]{8}$")


@dataclass(frozen=True)
class Template:
    """A template, with its parts by kind and by readable name."""

    content: dict[str, Any]

    def of_type(self, resource_type: str) -> dict[str, dict[str, Any]]:
        """Name -> properties, of every resource of a type."""
        return {
            readable(logical_id): readable(resource.get("Properties", {}))
            for logical_id, resource in self.content["Resources"].items()
            if resource["Type"] == resource_type
        }

    def allowed(self, function: str) -> dict[str, set[str]]:
        """Resource -> the actions that the function's role allows on it."""
        grants: dict[str, set[str]] = {}
        for statement in self.statements(function):
            for resource in as_list(statement["Resource"]) if statement["Effect"] == "Allow" else ():
                grants.setdefault(resource, set()).update(as_list(statement["Action"]))
        return grants

    def statements(self, function: str) -> list[dict[str, Any]]:
        """The statements of the function's role."""
        statements: list[dict[str, Any]] = self._policies[f"{function}RoleDefaultPolicy"]["PolicyDocument"]["Statement"]
        return statements

    @cached_property
    def _policies(self) -> dict[str, dict[str, Any]]:
        return self.of_type("AWS::IAM::Policy")

    def removal_policies(self, resource_type: str) -> set[tuple[str, str]]:
        """The (DeletionPolicy, UpdateReplacePolicy) pairs of a type."""
        return {
            (resource["DeletionPolicy"], resource["UpdateReplacePolicy"])
            for resource in self.content["Resources"].values()
            if resource["Type"] == resource_type
        }


def readable(value: Any) -> Any:
    """The value with names in place of logical ids, and text in place of intrinsic functions."""
    match value:
        case {"Ref": name}:
            return readable(name)
        case dict() if len(value) == 1 and next(iter(value)).startswith("Fn::"):
            [(function, of)] = value.items()
            return _intrinsic(function, of)
        case dict():
            return {key: readable(each) for key, each in value.items()}
        case list():
            return [readable(each) for each in value]
        case str():
            return _name(value)
    return value


def _intrinsic(function: str, of: Any) -> Any:
    match function, of:
        case "Fn::GetAtt", [name, attribute]:
            return f"{readable(name)}.{attribute}"
        case "Fn::Join", [separator, parts]:
            return separator.join(readable(part) for part in parts)
        case "Fn::Sub", str(text):
            return text
        case "Fn::Split", [separator, text]:
            return f"{readable(text)} split at {separator}"
        case "Fn::Select", [index, parts]:
            return f"({readable(parts)})[{index}]"
    return {function: readable(of)}


def _name(text: str) -> str:
    """`StorageRecordsTable117FB13C` -> `RecordsTable`; any other text as it is."""
    if not _HASH.search(text):
        return text
    bare = _HASH.sub("", text)
    return next((bare.removeprefix(construct) for construct in _CONSTRUCTS if bare.startswith(construct)), bare)
