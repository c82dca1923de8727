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
    rule = _VALUES.get(command.kind)
    values = rule(command.text.partition(" ")[2], name) if rule else {}
    node.values = {**values, "child": _identifier(name)} if name else values
    return node


def _identifier(name: Name) -> Node:
    node = Node(0, "ResolvedIdentifier")
    node.values = {"catalog": {"name": name[0]}, "identifier": {"namespace": list(name[1:-1]), "name": name[-1]}}
    return node


def _rename(text: str, name: Name) -> Mapping[str, Any]:
    """Parse `RenameTable [db, t], false`; the new name may begin with the catalog."""
    new = text[1:].partition("]")[0].split(", ")
    new = new[1:] if len(new) >= len(name) and new[:1] == [*name[:1]] else new
    return {"newName": new, "isView": text.endswith("true")}


def _location(text: str, _: Name) -> Mapping[str, Any]:
    """Parse `SetTableLocation Map(day -> 1), /lake/t`."""
    match = _SPEC.fullmatch(text)
    return {"partitionSpec": text, "location": match["location"]} if match else {"location": text}


def _partitions(text: str, _: Name) -> Mapping[str, Any]:
    """Parse `AddPartitions [unresolvedpartitionspec((day,1), Some(/lake/t)), ...], false`."""
    parts = text.rpartition("], ")[0].split(", unresolvedpartitionspec(")
    return {"parts": [{"location": match["location"] if (match := _PLACED.search(part)) else None} for part in parts]}


_VALUES: Mapping[str, Callable[[str, Name], Mapping[str, Any]]] = {
    "AddPartitions": _partitions,
    # `DropNamespace false, true`, `DropTable true, false`
    "DropNamespace": lambda text, _: {"cascade": text.endswith("true")},
    **dict.fromkeys(("DropTable", "DropView"), lambda text, _: {"ifExists": text.startswith("true")}),
    "RenameTable": _rename,
    "SetTableLocation": _location,
    "TruncatePartition": lambda text, _: {"partitionSpec": text},
}
