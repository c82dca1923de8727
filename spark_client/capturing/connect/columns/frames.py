"""Frames of an unresolved plan: the columns of each step, by which names are found as Spark's analyzer finds them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from spark_client.capturing.connect.snapshots import Column, Unreadable
from spark_client.capturing.datasets.schemas import find_field
from spark_client.capturing.model import SchemaField
from spark_client.capturing.plans.plan import Node

# Nodes of one write's plan.
_NODES_MAX = 150_000


class Typed(NamedTuple):
    """Expression: None for a literal. `name` is its column's, `type` what it is; None of both is unknown."""

    node: Node | None
    name: str | None = None
    type: SchemaField | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    """Step of a plan.

    Attributes:
        columns: its columns in order.
        hidden: columns that are left out, but that names lead to: keys of a join's other side.
        relation: the protocol's `Relation`, of which the server knows the schema; None if there is none.
        plan_id: the id by which a column of the program's frame names it.
        first, last: its own number, and the last one of the steps below it.
        depth: its distance from the plan's root.
    """

    node: Node
    columns: tuple[Column, ...]
    hidden: tuple[Column, ...] = ()
    relation: Any = None
    plan_id: int | None = None
    first: int = 0
    last: int = 0
    depth: int = 0
    inputs: tuple[Frame, ...] = field(default=(), repr=False)

    @property
    def ids(self) -> frozenset[str]:
        """Ids of the columns."""
        return frozenset(column.id for column in self.columns)


class TextFrame(NamedTuple):
    """Step of a plan's text: its columns, by their ids in the text, in order."""

    node: Node
    ids: tuple[str, ...] = ()
    columns: tuple[Column, ...] = ()


class Nodes:
    """Maker of the nodes of one write's plan.

    Raises:
        Unreadable: from every method, when the plan is too large.
    """

    def __init__(self) -> None:
        self._numbers = itertools.count(1)

    def node(self, kind: str, **values: Any) -> Node:
        """Return a node with these values."""
        number = next(self._numbers)
        if number > _NODES_MAX:
            raise Unreadable(f"more than {_NODES_MAX} nodes")
        node = Node(number, kind)
        node.values = values
        return node

    def new_id(self) -> str:
        """Return an expression id."""
        return f"connect {next(self._numbers)}"

    def reference(self, column: Column) -> Typed:
        """Return a reference to a column."""
        node = self.node("AttributeReference", exprId=column.id, name=column.name or "")
        return Typed(node, column.name, column.type)

    def alias(self, item: Typed, name: str | None = None) -> tuple[Node, Column]:
        """Return an expression as a new column."""
        column = Column(name if name is not None else item.name, self.new_id(), type=item.type)
        return self.node("Alias", child=item.node, exprId=column.id, name=column.name or ""), column

    def unknown(self, reason: str) -> Typed:
        """Return an expression with unknown sources."""
        return Typed(self.node("UnreadExpression", name=reason))


def find_column(columns: Sequence[Column], parts: Sequence[str]) -> tuple[Column, Sequence[str]] | None:
    """Return the column that a name leads to, and the fields behind it; None if there is none, or several.

    As `AttributeSeq.resolve` of Spark's catalyst does: names with more of a table's name are tried first.

    >>> columns = [Column("a", "1", ("shop", "t")), Column("t", "2"), Column("A", "3", ("u",))]
    >>> [find_column(columns, name.split("."))[0].id for name in ("shop.t.a", "T.a", "t.b", "u.a")]
    ['1', '1', '2', '3']
    >>> find_column([*columns, Column("a", "4")], ["a"])
    """
    small = [part.lower() for part in parts]
    for length in range(min(3, len(parts) - 1), -1, -1):
        matches = {
            column.id: column
            for column in columns
            if column.name is not None
            and column.name.lower() == small[length]
            and (not length or [part.lower() for part in column.qualifier[-length:]] == small[:length])
        }
        if len(matches) > 1:  # a session that minds the case has no doubt
            matches = {id_: column for id_, column in matches.items() if column.name == parts[length]}
        if matches:
            return (next(iter(matches.values())), parts[length + 1 :]) if len(matches) == 1 else None
    return None


def qualified(columns: Iterable[Column], qualifier: tuple[str, ...]) -> tuple[Column, ...]:
    """Return the columns under another table's name."""
    return tuple(replace(column, qualifier=qualifier) for column in columns)


def field_of(nodes: Nodes, item: Typed, name: str) -> Typed:
    """Return a field of a struct, of the structs in an array, or the value of a map.

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
