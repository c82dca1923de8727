"""The seams between the core and a feature: names of modules, so that a cold start loads only modules in use."""

from __future__ import annotations

from dataclasses import dataclass


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
