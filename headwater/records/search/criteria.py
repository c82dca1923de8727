"""The criteria, records and cursors of a search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Literal, TypeAlias, TypeVar

from headwater.records.record import LineageRecord


@dataclass(frozen=True, slots=True)
class SearchCriteria:
    """The criteria of a search; None means any. A criterion besides `end_s` is given.

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
        """True if the record meets the criteria."""
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
    """The published days of a search: every sealed day up to `day`, sealed at `sealed_at`.

    `first` is the earliest of the days with a possible match, None if every day may have one.
    """

    day: str
    sealed_at: int
    first: str | None = None


# The parts of a root in reading order: its rows, then the records without a row; or it is done.
Part: TypeAlias = Literal["rows", "rest", "done"]


@dataclass(frozen=True, slots=True)
class LiveCursor:
    """The position of a search among the roots: by the SHA-256 of the root's id, part and node.

    A search by node alone goes by root id, in `node`. `truncated`: an object or staged part was too large to read.
    """

    root_sha: str = ""
    part: Part = "rows"
    node: str = ""
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class ArchiveCursor:
    """The position of a search in the archive's tables: the query, the page of its result, the row of the page.

    `returned` counts the rows before; `waiting`: the query is not done yet.
    """

    execution: str | None = None
    token: str | None = None
    row: int = 0
    returned: int = 0
    truncated: bool = False
    waiting: bool = False


SearchCursor: TypeAlias = LiveCursor | ArchiveCursor


@dataclass(frozen=True, slots=True)
class SearchRecord:
    """A record, the time when it leaves the table (None: it has), and its day in the tables (None: not yet)."""

    record: LineageRecord
    ttl_expiry: int | None
    archived_on: str | None


P = TypeVar("P", LiveCursor, ArchiveCursor, covariant=True)


@dataclass(frozen=True, slots=True)
class SearchStep(Generic[P]):
    """A position of a search, with the record found there; the search continues after `place`."""

    place: P
    found: SearchRecord | None = None
