"""Layers and places of a graph's nodes: whatever the edges, boxes and edges keep out of each other's way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.cli.layers import Edge, layers_of
from headwater.cli.text.layout import Box, Point, Size, lay_out
from tests.examples import examples

SIZE = Size(80.0, 50.0)
NAMES = [f"n{number}" for number in range(9)]
graphs = st.sets(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)).filter(lambda edge: edge[0] != edge[1]))


def level_parts(route: Iterable[Point]) -> Iterator[tuple[Point, Point]]:
    """The parts of an edge that run level through a layer."""
    return (pair for number, pair in enumerate(pairwise(route)) if number % 2 == 1)


def moving_parts(route: Iterable[Point]) -> Iterator[tuple[Point, Point]]:
    """The parts of an edge between two layers."""
    return (pair for number, pair in enumerate(pairwise(route)) if number % 2 == 0)


def within(box: Box, one: float, other: float) -> bool:
    """Return True if the box overlaps the range from one x to another."""
    return box.x < max(one, other) and min(one, other) < box.x + box.width


def apart(one: Box, other: Box) -> bool:
    beside = one.x + one.width <= other.x or other.x + other.width <= one.x
    above = one.y + one.height <= other.y + 1e-6 or other.y + other.height <= one.y + 1e-6
    return beside or above


@given(graphs)
@examples(300)
def test_no_two_nodes_overlap_and_no_edge_runs_through_a_node(edges: set[Edge]) -> None:
    layout = lay_out({name: Size(40.0 + 30.0 * n, 90.0 - 10.0 * n) for n, name in enumerate(NAMES)}, edges)

    boxes = layout.boxes
    assert boxes.keys() == set(NAMES)
    assert all(apart(boxes[one], boxes[other]) for one, other in combinations(NAMES, 2))
    assert all(box.x >= 0 and box.x + box.width <= layout.width for box in boxes.values())
    assert all(box.y >= -1e-6 and box.y + box.height <= layout.height + 1e-6 for box in boxes.values())
    points = [point for route in layout.routes.values() for point in route]
    assert all(0 <= x <= layout.width and -1e-6 <= y <= layout.height + 1e-6 for x, y in points)
    assert layout.routes.keys() == edges
    for (x, y), (to_x, to_y) in (part for route in layout.routes.values() for part in level_parts(route)):
        assert y == to_y
        assert not [box for box in boxes.values() if within(box, x, to_x) and box.y < y < box.y + box.height]
    for (x, _), (to_x, _) in (part for route in layout.routes.values() for part in moving_parts(route)):
        assert not [box for box in boxes.values() if within(box, x, to_x)]


@given(graphs)
@examples(300)
def test_each_edge_goes_from_its_origin_to_its_destination(edges: set[Edge]) -> None:
    layout = lay_out(dict.fromkeys(NAMES, SIZE), edges)

    for (origin, destination), route in layout.routes.items():
        for node, (x, y) in ((origin, route[0]), (destination, route[-1])):
            box = layout.boxes[node]
            assert x in (box.x, box.x + box.width)
            assert box.y < y < box.y + box.height


@given(graphs)
@examples(300)
def test_every_edge_leads_to_a_later_layer_but_for_those_that_lead_back(edges: set[Edge]) -> None:
    found = layers_of(NAMES, edges)

    assert found.backward <= edges
    for origin, destination in edges:
        onward = found.layers[origin] < found.layers[destination]
        assert onward is ((origin, destination) not in found.backward)


def test_edges_do_not_cross_where_they_need_not() -> None:
    names = [f"{side}{number}" for number in range(6) for side in "ab"]
    edges = {(f"a{number}", f"b{5 - number}") for number in range(6)}

    routes = lay_out(dict.fromkeys(names, SIZE), edges).routes

    assert all(route[0][1] == pytest.approx(route[-1][1]) for route in routes.values())


def test_a_graph_of_thousands_is_laid_out_in_seconds() -> None:
    edges = {(f"d{number}", f"j{number % 50}") for number in range(2_000)}

    layout = lay_out({name: SIZE for edge in edges for name in edge}, edges)

    assert len(layout.boxes) == 2_050
