"""Records that expire before a trace is known to have read them: they are staged, and their roots marked dirty."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from headwater.records.dirty_roots import DirtyRoots
from headwater.records.pointers import LastArchive, Pointers
from headwater.records.record import LineageRecord
from headwater.records.staged import Staged

# Between the functions' clocks, and from a load's start (`loaded_at`) to its last write: its time-out, doubled.
MARGIN_S = 15 * 60


@dataclass(frozen=True, slots=True)
class ExpiredRecord:
    """A record that TTL removed; the times when its load began and when it was removed, in seconds since 1970."""

    record: LineageRecord
    loaded_at: int
    removed_at: int


@dataclass(frozen=True, slots=True)
class ExpiredRecords:
    """The staging of expired records until a trace has archived them."""

    staged: Staged
    dirty_roots: DirtyRoots
    pointers: Pointers

    def stage(self, expired: Sequence[ExpiredRecord], *, day: str) -> int:
        """Stage the records that no committed trace is known to have read, and mark their roots dirty on the day.

        Returns the number staged. Repeating the call changes nothing but the roots' counters.
        """
        pointers = self.pointers.find_many({removal.record.root_id for removal in expired})
        unread = [removal.record for removal in expired if not _was_read(removal, pointers.get(removal.record.root_id))]
        self.staged.stage(unread)
        for root_id in _distinct(record.root_id for record in unread):
            self.dirty_roots.mark(root_id, day)
        return len(unread)


def _was_read(removal: ExpiredRecord, pointer: LastArchive | None) -> bool:
    """True if the root's last trace certainly read the record: the table held it during the whole read."""
    if pointer is None:
        return False
    return surely_loaded_before(removal.loaded_at, pointer) and removal.removed_at > pointer.read_to + MARGIN_S


def surely_loaded_before(loaded_at: int, pointer: LastArchive) -> bool:
    """True if a record whose load began at `loaded_at` was in the table before the archive's trace began to read."""
    return loaded_at + MARGIN_S < pointer.read_from


def _distinct(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))
