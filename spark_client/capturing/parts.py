"""Parts of capture for what a program may not have, a folder each. The rest names none; `PARTS` is the one list.

A part says by which names it is chosen. Its modules have fixed names, and are loaded when they are first needed.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any


@dataclass(frozen=True, slots=True)
class Part:
    """Part of capture: the folder `name`.

    Attributes:
        sessions: package of the sessions that its module `sessions` captures, with a dot behind it.
        has_methods: True if its module `methods` wraps methods of Python while a driver is captured.
        plan: kind of the plans whose writes its module `plans` reads.
        leaf: value of the leaves that its module `plans` reads.
        has_urls: True if its module `urls` names tables by the URLs of their databases.
        connectors: modules and objects that `registry` takes as connectors.
        sinks: commands whose data other executions write, or they themselves.
        folders: commands of folders whose files other executions write.
    """

    name: str
    sessions: str = ""
    has_methods: bool = False
    plan: str = ""
    leaf: str = ""
    has_urls: bool = False
    connectors: tuple[str, ...] = ()
    sinks: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()

    def load(self, module: str) -> Any:
        """Return a module of the part."""
        return import_module(f"{__package__}.{self.name}.{module}")


PARTS = (
    Part("connect", sessions="pyspark.sql.connect."),
    Part(
        "databases",
        has_urls=True,
        connectors=("warehouses:BigQuery", "warehouses:Redshift", "warehouses:Snowflake"),
    ),
    Part("glue", has_methods=True, plan="GlueWrite", leaf="steps", sinks=("GlueWrite",), folders=("ModelSave",)),
)
SINKS = frozenset(command for part in PARTS for command in part.sinks)
FOLDERS = frozenset(command for part in PARTS for command in part.folders)


def part_of_session(session: object) -> Part | None:
    """Return the part that captures a session; None for a session of the driver."""
    package = type(session).__module__
    return next((part for part in PARTS if part.sessions and package.startswith(part.sessions)), None)


def parts_with_methods() -> Iterator[Part]:
    """Yield the parts that wrap methods of Python."""
    return (part for part in PARTS if part.has_methods)


def part_of_plan(kind: str) -> Part | None:
    """Return the part that reads the writes of a plan of this kind."""
    return next((part for part in PARTS if part.plan == kind), None)


def part_of_leaf(values: Container[str]) -> Part | None:
    """Return the part that reads a leaf with these values."""
    return next((part for part in PARTS if part.leaf and part.leaf in values), None)


@cache
def urls() -> Any:
    """Return the module that names tables by the URLs of their databases."""
    return next(part for part in PARTS if part.has_urls).load("urls")
