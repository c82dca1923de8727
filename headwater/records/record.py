"""A record: a step in the life of a file or row, the rule for two records of one node, and its JSON.

`queues` renders messages of this JSON, `messages` parses them.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TypeAlias

# A node is named within its root.
Key: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class LineageRecord:
    """An action taken on the parent to make this node. Times are whole seconds since 1970 UTC.

    `metadata` is from the enrichers of the load function (see `enrich.py`), sorted by name.
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
        """The key in the records table."""
        return (self.root_id, self.node_id)

    @property
    def content_hash(self) -> str:
        """The SHA-256 of all but the time: a retry without `requested_at` has equal content at a later time."""
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


def keep_first(known: LineageRecord, other: LineageRecord) -> tuple[LineageRecord, tuple[LineageRecord, ...]]:
    """Keep the earlier of two records of a node by (time, content hash), and list the displaced record.

    Equal content displaces nothing. The order of arrival does not matter.
    """
    first, later = sorted((known, other), key=lambda record: (record.recorded_at, record.content_hash))
    return first, () if first.content_hash == later.content_hash else (later,)


@dataclass(frozen=True, slots=True)
class Refused:
    """A refused record, as it was sent, and the rule against it."""

    body: str
    reason: str


def render_record(record: LineageRecord) -> dict[str, object]:
    """Render Carbonlake's JSON, `{"root_id": "a", ...}`, without metadata: the load function adds it."""
    form: dict[str, object] = {
        "root_id": record.root_id,
        "parent_id": record.parent_id,
        "action_taken": record.action_taken,
        "recordedAt": record.recorded_at,
        "storage_location": record.storage_location,
        "node_id": record.node_id,
    }
    if record.run_id is not None:
        form["run_id"] = record.run_id
    return form
