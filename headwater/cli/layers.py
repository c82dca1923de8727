"""The layers of a directed graph: every edge leads from one layer to a later one, but for those that close a cycle."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TypeAlias

Edge: TypeAlias = tuple[str, str]
_Successors: TypeAlias = Mapping[str, list[str]]


def layers_of(nodes: Collection[str], edges: Iterable[Edge]) -> Mapping[str, int]:
    """Return each node's layer from 0: the longest path to it; a source's is just before its first successor's.

    >>> layers_of("abcx", [("a", "b"), ("b", "c"), ("x", "c")])
    {'a': 0, 'b': 1, 'c': 2, 'x': 1}
    >>> layers_of("ab", [("a", "b"), ("b", "a")])
    {'a': 0, 'b': 1}
    """
    edges = sorted(set(edges))
    backward = frozenset(_backward(sorted(nodes), edges))
    onward = {(b, a) if (a, b) in backward else (a, b) for a, b in edges}
    successors = _successors_of(sorted(onward))
    layers = _longest(nodes, successors)
    fed = {destination for _, destination in onward}
    for node in nodes:
        if node not in fed and successors.get(node):
            layers[node] = min(layers[successor] for successor in successors[node]) - 1
    return layers


def _backward(nodes: list[str], edges: list[Edge]) -> Iterator[Edge]:
    """Yield the edges that lead back to a node on the path of a depth-first walk; without them there is no cycle."""
    successors = _successors_of(edges)
    fed = {destination for _, destination in edges}
    seen: set[str] = set()
    for start in sorted(nodes, key=lambda node: (node in fed, node)):
        if start not in seen:
            yield from _backward_from(start, successors, seen)


def _backward_from(start: str, successors: _Successors, seen: set[str]) -> Iterator[Edge]:
    seen.add(start)
    path = {start: iter(successors.get(start, ()))}
    while path:
        node = next(reversed(path))
        following = next(path[node], None)
        if following is None:
            del path[node]
        elif following in path:
            yield node, following
        elif following not in seen:
            seen.add(following)
            path[following] = iter(successors.get(following, ()))


def _longest(nodes: Collection[str], successors: _Successors) -> dict[str, int]:
    layers = dict.fromkeys(nodes, 0)
    left: dict[str, int] = defaultdict(int)
    for destinations in successors.values():
        for destination in destinations:
            left[destination] += 1
    ready = deque(node for node in nodes if not left[node])
    while ready:
        node = ready.popleft()
        for destination in successors.get(node, ()):
            layers[destination] = max(layers[destination], layers[node] + 1)
            left[destination] -= 1
            if not left[destination]:
                ready.append(destination)
    return layers


def _successors_of(edges: Iterable[Edge]) -> _Successors:
    successors: dict[str, list[str]] = defaultdict(list)
    for origin, destination in edges:
        successors[origin].append(destination)
    return successors
