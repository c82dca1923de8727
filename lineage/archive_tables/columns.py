"""The columns of the archive's tables, by version: a later version only adds columns, at the end, and all are optional.

Types are those that Athena (Hive), Spark and DuckDB all read. Times are whole seconds since 1970 UTC.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

# Of the tables' columns. Readers of a version read every file of that version and of those before it.
VERSION = 1

_TEXTS = "map<string,string>"
_STEP = (
    "struct<node_id:string,parent_id:string,action_taken:string,recorded_at:bigint,storage_location:string,"
    f"run_id:string,metadata:{_TEXTS}>"
)


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, its type as Hive and Spark spell it, and what it says."""

    name: str
    type: str
    about: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table, partitioned by `day` (YYYY-MM-DD, UTC), a string that is in the path and not in the files."""

    name: str
    about: str
    columns: Sequence[Column]

    @property
    def ddl(self) -> str:
        """The columns as Spark reads a schema from text.

        >>> RECORDS.ddl[:44]
        'root_id string, node_id string, parent_id st'
        """
        return ", ".join(f"{column.name} {column.type}" for column in self.columns)


RECORDS = Table(
    "records",
    "Every archived record once, under the day of the trace that archived it first; sorted by root_id, node_id.",
    (
        Column("root_id", "string", "what the record's tree starts from"),
        Column("node_id", "string", "the record's own id within its root"),
        Column("parent_id", "string", "the node that it was made from"),
        Column("action_taken", "string", "what was done to the parent"),
        Column("storage_location", "string", "where what was made lies"),
        Column("recorded_at", "bigint", "when it was recorded, in seconds since 1970 UTC"),
        Column("run_id", "string", "the run that it was a step of, if that was told"),
        Column("metadata", _TEXTS, "what the enrichers of the load function added; null if nothing"),
    ),
)
TRACES = Table(
    "traces",
    "A row for each leaf of each root that was traced for the day: its path from the root. The newest day of a root is "
    "the authority on it. Sorted by root_id, record_id.",
    (
        Column("root_id", "string", "the root"),
        Column("record_id", "string", "the leaf's node id"),
        Column("complete", "boolean", "false if a parent is missing or the path goes round"),
        Column("missing", "array<string>", "the parent that is missing; null if none is"),
        Column("cycle", "array<string>", "the node ids that lead into each other; null if none do"),
        Column("lineage", f"array<{_STEP}>", "the steps: root first, then the leaf, last the compaction that wrote it"),
    ),
)
TABLES = (RECORDS, TRACES)
DAY = Column("day", "string", "the day (UTC) whose compaction archived it, YYYY-MM-DD")
