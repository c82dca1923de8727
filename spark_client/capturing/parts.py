"""Parts of capture for what a program may not have, a folder each. The rest names none; `PARTS` is the one list.

A part says by which names it is chosen. Its modules have fixed names, and are loaded when they are first needed:

    sessions   `application_of(spark)`, `Session(spark)`: sessions of a package
    methods    `wrap()`, `unwrap()`: methods of Python, wrapped while a driver is captured
    plans      `read_writes(execution, extractor)`, `read_leaf(leaf, catalogs, read)`: plans of a kind, and leaves
    urls       `find_table`, `find_source`, `read_query`, `is_database`: tables at the URLs of databases
    reading    `read_stream(extractor, start)`: the sink of a streaming query
    runs       `StreamRuns(name, interval_s)`: the runs of streaming queries
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True, slots=True)
class Part:
    """Part of capture: the folder `name`.

    Attributes:
        modules: those of the modules above that it has.
        sessions: package of the sessions that it captures, with a dot behind it.
        plan: kind of the plans whose writes it reads.
        leaf: value of the leaves that it reads.
        connectors: modules and objects that `registry` takes as connectors.
        sinks: commands whose data other executions write, or they themselves.
        folders: commands of folders whose files other executions write.
    """

    name: str
    modules: tuple[str, ...]
    sessions: str = ""
    plan: str = ""
    leaf: str = ""
    connectors: tuple[str, ...] = ()
    sinks: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()

    def load(self, module: str) -> Any:
        """Return a module of the part."""
        return import_module(f"{__package__}.{self.name}.{module}")


PARTS = (
    Part("connect", ("sessions",), sessions="pyspark.sql.connect."),
    Part("databases", ("urls",), connectors=("warehouses:BigQuery", "warehouses:Redshift", "warehouses:Snowflake")),
    Part("glue", ("methods", "plans"), plan="GlueWrite", leaf="steps", sinks=("GlueWrite",), folders=("ModelSave",)),
    Part("streams", ("reading", "runs")),
)
SINKS = frozenset(command for part in PARTS for command in part.sinks)
FOLDERS = frozenset(command for part in PARTS for command in part.folders)
_BY_PLAN = {part.plan: part for part in PARTS if part.plan}
_BY_LEAF = {part.leaf: part for part in PARTS if part.leaf}


def modules(name: str) -> list[Any]:
    """Return the modules of this name of all parts."""
    return [part.load(name) for part in PARTS if name in part.modules]


def module(name: str) -> Any:
    """Return the module of this name of the one part that has it."""
    (only,) = modules(name)
    return only


def part_of_session(session: object) -> Part | None:
    """Return the part that captures a session; None for a session of the driver."""
    package = type(session).__module__
    return next((part for part in PARTS if part.sessions and package.startswith(part.sessions)), None)


def part_of_plan(kind: str) -> Part | None:
    """Return the part that reads the writes of a plan of this kind."""
    return _BY_PLAN.get(kind)


def part_of_leaf(values: Container[str]) -> Part | None:
    """Return the part that reads a leaf with these values; it is called for each node of a plan."""
    for leaf, part in _BY_LEAF.items():
        if leaf in values:
            return part
    return None
