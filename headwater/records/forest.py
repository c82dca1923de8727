"""The records of one root as a forest: parents, leaves, missing parents, cycles. Built for a million records.

An outline folds the forest by action: many records with equal steps become a few groups.
"""

from __future__ import annotations

from bisect import insort
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from headwater.records.record import LineageRecord

# Records of each group in an outline.
EXAMPLES_MAX = 3


@dataclass(frozen=True, slots=True)
class Path:
    """The ids of the nodes from the start of a tree to `nodes[-1]`.

    `missing` names a parent without a record, `cycle` the nodes of a cycle above.
    """

    nodes: Sequence[str]
    missing: str | None = None
    cycle: Sequence[str] = ()


class Forest:
    """The records of one root, one for each node, ordered by node id; `inner` have records below them.

    The root's record, or a record with the root as parent, starts a tree (the root need not have a record).
    """

    def __init__(self, root_id: str, records: Iterable[LineageRecord]) -> None:
        self.root_id = root_id
        self.records = sorted(records, key=attrgetter("node_id"))
        parents = {record.parent_id for record in self.records if record.node_id != root_id}
        self.inner = {record.node_id: record for record in self.records if record.node_id in parents}

    def starts(self) -> list[LineageRecord]:
        """List the records at the start of a tree."""
        if self.root_id in self.inner:
            return [self.inner[self.root_id]]
        return [record for record in self.records if self.root_id in (record.node_id, record.parent_id)]

    def orphans(self) -> list[LineageRecord]:
        """List the records with a parent that has no record."""
        return [
            record
            for record in self.records
            if record.parent_id not in self.inner and self.root_id not in (record.node_id, record.parent_id)
        ]

    def children(self) -> dict[str, list[LineageRecord]]:
        """Group the records by parent, ordered by node id."""
        children: dict[str, list[LineageRecord]] = {node_id: [] for node_id in self.inner}
        for record in self.records:
            if record.parent_id in children and record.node_id != self.root_id:
                children[record.parent_id].append(record)
        return children

    def families(self) -> Iterator[tuple[Path, list[LineageRecord]]]:
        """Yield the leaves by parent: the path to the parent, and the leaves below it, ordered by node id.

        A cycle without a leaf counts as a leaf: its smallest node.
        """
        reached: set[str] = set()
        for parent_id, leaves in self._leaves_by_parent().items():
            path = self._path(parent_id)
            reached.update(path.nodes)
            yield path, leaves
        for node_id in sorted(self.inner.keys() - reached):
            if node_id not in reached:
                # No leaf is below the node: it is on a closed cycle, and has its smallest node id.
                path = self._path(self.inner[node_id].parent_id)
                reached.update(path.nodes)
                yield Path(path.nodes[1:], cycle=path.nodes), [self.inner[node_id]]

    def count_steps(self) -> int:
        """Count the steps of all leaves' lines together, in linear time: a comb has quadratic many."""
        lengths: dict[str, int] = {}
        steps = 0
        for parent_id, leaves in self._leaves_by_parent().items():
            self._measure(parent_id, lengths)
            steps += len(leaves) * (lengths.get(parent_id, 0) + 1)
        # The remaining nodes are on closed cycles without a leaf, with a line each.
        return steps + len(self.inner) - len(lengths)

    def _measure(self, node_id: str, lengths: dict[str, int]) -> None:
        """Add the lengths of the paths to the node and to each node above; `lengths` may have known nodes."""
        upward: dict[str, int] = {}
        above: str | None = node_id
        while above in self.inner and above not in lengths and above not in upward:
            upward[above] = len(upward)
            above = None if above == self.root_id else self.inner[above].parent_id
        entry = upward.get(above or "", len(upward))
        cycle = len(upward) - entry
        length = cycle or lengths.get(above or "", 0)
        for node, place in upward.items():
            lengths[node] = length + max(0, entry - place)

    def _leaves_by_parent(self) -> dict[str, list[LineageRecord]]:
        """Group the leaves by parent; a root without records below it is its own parent."""
        families: dict[str, list[LineageRecord]] = {}
        root_id, inner = self.root_id, self.inner
        for record in self.records:
            if record.node_id not in inner:
                parent_id = record.parent_id if record.node_id != root_id else root_id
                try:
                    families[parent_id].append(record)
                except KeyError:
                    families[parent_id] = [record]
        return families

    def _path(self, node_id: str) -> Path:
        """Build the path from a start down to the node."""
        upward: list[str] = []
        seen: dict[str, int] = {}
        while node_id in self.inner:
            if node_id in seen:
                return Path(upward[::-1], cycle=upward[seen[node_id] :][::-1])
            seen[node_id] = len(upward)
            upward.append(node_id)
            if node_id == self.root_id:
                return Path(upward[::-1])
            node_id = self.inner[node_id].parent_id
        return Path(upward[::-1], missing=None if node_id == self.root_id else node_id)


@dataclass(slots=True)
class Group:
    """Records of one action below one parent group; `parent` is None at the start of trees.

    `complete` is false without a path from the root: a parent is missing, or the path begins in a cycle. Times are
    seconds since 1970; `leaves` counts the records without children. `examples` are the first by node id, each with its
    location.
    """

    parent: int | None
    action: str
    complete: bool
    first: int
    last: int
    records: int = 0
    leaves: int = 0
    examples: list[tuple[str, str]] = field(default_factory=list)

    def add(self, record: LineageRecord, *, is_leaf: bool) -> None:
        """Count a record."""
        self.records += 1
        self.leaves += is_leaf
        self.first, self.last = min(self.first, record.recorded_at), max(self.last, record.recorded_at)
        insort(self.examples, (record.node_id, record.storage_location))
        del self.examples[EXAMPLES_MAX:]


def outline_of(forest: Forest) -> Sequence[Group]:
    """Fold a forest into groups, each after its parent: 1,000 records `SPLIT` from a group are a single group."""
    outline = _Outline(forest)
    for record in forest.starts():
        outline.add_tree(record, complete=True)
    for record in forest.orphans():
        outline.add_tree(record, complete=False)
    # The remaining records hang from a cycle: it begins at the smallest node id.
    for record in forest.records:
        outline.add_tree(record, complete=False)
    return outline.groups


class _Outline:
    """The groups so far, and the group of every reached node."""

    def __init__(self, forest: Forest) -> None:
        self.groups: list[Group] = []
        self._children = forest.children()
        self._numbers: dict[tuple[int | None, str, bool], int] = {}
        self._reached: set[str] = set()

    def add_tree(self, start: LineageRecord, *, complete: bool) -> None:
        """Add an unreached record, and all below it, level by level."""
        pending: deque[tuple[LineageRecord, int | None]] = deque([(start, None)])
        while pending:
            record, above = pending.popleft()
            if record.node_id not in self._reached:
                self._reached.add(record.node_id)
                group = self._add(record, above, complete)
                pending.extend((child, group) for child in self._children.get(record.node_id, ()))

    def _add(self, record: LineageRecord, above: int | None, complete: bool) -> int:
        """Count a record in its group, and return the number of the group."""
        key = (above, record.action_taken, complete)
        if key not in self._numbers:
            self._numbers[key] = len(self.groups)
            self.groups.append(Group(above, record.action_taken, complete, record.recorded_at, record.recorded_at))
        number = self._numbers[key]
        self.groups[number].add(record, is_leaf=record.node_id not in self._children)
        return number
