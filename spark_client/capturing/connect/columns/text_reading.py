"""State of reading the text of an analyzed plan, and the lists in it: what the rules of all operators have at hand."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from spark_client.capturing.connect.columns.frames import Nodes, TextFrame
from spark_client.capturing.connect.columns.texts import Texts
from spark_client.capturing.connect.snapshots import Column, Unreadable
from spark_client.capturing.model import SchemaField
from spark_client.capturing.plans.plan import kinds

Rule: TypeAlias = "Callable[[TextReading, str, list[TextFrame], list[TextFrame]], TextFrame]"
_COLUMN = re.compile(r"(.*?)#(\d+)(L?)(?:, ?|$)")
LONG = SchemaField("", "long")
# Operators with lists that only their brackets end.
LISTING = kinds("Aggregate Generate Expand Window Sort")


class TextReading:
    """State of reading one plan's text; `rows` returns rows in the statement by names and ids of their columns."""

    def __init__(self, nodes: Nodes, texts: Texts, rows: Callable[[Sequence[tuple[str, str]]], TextFrame]) -> None:
        self.nodes = nodes
        self.texts = texts
        self.rows = rows

    def over(self, child: TextFrame, kind: str, **values: Any) -> TextFrame:
        """Return a step with the columns of its child."""
        return child._replace(node=self.nodes.node(kind, child=child.node, **values))


def listed_columns(text: str) -> list[tuple[str, str, str]]:
    """Return names, ids and `L` (of a long) of columns in a list.

    >>> listed_columns("a#1,b, c#2L")
    [('a', '1', ''), ('b, c', '2', 'L')]
    """
    return _COLUMN.findall(text)


def new_columns(reader: TextReading, listed: Sequence[tuple[str, str, str]]) -> tuple[Column, ...]:
    """Return new columns by names, ids, and whether they are long."""
    return tuple(Column(name, reader.nodes.new_id(), type=LONG if is_long else None) for name, _, is_long in listed)


def bracketed(text: str, pair: str = "[]") -> tuple[str, str]:
    """Return the text up to the bracket that closes one before it, and the text behind it.

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
    """Return the items of a list without aliases.

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
