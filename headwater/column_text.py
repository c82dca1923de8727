"""Columns as text: what one is made of, and what is made of it, as trees with the operations on the way."""

from __future__ import annotations

from collections import defaultdict, deque
from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from headwater.column_graph import Column, ColumnGraph, asked_of
from headwater.service import printable
from headwater.trees import Words, grow

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.console import RenderableType

    from headwater.column_graph import Made

_MORE = "there is more than the answer holds"


def ways_of(graph: ColumnGraph, node_id: str, *, up: bool = True, down: bool = False) -> Group:
    """Return trees of what the asked columns are made of; with `down`, of what is made of them.

    What all rows of a dataset depend on is shown once, below "all of" the dataset, after the trees of the columns.
    """
    asked = asked_of(graph, node_id)
    parts: list[RenderableType] = []
    if up:
        parts += [Text("upstream", "cyan"), _trees(graph, asked, up=True)]
    if down:
        parts += [Text("downstream", "cyan"), _trees(graph, asked, up=False)]
    return Group(*parts, *([Text(_MORE, "yellow")] if graph.truncated else []))


def name_of(column: Column) -> str:
    """A column by its own name and its dataset's short one."""
    place = printable(column.place.short_name)
    return f"all of {place}" if column.name is None else f"{column.name} of {place}"


def _trees(graph: ColumnGraph, asked: list[str], *, up: bool) -> RenderableType:
    ways = {(way.destination, way.origin) if up else (way.origin, way.destination): way for way in graph.made}
    following: dict[str, list[str]] = defaultdict(list)
    # As people look for them, and alike on every machine, whatever folder the datasets are in.
    places = {one.id: (one.place.short_name, one.name or "", one.id) for one in graph.columns.values()}
    for one, other in sorted(ways, key=lambda way: (places[way[0]], places[way[1]])):
        following[one].append(other)
    if up:
        return grow([*asked, *_wholes(graph, asked, following)], following, _words(graph.columns, ways))
    for column, whole in _within(graph):
        following[whole].append(column)
    return grow(asked, following, _words(graph.columns, ways))


def _wholes(graph: ColumnGraph, asked: list[str], following: Mapping[str, list[str]]) -> list[str]:
    """Return "all of" each dataset whose rows depend on something, those nearest to the asked columns first."""
    wholes = dict(_within(graph))
    found: dict[str, None] = {}
    seen, waiting = set(asked), deque(asked)
    while waiting:
        one = waiting.popleft()
        near = [*following.get(one, ())]
        if one in wholes:
            found.setdefault(wholes[one])
            near.append(wholes[one])
        waiting += (new := dict.fromkeys(other for other in near if other not in seen))
        seen.update(new)
    return list(found)


def _within(graph: ColumnGraph) -> Iterator[tuple[str, str]]:
    """Yield each column with all of its dataset, where that is made of something."""
    made = {way.destination for way in graph.made}
    for column in graph.columns.values():
        if column.name is not None and column.place.id in made:
            yield column.id, column.place.id


def _words(columns: Mapping[str, Column], ways: Mapping[tuple[str, str], Made]) -> Words:
    def name(one: str, above: str | None) -> Text:
        text = Text(name_of(columns[one]), "bold", overflow="fold")
        way = ways.get((above, one)) if above else None
        return text.append(f"  {way.said}", "magenta" if way.masked else "green") if way else text

    def full(one: str, above: str | None) -> Text:
        kind = columns[one].type
        text = name(one, above)
        return text if kind is None else text.append(f"  {kind}", "dim")

    return Words(full, name)
