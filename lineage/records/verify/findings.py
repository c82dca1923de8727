"""What a verification finds, and how far it is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Kind(str, Enum):
    """What is wrong with an object or a digest; a `NOTE` says what was not, or could not be, looked at."""

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
    """One thing found: the day that it belongs to (empty: none), its key, and what is told of it."""

    day: str
    key: str
    kind: Kind
    told: str

    @property
    def fault(self) -> bool:
        """Whether something is wrong."""
        return self.kind is not Kind.NOTE
