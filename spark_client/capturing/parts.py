"""Parts of capture for what a program may not have, a folder each. The rest names none; `PARTS` is the one list.

A part says by which names it is chosen. Its modules have fixed names, and are loaded when they are first needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True, slots=True)
class Part:
    """Part of capture: the folder `name`.

    Attributes:
        sessions: package of the sessions that its module `sessions` captures, with a dot behind it.
    """

    name: str
    sessions: str = ""

    def load(self, module: str) -> Any:
        """Return a module of the part."""
        return import_module(f"{__package__}.{self.name}.{module}")


PARTS = (Part("connect", sessions="pyspark.sql.connect."),)


def part_of_session(session: object) -> Part | None:
    """Return the part that captures a session; None for a session of the driver."""
    package = type(session).__module__
    return next((part for part in PARTS if part.sessions and package.startswith(part.sessions)), None)
