"""Parts of the pictures: a frame with its style, arrows, and texts that fit.

Fills are light and lines grey, so that a picture is readable on a light and a dark page, and as a file by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

from rich.cells import cell_len

from headwater.cli.text.layout import Point

_MARGIN = 20.0
_STYLE = """
text { font: 11px system-ui, "Segoe UI", Helvetica, Arial, sans-serif; fill: #57606a; text-anchor: middle }
.name { font-weight: 600; font-size: 13px; fill: #1f2328 }
.dataset .shape { fill: #f3f4f6; stroke: #7d8590; stroke-width: 1.5 }
.flow { fill: none; stroke: #7d8590; stroke-width: 1.5; marker-end: url(#head) }
.head { fill: #7d8590 }
"""
# The mean advance of the two fonts, rounded up: the viewer's font is unknown.
NAME_CELL, TEXT_CELL = 8.0, 6.4


class Picture:
    """An SVG under construction; `area` lies within its margin."""

    def __init__(self, size: Point, title: str, about: str, style: str) -> None:
        width, height = (n(length + 2 * _MARGIN) for length in size)
        form = {"xmlns": "http://www.w3.org/2000/svg", "viewBox": f"0 0 {width} {height}"}
        self._svg = ElementTree.Element("svg", {**form, "width": width, "height": height, "role": "img"})
        ElementTree.SubElement(self._svg, "title").text = title
        ElementTree.SubElement(self._svg, "desc").text = about
        ElementTree.SubElement(self._svg, "style").text = _STYLE + style
        _add_head(ElementTree.SubElement(self._svg, "defs"))
        self.area = add(self._svg, "g", transform=f"translate({n(_MARGIN)} {n(_MARGIN)})")

    @property
    def text(self) -> str:
        """The picture as the text of a file."""
        ElementTree.indent(self._svg)
        return ElementTree.tostring(self._svg, encoding="unicode") + "\n"


def add(parent: ElementTree.Element, tag: str, text: str | None = None, **form: float | str) -> ElementTree.Element:
    """Add an element to its parent and return it; an attribute's `_` stands for `-` (`class_` is `class`)."""
    written = {name.rstrip("_").replace("_", "-"): _written(value) for name, value in form.items()}
    element = ElementTree.SubElement(parent, tag, written)
    element.text = text
    return element


def add_arrow(parent: ElementTree.Element, route: Sequence[Point], kind: str, data: Mapping[str, str]) -> None:
    """Add an arrow along a layout's route."""
    ElementTree.SubElement(parent, "path", {"class": kind, **data, "d": _path(route)})


def save(text: str, file: Path) -> None:
    """Write a picture into a file, whose folder need not exist."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def shortened(text: str, cells_max: int) -> str:
    """Return the text, its middle left out if it is wider than `cells_max` cells of a terminal.

    >>> shortened("/work/main/.headwater/demo/checked", 20)
    '/work/mai…mo/checked'
    """
    if cell_len(text) <= cells_max:
        return text
    kept = cells_max - 1
    while cell_len(short := f"{text[: kept // 2]}…{text[-(kept - kept // 2) :]}") > cells_max:
        kept -= 1
    return short


def _add_head(defs: ElementTree.Element) -> None:
    size = {"markerWidth": "7", "markerHeight": "7", "viewBox": "0 0 8 8", "refX": "7", "refY": "4"}
    marker = ElementTree.SubElement(defs, "marker", {"id": "head", **size, "orient": "auto"})
    ElementTree.SubElement(marker, "path", {"class": "head", "d": "M0 0L8 4L0 8z"})


def _path(route: Sequence[Point]) -> str:
    """Return a path of curves between the layers, and lines through them."""
    x, y = route[0]
    steps = [f"M{n(x)} {n(y)}"]
    for number, (to_x, to_y) in enumerate(route[1:]):
        middle = n((x + to_x) / 2)
        curve = f"C{middle} {n(y)} {middle} {n(to_y)} {n(to_x)} {n(to_y)}"
        steps.append(curve if number % 2 == 0 else f"H{n(to_x)}")
        x, y = to_x, to_y
    return "".join(steps)


def _written(value: float | str) -> str:
    return value if isinstance(value, str) else n(value)


def n(number: float) -> str:
    """Return a number with at most one decimal.

    >>> n(12.0), n(3.14159)
    ('12', '3.1')
    """
    return f"{number:.1f}".removesuffix(".0")
