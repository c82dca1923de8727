"""A record: one step in the life of a file or row, and which of two records of one node stays."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TypeAlias

# A node is named within its root.
Key: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class LineageRecord:
    """One action taken on the parent to make this node. Times are whole seconds since 1970 UTC.

    `metadata` is what the enrichers of the load function added (see `enrich.py`), sorted by name.
    """

    root_id: str
    node_id: str
    parent_id: str
    action_taken: str
    storage_location: str
    recorded_at: int
    run_id: str | None = None
    metadata: tuple[tuple[str, str], ...] = ()

    @property
    def key(self) -> Key:
        """What the records table knows it by."""
        return (self.root_id, self.node_id)

    @property
    def content_hash(self) -> str:
        """SHA-256 of everything but the time: a retry without `requested_at` has the same content at another time."""
        content = (
            self.root_id,
            self.node_id,
            self.parent_id,
            self.action_taken,
            self.storage_location,
            self.run_id,
            self.metadata,
        )
        return hashlib.sha256(json.dumps(content, separators=(",", ":")).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Kept:
    """What stays of several records of one node: the first, and those displaced by it with other content."""

    record: LineageRecord
    displaced: tuple[LineageRecord, ...] = ()


def keep_first(one: LineageRecord, other: LineageRecord) -> Kept:
    """Of two records of the same node the earliest (time, content hash) stays; equal content displaces nothing.

    The rule does not depend on which came first over the wire.
    """
    first, later = sorted((one, other), key=lambda record: (record.recorded_at, record.content_hash))
    if first.content_hash == later.content_hash:
        return Kept(first)
    return Kept(first, (later,))
