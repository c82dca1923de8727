"""Commands without a query in the text of a parsed plan, made into nodes for the rules of `datasets.statements`.

Spark's parser makes commands of the same classes in a driver.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from spark_client.capturing.connect.plan_texts import PlanText
from spark_client.capturing.plans.plan import Node

# Name of a table with its catalog and database, as far as they are known.
Name: TypeAlias = tuple[str, ...]
_SPEC = re.compile(r"Map\(.*?\), (?P<location>.*)")
_PLACED = re.compile(r", Some\((?P<location>.*)\)\)$")


def command_node(command: PlanText, name: Name) -> Node:
    """Make the node of a command; `name` is the whole name of its table or view."""
    node = Node(0, command.kind)
    values = _VALUES.get(command.kind, _nothing)(command.text.partition(" ")[2], name)
    node.values = {**values, "child": _identifier(name)} if name else values
    return node


def _identifier(name: Name) -> Node:
    node = Node(0, "ResolvedIdentifier")
    node.values = {"catalog": {"name": name[0]}, "identifier": {"namespace": list(name[1:-1]), "name": name[-1]}}
    return node


def _nothing(_: str, __: Name) -> Mapping[str, Any]:
    return {}


def _drop(text: str, _: Name) -> Mapping[str, Any]:
    """Parse `DropTable true, false`."""
    return {"ifExists": text.startswith("true")}


def _rename(text: str, name: Name) -> Mapping[str, Any]:
    """Parse `RenameTable [db, t], false`; the new name may begin with the catalog."""
    new = text[1:].partition("]")[0].split(", ")
    new = new[1:] if len(new) >= len(name) and new[:1] == [*name[:1]] else new
    return {"newName": new, "isView": text.endswith("true")}


def _partition(text: str, _: Name) -> Mapping[str, Any]:
    return {"partitionSpec": text}


def _location(text: str, _: Name) -> Mapping[str, Any]:
    """Parse `SetTableLocation Map(day -> 1), /lake/t`."""
    match = _SPEC.fullmatch(text)
    return {"partitionSpec": text, "location": match["location"]} if match else {"location": text}


def _partitions(text: str, _: Name) -> Mapping[str, Any]:
    """Parse `AddPartitions [unresolvedpartitionspec((day,1), Some(/lake/t)), ...], false`."""
    parts = text.rpartition("], ")[0].split(", unresolvedpartitionspec(")
    return {"parts": [{"location": match["location"] if (match := _PLACED.search(part)) else None} for part in parts]}


def _namespace(text: str, _: Name) -> Mapping[str, Any]:
    """Parse `DropNamespace false, true`."""
    return {"cascade": text.endswith("true")}


_VALUES: Mapping[str, Callable[[str, Name], Mapping[str, Any]]] = {
    "AddPartitions": _partitions,
    "DropNamespace": _namespace,
    "DropTable": _drop,
    "DropView": _drop,
    "RenameTable": _rename,
    "SetTableLocation": _location,
    "TruncatePartition": _partition,
}
