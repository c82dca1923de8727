"""The seams between the core and a feature: names of modules, so that a cold start loads only modules in use."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Feature:
    """A folder of `headwater.features`.

    `command` is the module of its command: `add_parser(subparsers)`, as in `headwater.cli.main`.
    """

    name: str
    command: str | None = None
