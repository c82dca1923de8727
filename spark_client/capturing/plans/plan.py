"""A query plan as it was read out of the JVM: a graph of nodes, plans and expressions alike, each there once.

What the nodes mean is other modules' business (`operators`, `expressions`, `datasets`, `targets`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any


class Node:
    """A node of Spark's tree: `kind` is its class without the package, `values` are its constructor's, by name.

    Other nodes among the values are `Node`s; other objects are what `reading.GETTERS` reads of them, as dicts with
    their class under `"class"`; numbers and ids are texts. What was not read is not there.
    """

    __slots__ = ("_below", "kind", "number", "values")

    def __init__(self, number: int, kind: str) -> None:
        self.number = number
        self.kind = kind
        self.values: Mapping[str, Any] = {}
        self._below: list[Node] | None = None

    @property
    def below(self) -> Sequence[Node]:
        """All nodes among the values, in their order, however they are nested."""
        if self._below is None:
            self._below = [node for value in self.values.values() for node in _nodes_in(value)]
        return self._below

    def node(self, name: str) -> Node | None:
        """The node under a name."""
        value = self.values.get(name)
        return value if isinstance(value, Node) else None

    def nodes(self, *names: str) -> list[Node]:
        """All nodes under these names, in their order, however they are nested."""
        return [node for name in names for node in _nodes_in(self.values.get(name))]

    def text(self, name: str) -> str | None:
        """The text under a name."""
        value = self.values.get(name)
        return value if isinstance(value, str) else None

    def __repr__(self) -> str:
        return f"<{self.kind} {self.number}>"


def _nodes_in(value: object) -> Iterable[Node]:
    if isinstance(value, Node):
        return (value,)
    if isinstance(value, dict):
        value = list(value.values())
    return [node for one in value for node in _nodes_in(one)] if isinstance(value, list) else ()


def parse_plan(kinds: Sequence[str], objects: Sequence[Sequence[Any]], types: Sequence[str] = ()) -> Node:
    """The first node of a plan as `PlanReader.java` tells it: `[place in kinds, {name: value}]` for each node.

    In values an integer is the place of another node, a negative one (`~place`) that of a type.
    """
    nodes = [Node(number, kinds[told[0]]) for number, told in enumerate(objects)]
    for node, told in zip(nodes, objects, strict=True):
        node.values = {name: _linked(value, nodes, types) for name, value in told[1].items()}
    return nodes[0]


def _linked(value: Any, nodes: Sequence[Node], types: Sequence[str]) -> Any:
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, int):
        return nodes[value] if value >= 0 else types[~value]
    if isinstance(value, list):
        return [_linked(one, nodes, types) for one in value]
    return {name: _linked(one, nodes, types) for name, one in value.items()}


def kinds(text: str) -> frozenset[str]:
    """Classes of nodes, written one after the other."""
    return frozenset(text.split())
