"""Walks breadth first, against distances worked out naively."""

from hypothesis import given
from hypothesis import strategies as st

from headwater.walk import Walked, walk

NODES = st.integers(0, 7)
GRAPHS = st.dictionaries(NODES, st.lists(NODES, max_size=4))
STARTS = st.lists(NODES, max_size=3)
DEPTHS = st.none() | st.integers(0, 4)


def neighbours(graph, nodes):
    return {other for node in nodes for other in graph.get(node, ())}


def distances(graph, start, depth):
    """By node, its least distance from the start: by paths of every length, without a set of nodes seen."""
    reached, hops = set(start), dict.fromkeys(start, 0)
    for hop in range(1, (8 if depth is None else depth) + 1):
        reached = neighbours(graph, reached)
        hops = {**dict.fromkeys(reached, hop), **hops}
    return hops


def nearest_first(hops):
    return sorted(hops, key=lambda node: (hops[node], node))


class WatchedGraph:
    """A graph's neighbours, and the levels of each call."""

    def __init__(self, graph):
        self._graph, self.levels, self.lasts = graph, [], []

    def __call__(self, level, is_last):
        self.levels.append(list(level))
        self.lasts.append(is_last)
        return neighbours(self._graph, level)


@given(GRAPHS, STARTS, DEPTHS)
def test_every_node_within_the_depth_is_reached_by_its_least_distance_nearest_first_then_sorted(graph, start, depth):
    expected = distances(graph, start, depth)
    walked = walk(start, WatchedGraph(graph), into=Walked(100), depth=depth)
    assert (walked.hops, list(walked.hops), walked.truncated) == (expected, nearest_first(expected), False)


@given(GRAPHS, STARTS, DEPTHS)
def test_neighbours_are_requested_once_a_level_the_last_included(graph, start, depth):
    requested = WatchedGraph(graph)
    hops = walk(start, requested, into=Walked(100), depth=depth).hops
    levels = [sorted(node for node in hops if hops[node] == hop) for hop in sorted(set(hops.values()))]
    assert requested.levels == levels
    assert requested.lasts == [hop == depth for hop in range(len(levels))]


@given(GRAPHS, STARTS, DEPTHS, st.integers(0, 8))
def test_a_walk_keeps_the_nearest_nodes_and_says_if_there_are_more(graph, start, depth, limit):
    expected = nearest_first(distances(graph, start, depth))
    walked = walk(start, WatchedGraph(graph), into=Walked(limit), depth=depth)
    # What is beyond a node that does not fit is as far as it, or further.
    assert list(walked.hops) == expected[:limit]
    assert walked.truncated == (len(expected) > limit)


@given(GRAPHS, STARTS, DEPTHS, DEPTHS)
def test_a_second_walk_goes_through_what_the_first_reached_and_keeps_the_least_distances(graph, start, depth, other):
    back = {node: [origin for origin in graph if node in graph[origin]] for node in range(8)}
    walked = walk(start, WatchedGraph(graph), into=Walked(100), depth=depth)
    walk(start, WatchedGraph(back), into=walked, depth=other)
    ways = distances(graph, start, depth), distances(back, start, other)
    assert walked.hops == {node: min(way[node] for way in ways if node in way) for node in ways[0].keys() | ways[1]}


@given(GRAPHS, STARTS, st.integers(0, 8))
def test_what_was_reached_before_takes_no_room(graph, start, limit):
    once, twice = (walk(start, WatchedGraph(graph), into=Walked(limit)) for _ in range(2))
    walk(start, WatchedGraph(graph), into=twice)
    assert twice == once


@given(st.lists(NODES, max_size=5), st.integers(0, 8), st.integers(0, 3))
def test_things_fit_as_long_as_there_is_room_for_nodes(things, limit, nodes):
    walked = Walked(limit)
    walked.add(range(nodes), 0)
    truncated = walked.truncated
    fitting = walked.take_within_limit(things)
    assert fitting == things[: limit - min(nodes, limit)]
    assert walked.truncated == (truncated or len(fitting) < len(things))
