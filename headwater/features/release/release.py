"""The zip of a release, as `archive` writes it, and the choice of a template and its parameters.

with Release(find_release(root)) as release:
    choice = choose(release, {"stage": "test", "auth": "token"}, deployed={})
"""

from __future__ import annotations

import difflib
import hashlib
import json
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any

from headwater.cli.program import CommandFailed, command
from headwater_model.errors import Fault, Invalid

_IN_WHEEL = Path(__file__).resolve().parents[2] / "release" / "template.zip"
_NONE = ("none", "null")


@dataclass(frozen=True, slots=True)
class Asset:
    """A file for the stack in the bucket of the assets: its key, SHA-256 in hexadecimal digits, and bytes."""

    key: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class Choice:
    """A template of the release, the choices that led to it, and values of its parameters."""

    choices: Mapping[str, str]
    template: bytes
    parameters: Mapping[str, str]
    stage: str

    @property
    def stack(self) -> str:
        """The name of the stack."""
        return f"Headwater-{self.stage}"


class Release:
    """An open zip of a release.

    Raises:
        CommandFailed: the file is missing, or is no release.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._archive = zipfile.ZipFile(path)
            described = json.loads(self._archive.read("release.json"))
            self.version: str = described["version"]
            self.choices: Mapping[str, Sequence[str]] = described["choices"]
            self.parameters: Mapping[str, str] = described["parameters"]
            self.needs_cdk: Sequence[str] = described["needs_cdk"]
            self._templates: Mapping[str, str] = described["templates"]
            self.assets = [Asset(key, **asset) for key, asset in described["assets"].items()]
        except (OSError, KeyError, TypeError, ValueError, zipfile.BadZipFile) as error:
            raise CommandFailed(f"{path} is no template of a release: {error}") from error

    def __enter__(self) -> Release:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, at: TracebackType | None
    ) -> None:
        self._archive.close()

    @cached_property
    def definitions(self) -> Mapping[str, Mapping[str, Any]]:
        """The parameters by name, the same in all templates."""
        definitions: Mapping[str, Mapping[str, Any]] = json.loads(
            self._archive.read(next(iter(self._templates.values())))
        )["Parameters"]
        return definitions

    def template(self, choices: Mapping[str, str]) -> bytes:
        """Read the template of these choices.

        Raises:
            CommandFailed: the release lacks the template.
        """
        name = "-".join(choices[name] for name in self.choices)
        if name not in self._templates:
            raise CommandFailed(f"{self.path} has no template {name}")
        return self._archive.read(self._templates[name])

    def read(self, asset: Asset) -> bytes:
        """Read the content of an asset.

        Raises:
            CommandFailed: the content differs from the release's list.
        """
        content = self._archive.read(f"assets/{asset.key}")
        if hashlib.sha256(content).hexdigest() != asset.sha256:
            raise CommandFailed(
                f"{self.path} is damaged: assets/{asset.key} has another SHA-256 than release.json says"
            )
        return content


def find_release(root: Path) -> Path:
    """Find the zip in the wheel; in a checkout, the zip of `make dist`.

    Raises:
        CommandFailed: there is no zip.
    """
    if _IN_WHEEL.is_file():
        return _IN_WHEEL
    built = sorted((root / "dist").glob("headwater-*-template.zip"), key=lambda path: path.stat().st_mtime)
    if not built:
        raise CommandFailed(
            "this installation carries no template: give the release's as --template FILE, or `make dist`"
        )
    return built[-1]


def check_values(release: Release, context: Mapping[str, str]) -> None:
    """Check context values by the rules of the template's parameters.

    Raises:
        Invalid: with every wrong context value, and every value without a parameter.
    """
    definitions = release.definitions
    faults = []
    for name, value in context.items():
        if name in release.choices:
            rule = None if value in release.choices[name] else f"must be {' or '.join(release.choices[name])}"
        elif name in release.parameters:
            rule = _broken_rule(definitions[release.parameters[name]], _plain(value))
        else:
            rule = _why_refused(release, name, value)
        if rule:
            faults.append(Fault(name, value, rule))
    if faults:
        raise Invalid(faults)


def choose(release: Release, context: Mapping[str, str], deployed: Mapping[str, str]) -> Choice:
    """Choose the template and the parameters for context values; `deployed` has the choices of the running stack.

    Raises:
        CommandFailed: the release lacks the template.
    """
    choices = {name: context.get(name, deployed.get(name, values[0])) for name, values in release.choices.items()}
    parameters = {
        release.parameters[name]: _plain(value) for name, value in context.items() if name in release.parameters
    }
    return Choice(choices, release.template(choices), parameters, stage_of(release, context))


def stage_of(release: Release, context: Mapping[str, str]) -> str:
    """Read the stage from the context, else the default."""
    default: str = release.definitions[release.parameters["stage"]]["Default"]
    return context.get("stage", default)


def _plain(value: str) -> str:
    """Translate a context value for a parameter: no value is an empty parameter."""
    return "" if value in _NONE else value


def _why_refused(release: Release, name: str, value: str) -> str:
    """Explain the refusal of a context value: it needs the CDK, or is unknown."""
    if name in release.needs_cdk:
        words = command(f"cdk deploy -c {name}={value}")
        return f"changes more than a parameter of the template can: run {words} in a checkout"
    names = [*release.choices, *release.parameters]
    matches = difflib.get_close_matches(name, names, n=1)
    hint = f"; did you mean {matches[0]}?" if matches else ""
    return f"must be one of the template's context values {', '.join(names)}{hint}"


def _broken_rule(definition: Mapping[str, Any], value: str) -> str | None:
    """Find the broken rule of a parameter's value, as CloudFormation checks it later."""
    allowed = definition.get("AllowedValues")
    if allowed and value not in allowed:
        return f"must be {' or '.join(allowed)}"
    if definition["Type"] == "Number":
        least, most = definition["MinValue"], definition["MaxValue"]
        in_range = re.fullmatch(r"[0-9]{1,9}", value) and least <= int(value) <= most
        return None if in_range else f"must be a whole number from {least} to {most}"
    if "AllowedPattern" in definition and not re.fullmatch(definition["AllowedPattern"], value):
        return str(definition["ConstraintDescription"])
    return None
