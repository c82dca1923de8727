"""Where the nodes of a directed graph stand in a picture: in layers from left to right, with few crossings.

The layered drawing of Sugiyama, Tagawa and Toda (1981): an edge that spans several layers passes through a slot of its
own in each between; the order within a layer follows the mean of the neighbours; so do the places, as near to it as the
order lets them. The same graph always has the same layout.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from statistics import fmean
from typing import NamedTuple, TypeAlias

from headwater.layers import Edge, Layers, layers_of

Point: TypeAlias = tuple[float, float]
# What takes a place in a layer: a node, or an edge (origin, destination, layer) that passes.
_Slot: TypeAlias = str | tuple[str, str, int]
_Columns: TypeAlias = list[list[_Slot]]
_Near: TypeAlias = Mapping[_Slot, list[_Slot]]

_ORDER_SWEEPS, _PLACE_SWEEPS = 12, 25
_GAP_X, _GAP_Y = 72.0, 22.0
_PASSING_HEIGHT = 2.0
# How far below the middle of a node the edges that lead back leave and arrive.
_BACK_Y = 10.0


class Size(NamedTuple):
    """What a node needs."""

    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Box:
    """A node's place."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Layout:
    """Boxes that do not overlap, and the points that each edge goes through, from its origin to its destination.

    Between the first and the second point an edge moves up or down, where no box is; from there to the third it runs
    level through a layer; and so on.
    """

    boxes: Mapping[str, Box]
    routes: Mapping[Edge, Sequence[Point]]
    width: float
    height: float


def lay_out(sizes: Mapping[str, Size], edges: Iterable[Edge]) -> Layout:
    """The layout of nodes of these sizes; all nodes of a layer get the width of its widest."""
    edges = sorted(set(edges))
    found = layers_of(sizes, edges)
    ways = {edge: list(_way(edge, found)) for edge in edges}
    left, right = _neighbours(ways.values())
    columns = _ordered(_columns(found, ways.values()), left, right)
    middles = _middles(columns, left, right, sizes)
    spans = list(_spans(columns, sizes))
    boxes = {
        slot: Box(x, middles[slot] - sizes[slot].height / 2, width, sizes[slot].height)
        for column, (x, width) in zip(columns, spans, strict=True)
        for slot in column
        if isinstance(slot, str)
    }
    routes = {edge: _route(edge, way, found, middles, spans) for edge, way in ways.items()}
    x, width = spans[-1] if spans else (0.0, 0.0)
    bottoms = [box.y + box.height for box in boxes.values()]
    lines = [y for route in routes.values() for _, y in route]
    return Layout(boxes, routes, x + width, max([*bottoms, *lines], default=0.0))


def _way(edge: Edge, found: Layers) -> Iterator[_Slot]:
    """The slots of an edge from left to right, whichever way it leads."""
    left, right = reversed(edge) if edge in found.backward else edge
    yield left
    for layer in range(found.layers[left] + 1, found.layers[right]):
        yield (*edge, layer)
    yield right


def _columns(found: Layers, ways: Iterable[list[_Slot]]) -> _Columns:
    columns: _Columns = [[] for _ in range(max(found.layers.values(), default=-1) + 1)]
    for node in sorted(found.layers):
        columns[found.layers[node]].append(node)
    for way in ways:
        for slot in way[1:-1]:
            columns[int(slot[2])].append(slot)
    return columns


def _neighbours(ways: Iterable[list[_Slot]]) -> tuple[_Near, _Near]:
    """Of each slot, those to the left and those to the right."""
    left, right = defaultdict(list), defaultdict(list)
    for way in ways:
        for one, other in pairwise(way):
            right[one].append(other)
            left[other].append(one)
    return left, right


def _ordered(columns: _Columns, left: _Near, right: _Near) -> _Columns:
    """The columns, each in the order that was found to cross least."""
    best, least = columns, _crossings(columns, right)
    for sweep in range(_ORDER_SWEEPS):
        if not least:
            break
        near, step = (left, 1) if sweep % 2 == 0 else (right, -1)
        columns = _swept(columns[::step], near)[::step]
        crossings = _crossings(columns, right)
        if crossings < least:
            best, least = columns, crossings
    return best


def _swept(columns: _Columns, near: _Near) -> _Columns:
    """Each column in the order of its neighbours in the one before."""
    places: dict[_Slot, float] = {}
    swept = []
    for column in columns:
        own = _places(column)
        wanted = {slot: fmean([places[one] for one in near.get(slot, ())] or [own[slot]]) for slot in column}
        swept.append(sorted(column, key=wanted.__getitem__))
        places = _places(swept[-1])
    return swept


def _places(column: list[_Slot]) -> dict[_Slot, float]:
    """From 0 to 1, so that short and long columns compare."""
    return {slot: (index + 0.5) / len(column) for index, slot in enumerate(column)}


def _crossings(columns: _Columns, right: _Near) -> int:
    crossings = 0
    for column, following in pairwise(columns):
        index = {slot: number for number, slot in enumerate(following)}
        passed: list[int] = []
        for slot in column:
            ends = sorted(index[one] for one in right.get(slot, ()))
            crossings += sum(len(passed) - bisect_right(passed, end) for end in ends)
            for end in ends:
                insort(passed, end)
    return crossings


def _middles(columns: _Columns, left: _Near, right: _Near, sizes: Mapping[str, Size]) -> dict[_Slot, float]:
    """How far down the middle of each slot is; the topmost box begins at 0."""
    middles: dict[_Slot, float] = {}
    distances = [[_distance(one, other, sizes) for one, other in pairwise(column)] for column in columns]
    for column, apart in zip(columns, distances, strict=True):
        middles.update(zip(column, accumulate(apart, initial=0.0), strict=True))
    for sweep in range(_PLACE_SWEEPS):
        order = range(len(columns)) if sweep % 2 == 0 else reversed(range(len(columns)))
        for number in order:
            column = columns[number]
            wanted = [
                fmean([middles[one] for one in (*left.get(slot, ()), *right.get(slot, ()))] or [middles[slot]])
                for slot in column
            ]
            middles.update(zip(column, _spaced(wanted, distances[number]), strict=True))
    top = min((middle - _height(slot, sizes) / 2 for slot, middle in middles.items()), default=0.0)
    return {slot: middle - top for slot, middle in middles.items()}


def _spaced(wanted: Sequence[float], distances: Sequence[float]) -> list[float]:
    """The places nearest to the wanted ones (least squares) that keep their order and these distances.

    Without the distances this is isotonic regression, which neighbours that are out of order solve by sharing a mean.

    >>> _spaced([0.0, 0.0, 100.0], [10.0, 10.0])
    [-5.0, 5.0, 100.0]
    """
    offsets = list(accumulate(distances, initial=0.0))
    blocks: list[tuple[float, int]] = []
    for place, offset in zip(wanted, offsets, strict=True):
        total, count = place - offset, 1
        while blocks and blocks[-1][0] * count > total * blocks[-1][1]:
            before, more = blocks.pop()
            total, count = total + before, count + more
        blocks.append((total, count))
    means = [total / count for total, count in blocks for _ in range(count)]
    return [mean + offset for mean, offset in zip(means, offsets, strict=True)]


def _distance(one: _Slot, other: _Slot, sizes: Mapping[str, Size]) -> float:
    return (_height(one, sizes) + _height(other, sizes)) / 2 + _GAP_Y


def _height(slot: _Slot, sizes: Mapping[str, Size]) -> float:
    return sizes[slot].height if isinstance(slot, str) else _PASSING_HEIGHT


def _spans(columns: _Columns, sizes: Mapping[str, Size]) -> Iterator[tuple[float, float]]:
    """Left side and width of each column."""
    x = 0.0
    for column in columns:
        width = max(sizes[slot].width for slot in column if isinstance(slot, str))
        yield x, width
        x += width + _GAP_X


def _route(
    edge: Edge, way: list[_Slot], found: Layers, middles: Mapping[_Slot, float], spans: list[tuple[float, float]]
) -> list[Point]:
    back = edge in found.backward
    first = found.layers[str(way[0])]
    points: list[Point] = []
    for slot, (x, width) in zip(way, spans[first : first + len(way)], strict=True):
        y = middles[slot] + (_BACK_Y if back and isinstance(slot, str) else 0.0)
        points += [(x, y), (x + width, y)]
    route = points[1:-1]
    return route[::-1] if back else route
