"""Parts of capture for some programs alone, a folder each. The rest names none; `PARTS` is the list.

The names in a part choose it: of a package, a plan, a leaf. Its modules have fixed names, and load at first need:

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
        modules: names out of the list above.
        sessions: package of the captured sessions, with a dot at its end.
        plan: kind of the plans of its writes.
        leaf: name of a value in its leaves.
        connectors: modules and objects of connectors, for `registry`.
        sinks: commands with their data in inner executions, or in themselves.
        folders: commands of folders, with each file in an inner execution.
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
        """Load a module of the part."""
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
    """Load the modules of this name of all parts."""
    return [part.load(name) for part in PARTS if name in part.modules]


def module(name: str) -> Any:
    """Load the module of this name; a single part has it."""
    (only,) = modules(name)
    return only


def part_of_session(session: object) -> Part | None:
    """Find the part for a session; None for a session of the driver."""
    package = type(session).__module__
    return next((part for part in PARTS if part.sessions and package.startswith(part.sessions)), None)


def part_of_plan(kind: str) -> Part | None:
    """Find the part for the writes of a plan of this kind: `GlueWrite` gives `glue`."""
    return _BY_PLAN.get(kind)


def part_of_leaf(values: Container[str]) -> Part | None:
    """Find the part for a leaf with these values; called for each node of a plan."""
    for leaf, part in _BY_LEAF.items():
        if leaf in values:
            return part
    return None
