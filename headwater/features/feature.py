"""The seams between the core and a feature: names of modules, so that a cold start loads only modules in use."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Feature:
    """A folder of `headwater.features`.

    `command` is the module of its command: `add_parser(subparsers)`, as in `headwater.cli.main`.
    `routes` are modules with `ROUTES`, each with a pattern that begins its paths, as in `headwater.api.app`. The
    examples of their types are in the folder's `examples.json`.
    """

    name: str
    command: str | None = None
    routes: tuple[tuple[str, str], ...] = ()

    @property
    def folder(self) -> Path:
        """The folder of the feature."""
        return Path(__file__).with_name(self.name)
