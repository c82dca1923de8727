"""The outline of a root: its forest folded by action, so that many records with the same steps are a few groups."""

from __future__ import annotations

from bisect import insort
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from headwater.records.forest import Forest
from headwater.records.record import LineageRecord

EXAMPLES_MAX = 3


@dataclass(slots=True)
class Group:
    """The records that one action made of the records of one parent group; `parent` is None where trees begin.

    `complete` is false where a way does not lead to the root: a parent is missing, or the way begins in a cycle. Times
    are seconds since 1970; `leaves` counts the records that no record names as its parent. `examples` are the first by
    node id, each with its location.
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
    """Return the groups of a forest, each after its parent; every record is in one group."""
    outline = _Outline(forest)
    for record in forest.starts():
        outline.add_tree(record, complete=True)
    for record in forest.orphans():
        outline.add_tree(record, complete=False)
    # What no start leads to hangs from a cycle: it begins at the smallest node id.
    for record in forest.records:
        outline.add_tree(record, complete=False)
    return outline.groups


class _Outline:
    """The groups so far, and the group of every node that was reached."""

    def __init__(self, forest: Forest) -> None:
        self.groups: list[Group] = []
        self._children = forest.children()
        self._numbers: dict[tuple[int | None, str, bool], int] = {}
        self._reached: set[str] = set()

    def add_tree(self, start: LineageRecord, *, complete: bool) -> None:
        """Add a record that was not reached yet, and all below it, level by level."""
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
