"""A graph of jobs and datasets as an SVG picture: jobs are round, datasets are drums, data flows to the right.

Fills are light and lines grey, so that it reads on a light and on a dark page, and as a file by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from rich.cells import cell_len

from headwater.graph_text import said_of
from headwater.job_graph import Dataset, Job, JobGraph, Node, short_name
from headwater.layers import Edge
from headwater.layout import Box, Point, Size, lay_out
from headwater.service import printable

_HEIGHT = 52.0
_MARGIN = 20.0
_PADDING = 22.0
_NAME_CELLS_MAX, _SAID_CELLS_MAX = 34, 42
# The mean advance of the two fonts, generously: the viewer's font is not known here.
_NAME_CELL, _SAID_CELL = 8.0, 6.4
_DRUM = 5.0
_STYLE = """
text { font: 11px system-ui, "Segoe UI", Helvetica, Arial, sans-serif; fill: #57606a; text-anchor: middle }
.name { font-weight: 600; font-size: 13px; fill: #1f2328 }
.job .shape { fill: #e8eefc; stroke: #5b7bc4; stroke-width: 1.5 }
.dataset .shape { fill: #f3f4f6; stroke: #7d8590; stroke-width: 1.5 }
.rim { fill: none; stroke: #7d8590; stroke-width: 1.5 }
.stale .shape { fill: #fdf3dc; stroke: #b58a2a; stroke-dasharray: 5 3 }
.stale .rim { stroke: #b58a2a }
.completed .said { fill: #2c7a3f }
.running .said { fill: #8a6116 }
.failed .said, .aborted .said { fill: #b3261e }
.flow { fill: none; stroke: #7d8590; stroke-width: 1.5; marker-end: url(#head) }
.back { stroke-dasharray: 5 3 }
.head { fill: #7d8590 }
"""


def draw(graph: JobGraph) -> str:
    """The picture as the text of an SVG file; the same graph gives the same text.

    Each node is a `g` with its id in `data-id`, each edge a `path` with `data-from` and `data-to`.
    """
    layout = lay_out({node_id: Size(_width(node), _HEIGHT) for node_id, node in graph.nodes.items()}, graph.edges)
    width, height = layout.width + 2 * _MARGIN, layout.height + 2 * _MARGIN
    svg = ElementTree.Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": f"0 0 {_n(width)} {_n(height)}",
            "width": _n(width),
            "height": _n(height),
            "role": "img",
        },
    )
    ElementTree.SubElement(svg, "title").text = "Jobs and the datasets that they read and write"
    ElementTree.SubElement(svg, "desc").text = "More is connected than is shown." if graph.truncated else "All of it."
    ElementTree.SubElement(svg, "style").text = _STYLE
    _add_head(ElementTree.SubElement(svg, "defs"))
    moved = ElementTree.SubElement(svg, "g", {"transform": f"translate({_n(_MARGIN)} {_n(_MARGIN)})"})
    for edge, route in layout.routes.items():
        _add_edge(moved, edge, route)
    for node_id, node in graph.nodes.items():
        _add_node(moved, node, layout.boxes[node_id])
    ElementTree.indent(svg)
    return ElementTree.tostring(svg, encoding="unicode") + "\n"


def write_picture(graph: JobGraph, file: Path) -> None:
    """Draw the graph into a file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(draw(graph), encoding="utf-8")


def shortened(text: str, cells_max: int) -> str:
    """The text with its middle left out where it is wider than so many cells of a terminal.

    >>> shortened("/work/main/.headwater/demo/checked", 20)
    '/work/mai…mo/checked'
    """
    if cell_len(text) <= cells_max:
        return text
    kept = cells_max - 1
    while cell_len(short := f"{text[: kept // 2]}…{text[-(kept - kept // 2) :]}") > cells_max:
        kept -= 1
    return short


def _lines(node: Node) -> tuple[str, str]:
    """A node's name, and below it what is said of it or where it is."""
    said = said_of(node)
    if isinstance(node, Dataset) and not said:
        place = node.name.removesuffix(short_name(node)).rstrip("/")
        said = f"{node.namespace}:{place}" if place else node.namespace
    return shortened(short_name(node), _NAME_CELLS_MAX), shortened(said, _SAID_CELLS_MAX)


def _width(node: Node) -> float:
    name, said = _lines(node)
    return max(cell_len(name) * _NAME_CELL, cell_len(said) * _SAID_CELL) + 2 * _PADDING


def _add_head(defs: ElementTree.Element) -> None:
    size = {"markerWidth": "7", "markerHeight": "7", "viewBox": "0 0 8 8", "refX": "7", "refY": "4"}
    marker = ElementTree.SubElement(defs, "marker", {"id": "head", **size, "orient": "auto"})
    ElementTree.SubElement(marker, "path", {"class": "head", "d": "M0 0L8 4L0 8z"})


def _add_edge(parent: ElementTree.Element, edge: Edge, route: Sequence[Point]) -> None:
    origin, destination = map(printable, edge)
    leads_back = route[0][0] > route[-1][0]
    kind = "flow back" if leads_back else "flow"
    form = {"class": kind, "data-from": origin, "data-to": destination, "d": _path(route)}
    ElementTree.SubElement(parent, "path", form)


def _path(route: Sequence[Point]) -> str:
    """Curves between the layers, lines through them."""
    x, y = route[0]
    steps = [f"M{_n(x)} {_n(y)}"]
    for number, (to_x, to_y) in enumerate(route[1:]):
        middle = _n((x + to_x) / 2)
        curve = f"C{middle} {_n(y)} {middle} {_n(to_y)} {_n(to_x)} {_n(to_y)}"
        steps.append(curve if number % 2 == 0 else f"H{_n(to_x)}")
        x, y = to_x, to_y
    return "".join(steps)


def _add_node(parent: ElementTree.Element, node: Node, box: Box) -> None:
    group = ElementTree.SubElement(parent, "g", {"class": _kinds(node), "data-id": printable(node.id)})
    ElementTree.SubElement(group, "title").text = printable(node.id)
    (_add_job if isinstance(node, Job) else _add_drum)(group, box)
    name, said = _lines(node)
    middle = box.x + box.width / 2
    # A drum's lid takes some of its height.
    top = box.y + (0.0 if isinstance(node, Job) else _DRUM)
    for kind, text, y in (("name", name, top + 22), ("said", said, top + 38)):
        ElementTree.SubElement(group, "text", {"class": kind, "x": _n(middle), "y": _n(y)}).text = text


def _kinds(node: Node) -> str:
    if isinstance(node, Job):
        return f"job {node.state.lower()}" if node.state else "job"
    return "dataset stale" if node.stale else "dataset"


def _add_job(group: ElementTree.Element, box: Box) -> None:
    sides = {"x": _n(box.x), "y": _n(box.y), "width": _n(box.width), "height": _n(box.height)}
    ElementTree.SubElement(group, "rect", {"class": "shape", **sides, "rx": _n(box.height / 2)})


def _add_drum(group: ElementTree.Element, box: Box) -> None:
    x, right = _n(box.x), _n(box.x + box.width)
    top, bottom = _n(box.y + _DRUM), _n(box.y + box.height - _DRUM)
    bow = f"A{_n(box.width / 2)} {_n(_DRUM)} 0 0"
    ElementTree.SubElement(
        group, "path", {"class": "shape", "d": f"M{x} {top}{bow} 1 {right} {top}V{bottom}{bow} 1 {x} {bottom}z"}
    )
    ElementTree.SubElement(group, "path", {"class": "rim", "d": f"M{x} {top}{bow} 0 {right} {top}"})


def _n(number: float) -> str:
    """A number without the digits that nobody sees.

    >>> _n(12.0), _n(3.14159)
    ('12', '3.1')
    """
    return f"{number:.1f}".removesuffix(".0")
