"""What a search asks for, what it finds, and where it goes on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Literal, TypeAlias, TypeVar

from lineage.records.record import LineageRecord


@dataclass(frozen=True, slots=True)
class Question:
    """What a record must be; None means whatever it is. At least one of all but `end_s` is given.

    `location` is a prefix of the storage location. The time is the record's own, from `start_s` on and before `end_s`,
    in seconds since 1970.
    """

    root: str | None = None
    node: str | None = None
    action: str | None = None
    location: str | None = None
    start_s: int | None = None
    end_s: int | None = None

    def matches(self, record: LineageRecord) -> bool:
        """Whether the record is one."""
        return (
            self.root in (None, record.root_id)
            and self.node in (None, record.node_id)
            and self.action in (None, record.action_taken)
            and record.storage_location.startswith(self.location or "")
            and self._in_time(record.recorded_at)
        )

    def _in_time(self, moment_s: int) -> bool:
        return (self.start_s is None or moment_s >= self.start_s) and (self.end_s is None or moment_s < self.end_s)


@dataclass(frozen=True, slots=True)
class Horizon:
    """What a search may take as published: every sealed day up to `day`, which was sealed at `sealed_at`.

    `first` is the earliest of these days that may hold what is asked for, None if any may.
    """

    day: str
    sealed_at: int
    first: str | None = None


# The parts of a root that are read one after the other: its rows, then what has left the table; or it is done.
Part: TypeAlias = Literal["rows", "rest", "done"]


@dataclass(frozen=True, slots=True)
class LivePlace:
    """How far a search has come among the roots: by the SHA-256 of the root's id, part and node.

    A search by node alone goes by root id, in `node`. `truncated`: something was too large to be looked at.
    """

    root_sha: str = ""
    part: Part = "rows"
    node: str = ""
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class ArchivePlace:
    """How far a search has come in the archive's tables: which query, which page of its result, which row of that.

    `told` counts the rows before; `waiting`: the query is not done yet.
    """

    execution: str | None = None
    token: str | None = None
    row: int = 0
    told: int = 0
    truncated: bool = False
    waiting: bool = False


Place: TypeAlias = LivePlace | ArchivePlace


@dataclass(frozen=True, slots=True)
class Found:
    """A record; when it leaves the table (None: it has), under which day the tables have it (None: not yet)."""

    record: LineageRecord
    ttl_expiry: int | None
    archived_on: str | None


P = TypeVar("P", LivePlace, ArchivePlace, covariant=True)


@dataclass(frozen=True, slots=True)
class Step(Generic[P]):
    """How far a search has come, and what it found there; the search goes on after `place`."""

    place: P
    found: Found | None = None
