"""A graph of jobs and datasets as an SVG picture: jobs are round, datasets are drums, data flows to the right."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.cells import cell_len

from headwater.cli.job_graph import Dataset, Job, JobGraph, Node, short_name
from headwater.cli.service import printable
from headwater.cli.text.graph_text import status_of
from headwater.cli.text.layout import Box, Size, lay_out
from headwater.cli.text.svg import NAME_CELL, TEXT_CELL, Picture, add, add_arrow, n, save, shortened

if TYPE_CHECKING:
    from xml.etree import ElementTree

# The height of a node with two lines of text, and the distance of lines.
_HEIGHT, _LINE_HEIGHT = 52.0, 16.0
_PADDING = 22.0
_NAME_CELLS_MAX, _TEXT_CELLS_MAX = 34, 42
_DRUM = 5.0
_STYLE = """\
.job .shape { fill: #e8eefc; stroke: #5b7bc4; stroke-width: 1.5 }
.rim { fill: none; stroke: #7d8590; stroke-width: 1.5 }
.stale .shape { fill: #fdf3dc; stroke: #b58a2a; stroke-dasharray: 5 3 }
.stale .rim { stroke: #b58a2a }
.completed .status { fill: #2c7a3f }
.running .status { fill: #8a6116 }
.failed .said, .aborted .status { fill: #b3261e }
.back { stroke-dasharray: 5 3 }
"""


def draw(graph: JobGraph) -> str:
    """Return the picture as the text of an SVG file; the same graph gives the same text.

    Each node is a `g` with its id in `data-id`, each edge a `path` with `data-from` and `data-to`.
    """
    layout = lay_out({node_id: _size(node) for node_id, node in graph.nodes.items()}, graph.edges)
    about = "More is connected than is shown." if graph.truncated else "All of it."
    picture = Picture((layout.width, layout.height), "Jobs and the datasets that they read and write", about, _STYLE)
    for edge, route in layout.routes.items():
        origin, destination = map(printable, edge)
        kind = "flow back" if route[0][0] > route[-1][0] else "flow"
        add_arrow(picture.area, route, kind, {"data-from": origin, "data-to": destination})
    for node_id, node in graph.nodes.items():
        _add_node(picture.area, node, layout.boxes[node_id])
    return picture.text


def write_picture(graph: JobGraph, file: Path) -> None:
    """Draw the graph into a file."""
    save(draw(graph), file)


def _lines(node: Node) -> list[tuple[str, str]]:
    """Return a node's lines of text, each with its kind: its name, its location, and its status if it has one."""
    folder = node.name.removesuffix(short_name(node)).rstrip("/") if isinstance(node, Dataset) else ""
    location = f"{node.namespace}:{folder}" if folder else node.namespace
    lines = [("name", shortened(short_name(node), _NAME_CELLS_MAX)), ("location", shortened(location, _TEXT_CELLS_MAX))]
    status = status_of(node)
    return [*lines, ("status", shortened(status, _TEXT_CELLS_MAX))] if status else lines


def _size(node: Node) -> Size:
    (_, name), *below = _lines(node)
    width = max(cell_len(name) * NAME_CELL, *(cell_len(text) * TEXT_CELL for _, text in below))
    return Size(width + 2 * _PADDING, _HEIGHT + (len(below) - 1) * _LINE_HEIGHT)


def _add_node(parent: ElementTree.Element, node: Node, box: Box) -> None:
    group = add(parent, "g", class_=_kinds(node), data_id=printable(node.id))
    add(group, "title", printable(node.id))
    (_add_job if isinstance(node, Job) else _add_drum)(group, box)
    middle = box.x + box.width / 2
    # A drum's lid takes some of its height.
    first = box.y + 22 + (0.0 if isinstance(node, Job) else _DRUM)
    for number, (kind, text) in enumerate(_lines(node)):
        add(group, "text", text, class_=kind, x=middle, y=first + number * _LINE_HEIGHT)


def _kinds(node: Node) -> str:
    if isinstance(node, Job):
        return f"job {node.state.lower()}" if node.state else "job"
    return "dataset stale" if node.stale else "dataset"


def _add_job(group: ElementTree.Element, box: Box) -> None:
    add(group, "rect", class_="shape", x=box.x, y=box.y, width=box.width, height=box.height, rx=box.height / 2)


def _add_drum(group: ElementTree.Element, box: Box) -> None:
    x, right, half = n(box.x), n(box.x + box.width), n(box.width / 2)
    top, bottom = n(box.y + _DRUM), n(box.y + box.height - _DRUM)
    bow = f"A{half} {n(_DRUM)} 0 0"
    add(group, "path", class_="shape", d=f"M{x} {top}{bow} 1 {right} {top}V{bottom}{bow} 1 {x} {bottom}z")
    add(group, "path", class_="rim", d=f"M{x} {top}{bow} 0 {right} {top}")
