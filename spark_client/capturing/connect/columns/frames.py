"""Nodes and columns made of a plan's text."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any, NamedTuple

from spark_client.capturing.connect.snapshots import Column, Unreadable
from spark_client.capturing.datasets.schemas import find_field
from spark_client.capturing.model import SchemaField
from spark_client.capturing.plans.plan import Node

# Most nodes of a write's plan.
_NODES_MAX = 150_000


class Typed(NamedTuple):
    """Expression; `node` is None for a literal, `name` and `type` of its column are None if unknown."""

    node: Node | None
    name: str | None = None
    type: SchemaField | None = None


class TextFrame(NamedTuple):
    """Step of a plan's text: its columns, by their ids in the text, in order."""

    node: Node
    ids: tuple[str, ...] = ()
    columns: tuple[Column, ...] = ()


class Nodes:
    """Maker of the nodes of a write's plan.

    Raises:
        Unreadable: from every method, when the plan is too large.
    """

    def __init__(self) -> None:
        self._numbers = itertools.count(1)

    def node(self, kind: str, **values: Any) -> Node:
        """Make a node."""
        number = next(self._numbers)
        if number > _NODES_MAX:
            raise Unreadable(f"more than {_NODES_MAX} nodes")
        node = Node(number, kind)
        node.values = values
        return node

    def new_id(self) -> str:
        """Make an expression id: `connect 7`."""
        return f"connect {next(self._numbers)}"

    def reference(self, column: Column) -> Typed:
        """Make a reference to a column."""
        node = self.node("AttributeReference", exprId=column.id, name=column.name or "")
        return Typed(node, column.name, column.type)

    def alias(self, item: Typed) -> tuple[Node, Column]:
        """Make a new column of an expression."""
        column = Column(item.name, self.new_id(), type=item.type)
        return self.node("Alias", child=item.node, exprId=column.id, name=column.name or ""), column

    def unknown(self, reason: str) -> Typed:
        """Make an expression with unknown sources."""
        return Typed(self.node("UnreadExpression", name=reason))


def field_of(nodes: Nodes, item: Typed, name: str) -> Typed:
    """Take a field of a struct, of the structs in an array, or the value of a map.

    Raises:
        Unreadable: the type is unknown.
    """
    if item.type is None:
        raise Unreadable(f"the type of {item.name}")
    if item.type.type.startswith("map<"):
        return Typed(nodes.node("GetMapValue", child=item.node), name)
    member = find_field(item.type.fields, (name,))
    if member is None and item.type.type not in ("variant",):
        raise Unreadable(f"the field {name} of {item.name}")
    kind = "GetStructField" if item.type.type == "struct" else "GetArrayStructFields"
    if member is None:
        return Typed(nodes.node("VariantGet", child=item.node), name)
    type_ = member if kind == "GetStructField" else replace(member, type=f"array<{member.type}>")
    return Typed(nodes.node(kind, child=item.node, field=member.name), name, type_)


def is_nested(type_: SchemaField) -> bool:
    """True for arrays, maps and structs."""
    return type_.type.startswith(("array", "map", "struct"))
