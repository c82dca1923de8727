"""The records of one root as a forest: parents, leaves, missing parents, cycles.

Built for a million records: a node is a number, its place in the order of node ids.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import repeat
from operator import attrgetter

from lineage.records.record import LineageRecord

# Markers instead of a parent's number.
_START = -1
_MISSING = -2


@dataclass(frozen=True, slots=True)
class Path:
    """The nodes from the start of a tree to `nodes[-1]`.

    `missing` names a parent that is not among the records, `cycle` the nodes that lead into each other.
    """

    nodes: Sequence[int]
    missing: str | None = None
    cycle: Sequence[int] = ()


class Forest:
    """The records of one root, one for each node, ordered by node id. Memory: four lists and a dictionary.

    A record whose parent is the root id, or that is the root itself, starts a tree (the root need not be a record).
    """

    def __init__(self, root_id: str, records: Iterable[LineageRecord]) -> None:
        self.root_id = root_id
        self.records = sorted(records, key=attrgetter("node_id"))
        self.ids = [record.node_id for record in self.records]
        self._parent_ids = [record.parent_id for record in self.records]
        # The numbers of those that are looked up: most records are leaves.
        parents = {root_id, *self._parent_ids}
        index = {node_id: node for node, node_id in enumerate(self.ids) if node_id in parents}
        self._parents = list(map(index.get, self._parent_ids, repeat(_MISSING)))
        self._mend_starts(index)

    def _mend_starts(self, index: dict[str, int]) -> None:
        """Make the root a start, and its children starts if the root is no record: the root is never missing."""
        root = index.get(self.root_id)
        if root is not None:
            self._parents[root] = _START
            return
        for node, parent in enumerate(self._parents):
            if parent == _MISSING and self._parent_ids[node] == self.root_id:
                self._parents[node] = _START

    def __len__(self) -> int:
        return len(self.ids)

    def starts(self) -> list[int]:
        """Return the nodes at which trees begin."""
        return [node for node, parent in enumerate(self._parents) if parent == _START]

    def orphans(self) -> list[int]:
        """Return the nodes whose parent is not among the records."""
        return [node for node, parent in enumerate(self._parents) if parent == _MISSING]

    def children(self) -> dict[int, list[int]]:
        """Return the children of each node that has any, ordered by node id."""
        children: dict[int, list[int]] = {}
        for node, parent in enumerate(self._parents):
            if parent >= 0:
                children.setdefault(parent, []).append(node)
        return children

    def families(self) -> Iterator[tuple[Path, list[LineageRecord]]]:
        """Yield the leaves by parent: the path to the parent, and the leaves below it, ordered by node id.

        Every record is on the path of a leaf, or, in a cycle that no leaf hangs from, on that of its smallest node.
        """
        above = set(self._parents)
        reached: set[int] = set()
        for parent, leaves in self._leaves_by_parent(above).items():
            path = self._path(parent, leaves[0].parent_id)
            reached.update(path.nodes)
            yield path, leaves
        for node in sorted(above - reached):
            if node >= 0 and node not in reached:
                # No leaf is below the node: it is on a closed cycle, and the first of it by node id.
                path = self._path(self._parents[node], "")
                reached.update(path.nodes)
                yield Path(path.nodes[1:], cycle=path.nodes), [self.records[node]]

    def _leaves_by_parent(self, above: Set[int]) -> Mapping[int, list[LineageRecord]]:
        families: dict[int, list[LineageRecord]] = {}
        orphans: dict[str, int] = {}
        records = self.records
        for node, parent in enumerate(self._parents):
            if node not in above:
                if parent == _MISSING:
                    # Leaves that miss the same parent are one family; numbers below -2 distinguish such families.
                    parent = orphans.setdefault(self._parent_ids[node], _MISSING - len(orphans))
                try:
                    families[parent].append(records[node])
                except KeyError:
                    families[parent] = [records[node]]
        return families

    def _path(self, node: int, parent_id: str) -> Path:
        """Return the path from a start down to the node; `parent_id` names the parent if `node` is `_MISSING`."""
        upward: list[int] = []
        seen: dict[int, int] = {}
        while node >= 0:
            if node in seen:
                return Path(upward[::-1], cycle=upward[seen[node] :][::-1])
            seen[node] = len(upward)
            upward.append(node)
            parent_id = self._parent_ids[node]
            node = self._parents[node]
        return Path(upward[::-1], missing=None if node == _START else parent_id)
