"""Columns as an SVG picture: rows of their datasets, and between them how each is made; data flows to the right.

What makes a row stands in the gap before its dataset, so that each arrow leads through its own label. Arrows that mean
no more than which rows there are (filters, joins, groups) are dashed, and lead to the dataset's head.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.cells import cell_len

from headwater.column_graph import Column, ColumnGraph, asked_of
from headwater.layout import Box, Layout, Point, Size, lay_out
from headwater.service import printable
from headwater.svg import NAME_CELL, SAID_CELL, Picture, add, add_arrow, save, shortened

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from xml.etree import ElementTree

    from headwater.column_graph import Place
    from headwater.layers import Edge

_HEAD, _ROW, _FOOT, _LABEL = 46.0, 22.0, 6.0, 20.0
_PADDING, _TYPE_GAP = 14.0, 18.0
_NAME_CELLS_MAX, _SAID_CELLS_MAX, _LABEL_CELLS_MAX = 34, 42, 60
_STYLE = """\
.place { text-anchor: middle }
.column { text-anchor: start; fill: #1f2328; font-size: 12px }
.type { text-anchor: end }
.rule { stroke: #d0d7de }
.asked .row { fill: #fdf3dc }
.asked .column { font-weight: 600 }
.way .shape { fill: #e6f3e9; stroke: #5c9a6c }
.masked .shape { fill: #f6e5f3; stroke: #a0619a }
.indirect .shape { fill: #ffffff; stroke-dasharray: 4 3 }
.flow.to { marker-end: none }
.flow.indirect { stroke-dasharray: 4 3 }
"""


@dataclass(frozen=True, slots=True)
class _Label:
    """What stands between columns: how `destination` is made of the origins that go through it."""

    destination: str
    said: str
    indirect: bool
    masked: bool


def draw(graph: ColumnGraph, node_id: str) -> str:
    """The picture as the text of an SVG file; the same graph gives the same text.

    A dataset is a `g` with its id in `data-id`, a column one inside it; the way from a column to its label is a `path`
    with `data-from` and `data-to`, the columns that it joins.
    """
    origins = _origins(graph)
    rows, labels = _ordered(graph, origins)
    sizes: dict[str, Size] = {place.id: _size(place, columns) for place, columns in rows.items()}
    sizes |= {key: Size(_label_width(label), _LABEL) for key, label in labels.items()}
    places = {column.id: column.place.id for column in graph.columns.values()}
    edges = {(places[origin], key) for key, label in labels.items() for origin in origins[label]}
    edges |= {(key, places[label.destination]) for key, label in labels.items()}
    layout = lay_out(sizes, edges)
    about = "There is more than is shown." if graph.truncated else "All of it."
    picture = Picture((layout.width, layout.height), "What columns are made of", about, _STYLE)
    ends = _Ends(layout, _numbered(rows), places)
    for key, label in labels.items():
        _add_ways(picture.area, ends, key, label, origins[label])
    asked = set(asked_of(graph, node_id))
    for place, columns in rows.items():
        _add_dataset(picture.area, place, columns, layout.boxes[place.id], asked)
    return picture.text


def write_column_picture(graph: ColumnGraph, node_id: str, file: Path) -> None:
    """Draw the graph into a file."""
    save(draw(graph, node_id), file)


def _origins(graph: ColumnGraph) -> Mapping[_Label, list[str]]:
    """Of each label, the columns that go through it."""
    origins: dict[_Label, list[str]] = defaultdict(list)
    for way in graph.made:
        origins[_Label(way.destination, way.said, way.indirect, way.masked)].append(way.origin)
    return origins


def _ordered(
    graph: ColumnGraph, origins: Mapping[_Label, list[str]]
) -> tuple[Mapping[Place, list[Column]], Mapping[str, _Label]]:
    """The rows of each dataset, and the labels by a key, in an order that crosses little.

    It is the one in which columns and labels would stand if each were a box of its own.
    """
    keys = {label: f"way {number:06}" for number, label in enumerate(origins)}
    edges = {(origin, keys[label]) for label, through in origins.items() for origin in through}
    edges |= {(key, label.destination) for label, key in keys.items()}
    boxes = lay_out(dict.fromkeys([*graph.columns, *keys.values()], Size(1.0, 1.0)), edges).boxes
    rows: dict[Place, list[Column]] = {}
    for column in sorted(graph.columns.values(), key=lambda one: (boxes[one.id].y, one.id)):
        rows.setdefault(column.place, [])
        if column.name is not None:
            rows[column.place].append(column)
    labels = sorted(origins, key=lambda label: (boxes[keys[label]].y, keys[label]))
    return dict(sorted(rows.items())), {f"way {number:06}": label for number, label in enumerate(labels)}


def _numbered(rows: Mapping[Place, list[Column]]) -> Mapping[str, int]:
    """The place of each column in its dataset's box."""
    return {column.id: number for columns in rows.values() for number, column in enumerate(columns)}


def _size(place: Place, columns: Sequence[Column]) -> Size:
    name, said = _lines(place)
    widths = [cell_len(name) * NAME_CELL, cell_len(said) * SAID_CELL]
    widths += [cell_len(_name(one)) * NAME_CELL + cell_len(_type(one)) * SAID_CELL + _TYPE_GAP for one in columns]
    return Size(max(widths) + 2 * _PADDING, _HEAD + _ROW * len(columns) + _FOOT)


def _lines(place: Place) -> tuple[str, str]:
    """A dataset's name, and below it where it is."""
    within = place.name.removesuffix(place.short_name).rstrip("/")
    said = f"{place.namespace}:{within}" if within else place.namespace
    name = f"{place.short_name}#{place.version[:8]}" if place.version else place.short_name
    return shortened(printable(name), _NAME_CELLS_MAX), shortened(printable(said), _SAID_CELLS_MAX)


def _name(column: Column) -> str:
    return shortened(column.name or "", _NAME_CELLS_MAX)


def _type(column: Column) -> str:
    return shortened(column.type or "", _NAME_CELLS_MAX)


def _label_width(label: _Label) -> float:
    return cell_len(shortened(label.said, _LABEL_CELLS_MAX)) * SAID_CELL + _PADDING


@dataclass(frozen=True, slots=True)
class _Ends:
    """Where arrows begin and end: at a column's row, or its dataset's head."""

    layout: Layout
    rows: Mapping[str, int]
    places: Mapping[str, str]

    def route(self, edge: Edge, column: str) -> list[Point]:
        """The way between a label and a dataset's box, from or to the row of the column."""
        route = list(self.layout.routes[edge])
        end = 0 if edge[0] == self.places[column] else -1
        route[end] = (route[end][0], self._y(column))
        return route

    def _y(self, column: str) -> float:
        place = self.places[column]
        top = self.layout.boxes[place].y
        if column == place:
            return top + _HEAD / 2
        return top + _HEAD + _ROW * (self.rows[column] + 0.5)


def _add_ways(parent: ElementTree.Element, ends: _Ends, key: str, label: _Label, origins: Sequence[str]) -> None:
    kind = " indirect" if label.indirect else ""
    group = add(parent, "g", class_=f"way{kind}{' masked' if label.masked else ''}")
    add(group, "title", label.said)
    for origin in origins:
        data = {"data-from": printable(origin), "data-to": printable(label.destination)}
        add_arrow(group, ends.route((ends.places[origin], key), origin), f"flow to{kind}", data)
    onward = ends.route((key, ends.places[label.destination]), label.destination)
    add_arrow(group, onward, f"flow{kind}", {})
    box, width = ends.layout.boxes[key], _label_width(label)
    middle = (box.x + box.width / 2, box.y + box.height / 2)
    add_arrow(group, [(box.x, middle[1]), (box.x + box.width, middle[1])], f"flow to{kind}", {})
    add(group, "rect", class_="shape", x=middle[0] - width / 2, y=box.y, width=width, height=box.height, rx=_LABEL / 2)
    add(group, "text", shortened(label.said, _LABEL_CELLS_MAX), x=middle[0], y=middle[1] + 4)


def _add_dataset(
    parent: ElementTree.Element, place: Place, columns: Sequence[Column], box: Box, asked: set[str]
) -> None:
    group = add(parent, "g", class_="dataset", data_id=printable(place.id))
    add(group, "title", printable(place.id))
    add(group, "rect", class_="shape", x=box.x, y=box.y, width=box.width, height=box.height, rx=6)
    name, said = _lines(place)
    middle = box.x + box.width / 2
    add(group, "text", name, class_="name", x=middle, y=box.y + 19)
    add(group, "text", said, class_="said", x=middle, y=box.y + 34)
    for number, column in enumerate(columns):
        _add_row(group, column, Box(box.x, box.y + _HEAD + _ROW * number, box.width, _ROW), column.id in asked)


def _add_row(parent: ElementTree.Element, column: Column, box: Box, asked: bool) -> None:
    group = add(parent, "g", class_="asked" if asked else "of", data_id=printable(column.id))
    add(group, "title", printable(column.id))
    if asked:
        add(group, "rect", class_="row", x=box.x + 1, y=box.y, width=box.width - 2, height=box.height)
    add(group, "path", class_="rule", d=f"M{box.x:.1f} {box.y:.1f}h{box.width:.1f}")
    add(group, "text", _name(column), class_="column", x=box.x + _PADDING, y=box.y + 15)
    add(group, "text", _type(column), class_="type", x=box.x + box.width - _PADDING, y=box.y + 15)
