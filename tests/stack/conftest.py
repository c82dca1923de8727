"""The synthesized template, readable: references are printed as `RecordsQueue.Arn`, and things are found by name."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aws_cdk as cdk
import pytest

from infra.knobs import parse_knobs
from infra.stack import LineageStack
from infra.synth import make_app, synthesize

_CONSTRUCTS = ("Storage", "Ingestion", "Compaction", "QueryApi", "ObservabilityAlarms", "Observability")
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
        policies = self.of_type("AWS::IAM::Policy")
        grants: dict[str, set[str]] = {}
        for statement in policies[f"{function}RoleDefaultPolicy"]["PolicyDocument"]["Statement"]:
            assert statement["Effect"] == "Allow"
            for resource in _many(statement["Resource"]):
                grants.setdefault(resource, set()).update(_many(statement["Action"]))
        return grants

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
        case {"Fn::GetAtt": [name, attribute]}:
            return f"{readable(name)}.{attribute}"
        case {"Fn::Join": [separator, parts]}:
            return separator.join(readable(part) for part in parts)
        case dict():
            return {key: readable(each) for key, each in value.items()}
        case list():
            return [readable(each) for each in value]
        case str():
            return _name(value)
    return value


def _name(text: str) -> str:
    """`StorageRecordsTable117FB13C` -> `RecordsTable`; any other text as it is."""
    if not _HASH.search(text):
        return text
    bare = _HASH.sub("", text)
    return next((bare.removeprefix(construct) for construct in _CONSTRUCTS if bare.startswith(construct)), bare)


def _many(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Template:
    """The stack as production deploys it, without the layer."""
    return Template(json.loads(synthesize(tmp_path_factory.mktemp("prod")).read_text(encoding="utf-8")))


@pytest.fixture(scope="session")
def turned(tmp_path_factory: pytest.TempPathFactory) -> Template:
    """The stack with every knob turned, and with a layer."""
    outdir = tmp_path_factory.mktemp("dev")
    layer = tmp_path_factory.mktemp("layer") / "0123abcd"
    (layer / "python").mkdir(parents=True)
    (layer / "python" / "dependency.py").touch()
    app = make_app(outdir)
    knobs = parse_knobs(
        {
            "stage": "dev",
            "records_ttl_hours": 48,
            "retention": "destroy",
            "alarm_email": "ops@example.org",
            "compaction_hour_utc": 3,
        }
    )
    stack = LineageStack(app, "Headwater-dev", knobs=knobs, layer=layer)
    app.synth()
    return Template(json.loads((outdir / stack.template_file).read_text(encoding="utf-8")))


@pytest.fixture
def app(tmp_path: Path) -> cdk.App:
    """An app with nothing in it."""
    return make_app(tmp_path)
