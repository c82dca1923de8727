"""The net under TTL: what expires before a trace is known to have read it is staged, and its root marked again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lineage.records.dirty_roots import Marks
from lineage.records.pointers import Pointer, Pointers
from lineage.records.record import LineageRecord
from lineage.records.staged import Staged

# Between the functions' clocks, and from a load's start (`loaded_at`) to its last write: its time-out, doubled.
MARGIN_S = 15 * 60


@dataclass(frozen=True, slots=True)
class ExpiredRecord:
    """A record that TTL removed; when its load began and when it was removed, in seconds since 1970."""

    record: LineageRecord
    loaded_at: int
    removed_at: int


@dataclass(frozen=True, slots=True)
class Net:
    """Where expired records are kept until a trace has archived them."""

    staged: Staged
    marks: Marks
    pointers: Pointers

    def catch(self, expired: Sequence[ExpiredRecord], *, day: str) -> int:
        """Stage the records that no committed trace is known to have read, and mark their roots on the day.

        The number staged. Doing it again changes nothing but the marks' counters.
        """
        pointers = self.pointers.find_many({one.record.root_id for one in expired})
        unread = [one.record for one in expired if not _was_read(one, pointers.get(one.record.root_id))]
        self.staged.stage(unread)
        for root_id in _distinct(record.root_id for record in unread):
            self.marks.mark(root_id, day)
        return len(unread)


def _was_read(one: ExpiredRecord, pointer: Pointer | None) -> bool:
    """Whether the root's last archive certainly holds it: in the table from before its read until after it."""
    if pointer is None:
        return False
    return surely_loaded_before(one.loaded_at, pointer) and one.removed_at > pointer.read_to + MARGIN_S


def surely_loaded_before(loaded_at: int, pointer: Pointer) -> bool:
    """Whether a record whose load began then was in the table before the archive's trace began to read it."""
    return loaded_at + MARGIN_S < pointer.read_from


def _distinct(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))
