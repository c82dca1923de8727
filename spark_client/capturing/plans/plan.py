"""Query plan of the JVM: a graph of nodes, plans and expressions alike, each once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any


class Node:
    """Node of Spark's tree: `kind` is its class without the package, `values` are its constructor's, by name.

    Nodes among the values are `Node`s. An object is a dict of its `object_rules.GETTERS`, with its class under
    `"class"`. Numbers and ids are texts. Unread values are missing.
    """

    __slots__ = ("_below", "kind", "number", "values")

    def __init__(self, number: int, kind: str) -> None:
        self.number = number
        self.kind = kind
        self.values: Mapping[str, Any] = {}
        self._below: list[Node] | None = None

    @property
    def below(self) -> Sequence[Node]:
        """Nodes among the values, in order, at any depth of lists and objects."""
        if self._below is None:
            self._below = [node for value in self.values.values() for node in _nodes_in(value)]
        return self._below

    def node(self, name: str) -> Node | None:
        """Find the node under a name."""
        value = self.values.get(name)
        return value if isinstance(value, Node) else None

    def nodes(self, *names: str) -> list[Node]:
        """List the nodes under these names, in order, at any depth of lists and objects."""
        return [node for name in names for node in _nodes_in(self.values.get(name))]

    def text(self, name: str) -> str | None:
        """Find the text under a name."""
        value = self.values.get(name)
        return value if isinstance(value, str) else None

    def object(self, name: str) -> Mapping[str, Any]:
        """Find the object or map under a name; an empty map without any."""
        value = self.values.get(name)
        return value if isinstance(value, Mapping) else {}

    def at(self, *names: str) -> Any:
        """Find the value at a path of names (`value_at`)."""
        return value_at(self, *names)

    def __repr__(self) -> str:
        return f"<{self.kind} {self.number}>"


def value_at(value: object, *names: str) -> Any:
    """Find the value at a path of names, through nodes and objects; None where a step is missing.

    >>> value_at({"table": {"schema": None, "name": "orders"}}, "table", "name"), value_at("orders", "name")
    ('orders', None)
    """
    for name in names:
        value = value.values if isinstance(value, Node) else value
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _nodes_in(value: object) -> Iterable[Node]:
    if isinstance(value, Node):
        return (value,)
    if isinstance(value, dict):
        value = list(value.values())
    return [node for item in value for node in _nodes_in(item)] if isinstance(value, list) else ()


def parse_plan(kinds: Sequence[str], objects: Sequence[Sequence[Any]], types: Sequence[str] = ()) -> Node:
    """Parse a plan of `PlanReader.java` into its first node; `objects` has `[index in kinds, {name: value}]` a node.

    An integer among the values is the index of a node, a negative integer (`~index`) of a type.

    >>> parse_plan(["Filter", "LocalRelation"], [[0, {"child": 1}], [1, {"schema": -1}]], ["{}"]).node("child").values
    {'schema': '{}'}
    """
    nodes = [Node(number, kinds[entry[0]]) for number, entry in enumerate(objects)]
    for node, entry in zip(nodes, objects, strict=True):
        node.values = {name: _linked(value, nodes, types) for name, value in entry[1].items()}
    return nodes[0]


def _linked(value: Any, nodes: Sequence[Node], types: Sequence[str]) -> Any:
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, int):
        return nodes[value] if value >= 0 else types[~value]
    if isinstance(value, list):
        return [_linked(item, nodes, types) for item in value]
    return {name: _linked(item, nodes, types) for name, item in value.items()}


def kinds(text: str) -> frozenset[str]:
    """Split names of classes, separated by blanks."""
    return frozenset(text.split())
