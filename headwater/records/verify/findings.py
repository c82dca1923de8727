"""The findings of a verification."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Kind(str, Enum):
    """The kind of a fault in an object or a digest; a `NOTE` is about something that was not checked."""

    CHANGED = "CHANGED"
    REMOVED = "REMOVED"
    ADDED = "ADDED"
    NOT_COVERED = "NOT COVERED"
    UNREADABLE = "UNREADABLE"
    BAD_DIGEST = "BAD DIGEST"
    UNLINKED = "UNLINKED"
    NOT_SIGNED = "NOT SIGNED"
    BAD_SIGNATURE = "BAD SIGNATURE"
    NOTE = "NOTE"


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding: its day (empty: none), the key, and a message."""

    day: str
    key: str
    kind: Kind
    message: str

    @property
    def fault(self) -> bool:
        """True if the finding is a fault."""
        return self.kind is not Kind.NOTE
