"""Columns as an SVG picture: rows of their datasets, and between them their operations; data flows to the right.

The label of an operation stands in the gap before its dataset, so that each arrow leads through its own label. Arrows
that only decide which rows exist (filters, joins, groups) are dashed, and lead to the dataset's head.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.cells import cell_len

from headwater.cli.column_graph import ColumnGraph, GraphColumn, requested_columns
from headwater.cli.service import printable
from headwater.cli.text.layout import Box, Layout, Point, Size, lay_out
from headwater.cli.text.svg import NAME_CELL, TEXT_CELL, Picture, add, add_arrow, save, shortened

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from xml.etree import ElementTree

    from headwater.cli.column_graph import GraphDataset
    from headwater.cli.layers import Edge

_HEAD, _ROW, _FOOT, _LABEL = 46.0, 22.0, 6.0, 20.0
_PADDING, _TYPE_GAP = 14.0, 18.0
_NAME_CELLS_MAX, _TEXT_CELLS_MAX, _LABEL_CELLS_MAX = 34, 42, 60
_STYLE = """\
.place { text-anchor: middle }
.column { text-anchor: start; fill: #1f2328; font-size: 12px }
.type { text-anchor: end }
.rule { stroke: #d0d7de }
.requested .row { fill: #fdf3dc }
.requested .column { font-weight: 600 }
.edge .shape { fill: #e6f3e9; stroke: #5c9a6c }
.masked .shape { fill: #f6e5f3; stroke: #a0619a }
.indirect .shape { fill: #ffffff; stroke-dasharray: 4 3 }
.flow.to { marker-end: none }
.flow.indirect { stroke-dasharray: 4 3 }
"""


@dataclass(frozen=True, slots=True)
class _Label:
    """A label between columns: how its origins make the `destination`."""

    destination: str
    text: str
    indirect: bool
    masked: bool


def draw(graph: ColumnGraph, node_id: str) -> str:
    """Return the picture as the text of an SVG file; the same graph gives the same text.

    A dataset is a `g` with its id in `data-id`, a column a `g` inside it. The line from a column to its label is a
    `path` with `data-from` and `data-to`, the columns that it joins.
    """
    origins = _origins(graph)
    rows, labels = _ordered(graph, origins)
    sizes: dict[str, Size] = {dataset.id: _size(dataset, columns) for dataset, columns in rows.items()}
    sizes |= {key: Size(_label_width(label), _LABEL) for key, label in labels.items()}
    datasets = {column.id: column.dataset.id for column in graph.columns.values()}
    edges = {(datasets[origin], key) for key, label in labels.items() for origin in origins[label]}
    edges |= {(key, datasets[label.destination]) for key, label in labels.items()}
    layout = lay_out(sizes, edges)
    about = "The graph has more columns than are shown." if graph.truncated else "All of it."
    picture = Picture((layout.width, layout.height), "Columns and their sources", about, _STYLE)
    ends = _Ends(layout, _numbered(rows), datasets)
    for key, label in labels.items():
        _add_edges(picture.area, ends, key, label, origins[label])
    requested = set(requested_columns(graph, node_id))
    for dataset, columns in rows.items():
        _add_dataset(picture.area, dataset, columns, layout.boxes[dataset.id], requested)
    return picture.text


def write_column_picture(graph: ColumnGraph, node_id: str, file: Path) -> None:
    """Draw the graph into a file."""
    save(draw(graph, node_id), file)


def _origins(graph: ColumnGraph) -> Mapping[_Label, list[str]]:
    """Return the origins of each label."""
    origins: dict[_Label, list[str]] = defaultdict(list)
    for edge in graph.edges:
        origins[_Label(edge.destination, edge.label, edge.indirect, edge.masked)].append(edge.origin)
    return origins


def _ordered(
    graph: ColumnGraph, origins: Mapping[_Label, list[str]]
) -> tuple[Mapping[GraphDataset, list[GraphColumn]], Mapping[str, _Label]]:
    """Return the rows of each dataset, and the labels by a key, in an order with few crossings.

    The order is that of a layout in which each column and each label is a box.
    """
    keys = {label: f"edge {number:06}" for number, label in enumerate(origins)}
    edges = {(origin, keys[label]) for label, through in origins.items() for origin in through}
    edges |= {(key, label.destination) for label, key in keys.items()}
    boxes = lay_out(dict.fromkeys([*graph.columns, *keys.values()], Size(1.0, 1.0)), edges).boxes
    rows: dict[GraphDataset, list[GraphColumn]] = {}
    for column in sorted(graph.columns.values(), key=lambda one: (boxes[one.id].y, one.id)):
        rows.setdefault(column.dataset, [])
        if column.name is not None:
            rows[column.dataset].append(column)
    labels = sorted(origins, key=lambda label: (boxes[keys[label]].y, keys[label]))
    return dict(sorted(rows.items())), {f"edge {number:06}": label for number, label in enumerate(labels)}


def _numbered(rows: Mapping[GraphDataset, list[GraphColumn]]) -> Mapping[str, int]:
    """Return the index of each column in its dataset's box."""
    return {column.id: number for columns in rows.values() for number, column in enumerate(columns)}


def _size(dataset: GraphDataset, columns: Sequence[GraphColumn]) -> Size:
    name, text = _lines(dataset)
    widths = [cell_len(name) * NAME_CELL, cell_len(text) * TEXT_CELL]
    widths += [cell_len(_name(one)) * NAME_CELL + cell_len(_type(one)) * TEXT_CELL + _TYPE_GAP for one in columns]
    return Size(max(widths) + 2 * _PADDING, _HEAD + _ROW * len(columns) + _FOOT)


def _lines(dataset: GraphDataset) -> tuple[str, str]:
    """Return a dataset's name, and the location below it."""
    within = dataset.name.removesuffix(dataset.short_name).rstrip("/")
    text = f"{dataset.namespace}:{within}" if within else dataset.namespace
    name = f"{dataset.short_name}#{dataset.version[:8]}" if dataset.version else dataset.short_name
    return shortened(printable(name), _NAME_CELLS_MAX), shortened(printable(text), _TEXT_CELLS_MAX)


def _name(column: GraphColumn) -> str:
    return shortened(column.name or "", _NAME_CELLS_MAX)


def _type(column: GraphColumn) -> str:
    return shortened(column.type or "", _NAME_CELLS_MAX)


def _label_width(label: _Label) -> float:
    return cell_len(shortened(label.text, _LABEL_CELLS_MAX)) * TEXT_CELL + _PADDING


@dataclass(frozen=True, slots=True)
class _Ends:
    """The ends of arrows: a column's row, or its dataset's head."""

    layout: Layout
    rows: Mapping[str, int]
    datasets: Mapping[str, str]

    def route(self, edge: Edge, column: str) -> list[Point]:
        """Return the points between a label and a dataset's box, from or to the row of the column."""
        route = list(self.layout.routes[edge])
        end = 0 if edge[0] == self.datasets[column] else -1
        route[end] = (route[end][0], self._y(column))
        return route

    def _y(self, column: str) -> float:
        dataset = self.datasets[column]
        top = self.layout.boxes[dataset].y
        if column == dataset:
            return top + _HEAD / 2
        return top + _HEAD + _ROW * (self.rows[column] + 0.5)


def _add_edges(parent: ElementTree.Element, ends: _Ends, key: str, label: _Label, origins: Sequence[str]) -> None:
    kind = " indirect" if label.indirect else ""
    group = add(parent, "g", class_=f"edge{kind}{' masked' if label.masked else ''}")
    add(group, "title", label.text)
    for origin in origins:
        data = {"data-from": printable(origin), "data-to": printable(label.destination)}
        add_arrow(group, ends.route((ends.datasets[origin], key), origin), f"flow to{kind}", data)
    onward = ends.route((key, ends.datasets[label.destination]), label.destination)
    add_arrow(group, onward, f"flow{kind}", {})
    box, width = ends.layout.boxes[key], _label_width(label)
    middle = (box.x + box.width / 2, box.y + box.height / 2)
    add_arrow(group, [(box.x, middle[1]), (box.x + box.width, middle[1])], f"flow to{kind}", {})
    add(group, "rect", class_="shape", x=middle[0] - width / 2, y=box.y, width=width, height=box.height, rx=_LABEL / 2)
    add(group, "text", shortened(label.text, _LABEL_CELLS_MAX), x=middle[0], y=middle[1] + 4)


def _add_dataset(
    parent: ElementTree.Element, dataset: GraphDataset, columns: Sequence[GraphColumn], box: Box, requested: set[str]
) -> None:
    group = add(parent, "g", class_="dataset", data_id=printable(dataset.id))
    add(group, "title", printable(dataset.id))
    add(group, "rect", class_="shape", x=box.x, y=box.y, width=box.width, height=box.height, rx=6)
    name, text = _lines(dataset)
    middle = box.x + box.width / 2
    add(group, "text", name, class_="name", x=middle, y=box.y + 19)
    add(group, "text", text, class_="detail", x=middle, y=box.y + 34)
    for number, column in enumerate(columns):
        _add_row(group, column, Box(box.x, box.y + _HEAD + _ROW * number, box.width, _ROW), column.id in requested)


def _add_row(parent: ElementTree.Element, column: GraphColumn, box: Box, requested: bool) -> None:
    group = add(parent, "g", class_="requested" if requested else "of", data_id=printable(column.id))
    add(group, "title", printable(column.id))
    if requested:
        add(group, "rect", class_="row", x=box.x + 1, y=box.y, width=box.width - 2, height=box.height)
    add(group, "path", class_="rule", d=f"M{box.x:.1f} {box.y:.1f}h{box.width:.1f}")
    add(group, "text", _name(column), class_="column", x=box.x + _PADDING, y=box.y + 15)
    add(group, "text", _type(column), class_="type", x=box.x + box.width - _PADDING, y=box.y + 15)
