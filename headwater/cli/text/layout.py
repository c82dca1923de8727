"""The layout of a directed graph in a picture: in layers from left to right, with few crossings.

The layered drawing of Sugiyama, Tagawa and Toda (1981): an edge that spans several layers passes through a slot of its
own in each layer between. The order within a layer follows the mean of the neighbours; positions are as near to that
mean as the order permits. The same graph always has the same layout.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from statistics import fmean
from typing import NamedTuple, TypeAlias

from headwater.cli.layers import Edge, Layers, layers_of

Point: TypeAlias = tuple[float, float]
# A slot in a layer: a node, or an edge (origin, destination, layer) that passes.
_Slot: TypeAlias = str | tuple[str, str, int]
_Columns: TypeAlias = list[list[_Slot]]
_Near: TypeAlias = Mapping[_Slot, list[_Slot]]

_ORDER_SWEEPS, _PLACE_SWEEPS = 12, 25
_GAP_X, _GAP_Y = 72.0, 22.0
_PASSING_HEIGHT = 2.0
# The distance below a node's middle at which backward edges leave and arrive.
_BACK_Y = 10.0


class Size(NamedTuple):
    """The size of a node's box."""

    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Box:
    """A node's box: its upper left corner and its size."""

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
    """Return the layout of nodes of these sizes; all nodes of a layer get the width of its widest."""
    edges = sorted(set(edges))
    layers = layers_of(sizes, edges)
    slots_by_edge = {edge: list(_slots_of(edge, layers)) for edge in edges}
    left, right = _neighbours(slots_by_edge.values())
    columns = _ordered(_columns(layers, slots_by_edge.values()), left, right)
    middles = _middles(columns, left, right, sizes)
    spans = list(_spans(columns, sizes))
    boxes = {
        slot: Box(x, middles[slot] - sizes[slot].height / 2, width, sizes[slot].height)
        for column, (x, width) in zip(columns, spans, strict=True)
        for slot in column
        if isinstance(slot, str)
    }
    routes = {edge: _route(edge, slots, layers, middles, spans) for edge, slots in slots_by_edge.items()}
    x, width = spans[-1] if spans else (0.0, 0.0)
    bottoms = [box.y + box.height for box in boxes.values()]
    lines = [y for route in routes.values() for _, y in route]
    return Layout(boxes, routes, x + width, max([*bottoms, *lines], default=0.0))


def _slots_of(edge: Edge, layers: Layers) -> Iterator[_Slot]:
    """Yield the slots of an edge from left to right, whatever its direction."""
    left, right = reversed(edge) if edge in layers.backward else edge
    yield left
    for layer in range(layers.layers[left] + 1, layers.layers[right]):
        yield (*edge, layer)
    yield right


def _columns(layers: Layers, slots_by_edge: Iterable[list[_Slot]]) -> _Columns:
    columns: _Columns = [[] for _ in range(max(layers.layers.values(), default=-1) + 1)]
    for node in sorted(layers.layers):
        columns[layers.layers[node]].append(node)
    for slots in slots_by_edge:
        for slot in slots[1:-1]:
            columns[int(slot[2])].append(slot)
    return columns


def _neighbours(slots_by_edge: Iterable[list[_Slot]]) -> tuple[_Near, _Near]:
    """Return the neighbours of each slot on the left, and those on the right."""
    left, right = defaultdict(list), defaultdict(list)
    for slots in slots_by_edge:
        for one, other in pairwise(slots):
            right[one].append(other)
            left[other].append(one)
    return left, right


def _ordered(columns: _Columns, left: _Near, right: _Near) -> _Columns:
    """Return the columns, each in the order with the fewest crossings of all sweeps."""
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
    """Return each column in the order of its neighbours in the column before."""
    positions: dict[_Slot, float] = {}
    swept = []
    for column in columns:
        own = _positions(column)
        wanted = {slot: fmean([positions[one] for one in near.get(slot, ())] or [own[slot]]) for slot in column}
        swept.append(sorted(column, key=wanted.__getitem__))
        positions = _positions(swept[-1])
    return swept


def _positions(column: list[_Slot]) -> dict[_Slot, float]:
    """Return positions from 0 to 1, so that short and long columns compare."""
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
    """Return the vertical middle of each slot; the topmost box begins at 0."""
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
    """Return the positions nearest to the wanted ones (least squares) that keep their order and these distances.

    Without the distances this is isotonic regression, in which neighbours out of order share a mean.

    >>> _spaced([0.0, 0.0, 100.0], [10.0, 10.0])
    [-5.0, 5.0, 100.0]
    """
    offsets = list(accumulate(distances, initial=0.0))
    blocks: list[tuple[float, int]] = []
    for position, offset in zip(wanted, offsets, strict=True):
        total, count = position - offset, 1
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
    """Yield the left side and the width of each column."""
    x = 0.0
    for column in columns:
        width = max(sizes[slot].width for slot in column if isinstance(slot, str))
        yield x, width
        x += width + _GAP_X


def _route(
    edge: Edge, slots: list[_Slot], layers: Layers, middles: Mapping[_Slot, float], spans: list[tuple[float, float]]
) -> list[Point]:
    back = edge in layers.backward
    first = layers.layers[str(slots[0])]
    points: list[Point] = []
    for slot, (x, width) in zip(slots, spans[first : first + len(slots)], strict=True):
        y = middles[slot] + (_BACK_Y if back and isinstance(slot, str) else 0.0)
        points += [(x, y), (x + width, y)]
    route = points[1:-1]
    return route[::-1] if back else route
