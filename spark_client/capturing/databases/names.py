"""Names in a database's query: each becomes a column of a FROM, where a single column is possible.

Spark does not know the columns of the database's tables, so a table is open: it may have any column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from spark_client.capturing.plans.plan import Node

# By name, a query of a WITH and its earlier queries; None inside itself: the name may be recursive, or a table.
Ctes: TypeAlias = "Mapping[str, tuple[Node, Ctes] | None]"


class Unresolvable(Exception):
    """Name without a single column, or an unknown part of a query."""


def plain(part: str) -> str:
    """Fold a name for comparison: without quotes, in lower case, whatever the database does."""
    return part.strip('"').lower()


class NodeFactory:
    """Maker of the resolved plan's nodes."""

    def __init__(self) -> None:
        self._made = 0

    def node(self, kind: str, **values: object) -> Node:
        """Make a node."""
        self._made += 1
        node = Node(self._made, kind)
        node.values = values
        return node

    def attribute(self, name: str | None = None) -> Node:
        """Make a column with an id of its own; a column outside of all tables is unknown."""
        attribute = self.node("AttributeReference", name=name)
        attribute.values = {**attribute.values, "exprId": f"resolved {self._made}"}
        return attribute


@dataclass(slots=True)
class Column:
    """Column of a query, for the query around it; the name is None if the database makes it."""

    name: str | None
    node: Node


@dataclass(slots=True)
class Table:
    """Item of a FROM: its known `columns`; `rest` finds a further column, where there are more.

    Attributes:
        alias: the parts of its name, in lower case.
        closed: True if `columns` are all of its columns.
    """

    alias: tuple[str, ...]
    columns: list[Column] = field(default_factory=list)
    rest: Callable[[str], Node] | None = None
    closed: bool = True

    def find(self, name: str) -> Node | None:
        """Find a column; None if the item has no column of the name.

        Raises:
            Unresolvable: the item may have the column, or has several.
        """
        nodes = [
            column.node for column in self.columns if column.name is not None and plain(column.name) == plain(name)
        ]
        if len(nodes) == 1:
            return nodes[0]
        if not nodes and self.rest is not None:
            return self.rest(name)
        if nodes or not self.closed or any(column.name is None for column in self.columns):
            raise Unresolvable(name)
        return None

    def has(self, name: str) -> bool:
        """True if a known column has the name."""
        return any(column.name is not None and plain(column.name) == plain(name) for column in self.columns)


@dataclass(slots=True)
class Scope:
    """Meanings of names in a SELECT: columns of its FROM, `merged` columns (USING), or columns of the `outer` query.

    A `hidden` name may be an alias instead.
    """

    tables: Sequence[Table]
    merged: Mapping[str, Node] = field(default_factory=dict)
    natural: bool = False
    outer: Scope | None = None
    hidden: frozenset[str] = frozenset()

    def find(self, parts: Sequence[str]) -> Node:
        """Find the column of a name, by its parts: `["o", "total"]`.

        Raises:
            Unresolvable: several columns are possible, or none.
        """
        table, name = tuple(map(plain, parts[:-1])), parts[-1]
        if not table:
            return self._unqualified(name)
        items = [item for item in self.tables if item.alias[-len(table) :] == table]
        column = items[0].find(name) if len(items) == 1 else None
        if column is not None:
            return column
        if items or self.outer is None:
            raise Unresolvable(".".join(parts))
        return self.outer.find(parts)

    def _unqualified(self, name: str) -> Node:
        if plain(name) in self.merged:
            return self.merged[plain(name)]
        if self.natural or plain(name) in self.hidden:
            raise Unresolvable(name)
        known = [item for item in self.tables if item.has(name)]
        return _column_of(known, name) if known else self._guessed(name)

    def _guessed(self, name: str) -> Node:
        """Find a column in the only table that may have it."""
        may = [item for item in self.tables if not item.closed or any(column.name is None for column in item.columns)]
        if self.outer is not None and not may:
            return self.outer.find([name])
        return _column_of(may if self.outer is None else (), name)


def _column_of(items: Sequence[Table], name: str) -> Node:
    column = items[0].find(name) if len(items) == 1 else None
    if column is None:
        raise Unresolvable(name)
    return column


def tables_in(node: Node, defined: frozenset[str] = frozenset()) -> Iterator[tuple[str, ...] | None]:
    """Yield the names of the tables in a query, None for a function; `defined` are its CTEs."""
    if node.kind == "UnresolvedWith":
        for name, query, *_ in node.values.get("cteRelations") or ():
            defined |= {plain(str(name))}
            yield from tables_in(query, defined)
    if node.kind == "UnresolvedRelation":
        parts = tuple(map(str, node.values.get("multipartIdentifier") or ()))
        if len(parts) != 1 or plain(parts[0]) not in defined:
            yield parts
        return
    if node.kind == "UnresolvedTableValuedFunction":
        yield None
    for child in node.below if node.kind != "UnresolvedWith" else node.nodes("child"):
        yield from tables_in(child, defined)
