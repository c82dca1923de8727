"""State of reading the text of an analyzed plan, and lists in the text, for the rules of all operators."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from spark_client.capturing.connect.columns.frames import Nodes, TextFrame
from spark_client.capturing.connect.columns.texts import Texts
from spark_client.capturing.connect.snapshots import Column, Unreadable
from spark_client.capturing.model import SchemaField
from spark_client.capturing.plans.plan import kinds

Rule: TypeAlias = "Callable[[TextReading, Step], TextFrame]"
_COLUMN = re.compile(r"(.*?)#(\d+)(L?)(?:, ?|$)")
LONG = SchemaField("", "long")
# Operators with lists ended by their brackets alone.
LISTING = kinds("Aggregate Generate Expand Window Sort")


class Step(NamedTuple):
    """Step of a plan's text, with the frames of the steps below, and of the subqueries inside."""

    text: str
    below: list[TextFrame]
    inside: list[TextFrame]

    @property
    def child(self) -> TextFrame:
        """Frame of the only step below, or of the first."""
        return self.below[0]


class TextReading:
    """State of reading a plan's text; `rows` makes rows in the statement, by names and ids of their columns."""

    def __init__(self, nodes: Nodes, texts: Texts, rows: Callable[[Sequence[tuple[str, str]]], TextFrame]) -> None:
        self.nodes = nodes
        self.texts = texts
        self.rows = rows

    def over(self, child: TextFrame, kind: str, **values: Any) -> TextFrame:
        """Make a step with the columns of its child."""
        return child._replace(node=self.nodes.node(kind, child=child.node, **values))


def listed_columns(text: str) -> list[tuple[str, str, str]]:
    """Parse names, ids and `L` (of a long) of columns in a list.

    >>> listed_columns("a#1,b, c#2L")
    [('a', '1', ''), ('b, c', '2', 'L')]
    """
    return _COLUMN.findall(text)


def new_columns(reader: TextReading, listed: Sequence[tuple[str, str, str]]) -> tuple[Column, ...]:
    """Make new columns of listed columns."""
    return tuple(Column(name, reader.nodes.new_id(), type=LONG if is_long else None) for name, _, is_long in listed)


def bracketed(text: str, pair: str = "[]") -> tuple[str, str]:
    """Split a text at the bracket that ends its list.

    >>> bracketed("a[1], b], [c]")
    ('a[1], b', ', [c]')
    """
    depth = 1
    for at, letter in enumerate(text):
        depth += (letter == pair[0]) - (letter == pair[1])
        if depth == 0:
            return text[:at], text[at + 1 :]
    raise Unreadable("a list in the text of a plan")


def split_list(text: str) -> list[str]:
    """Split a list without aliases into its items.

    >>> split_list("a, f(b, c), d[0, 1]")
    ['a', 'f(b, c)', 'd[0, 1]']
    """
    items, depth, began = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "([") - (letter in ")]")
        if depth == 0 and text.startswith(", ", at):
            items.append(text[began:at])
            began = at + 2
    return [*items, text[began:]] if text else []
