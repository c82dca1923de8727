"""Walks through graphs, breadth first: within a number of hops, each node once, at most a limit of nodes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar


class _Sortable(Protocol):
    def __lt__(self, other: Any, /) -> bool: ...


N = TypeVar("N", bound=_Sortable)
T = TypeVar("T")


@dataclass(slots=True)
class Budget:
    """The number of nodes that a result may still show; `cut`: further nodes did not fit, or were not read."""

    left: int
    cut: bool = False

    def fitting(self, things: Sequence[T]) -> Sequence[T]:
        """Cut the list to the things that fit; they take no place."""
        self.cut |= len(things) > self.left
        return things[: self.left]

    def take(self, things: Sequence[T]) -> Sequence[T]:
        """Cut the list to the things that fit; each takes a place.

        >>> budget = Budget(3)
        >>> budget.take(["a", "b"]), budget.take(["c", "d"]), budget.cut
        (['a', 'b'], ['c'], True)
        """
        taken = self.fitting(things)
        self.left -= len(taken)
        return taken


@dataclass(slots=True)
class Walked(Generic[N]):
    """The nodes reached by walks, at most `limit`; `hops` has the shortest distance of each, nearest first."""

    limit: int = sys.maxsize
    hops: dict[N, int] = field(default_factory=dict)
    truncated: bool = False

    def take_within_limit(self, things: Sequence[T]) -> Sequence[T]:
        """Cut the list to the places left under the limit; a cut truncates the walk."""
        left = max(self.limit - len(self.hops), 0)
        self.truncated |= len(things) > left
        return things[:left]

    def add(self, nodes: Iterable[N], hop: int) -> list[N]:
        """Add and return nodes up to the first without a place; nodes reached before always fit."""
        added = []
        for node in nodes:
            if node not in self.hops and len(self.hops) >= self.limit:
                self.truncated = True
                break
            self.hops[node] = min(hop, self.hops.get(node, hop))
            added.append(node)
        return added


def walk(
    start: Iterable[N],
    neighbours: Callable[[Sequence[N], bool], Iterable[N]],
    *,
    into: Walked[N],
    depth: int | None = None,
) -> Walked[N]:
    """Add the nodes within `depth` hops of the start (None: all), nearest first, then sorted, while nodes fit.

    `neighbours` is called once a level, so it can read the whole level in a batch. True marks the last level: its
    neighbours are read, but not added.

    >>> walk([1], lambda level, is_last: [2 * node for node in level], into=Walked(10), depth=2).hops
    {1: 0, 2: 1, 4: 2}
    """
    seen: set[N] = set()
    level, hop = into.add(sorted(set(start)), 0), 0
    while level:
        seen.update(level)
        is_last = depth is not None and hop >= depth
        adjacent = set(neighbours(level, is_last))
        if is_last:
            break
        hop += 1
        level = into.add(sorted(adjacent - seen), hop)
    return into
