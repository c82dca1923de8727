"""Leaves of a printed plan: tables, files, views, frames of the program, and rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

from spark_client.capturing.connect.columns.frames import Nodes, TextFrame
from spark_client.capturing.connect.reads import ROWS_OF_PROGRAM, FrameRead, Read, SourceRead, TableRead, table_read
from spark_client.capturing.connect.snapshots import Column, Snapshot, Unreadable
from spark_client.capturing.plans.operators import RowsLineage
from spark_client.capturing.plans.plan import Node
from spark_client.capturing.plans.values import NOTHING, TooLarge, Value, unknown
from spark_client.capturing.plans.walk import PlanWalk


class Tables(Protocol):
    """Tables, views and kept frames in a plan."""

    def of_read(self, read: Read, names: Sequence[str]) -> Snapshot:
        """Read the columns of a table, a source or a frame; `names` are the plan's."""

    def full_name(self, read: TableRead) -> tuple[str, ...]:
        """Complete a table's name by catalog and database."""

    def temporary(self, name: tuple[str, ...]) -> Snapshot | None:
        """Find the columns of a temporary view."""


class PlanReads(NamedTuple):
    """Reads of a plan; `is_ordered` if its text has them in the same order."""

    reads: Sequence[Read]
    is_ordered: bool = True


class QueryLeaves:
    """Leaves of a plan's text; `frames` are names of the program's frames, in lower case.

    `stand_ins` are the columns behind empty rows, by name: `headwater_0`.
    """

    def __init__(
        self,
        tables: Tables,
        reads: PlanReads,
        frames: frozenset[str] = frozenset(),
        stand_ins: Mapping[str, Snapshot] | None = None,
    ) -> None:
        self.nodes = Nodes()
        self._tables = tables
        self._ordered = reads.is_ordered
        self._sources = [read for read in reads.reads if isinstance(read, SourceRead)]
        self._kept = [read for read in reads.reads if isinstance(read, FrameRead)]
        named = [read for read in reads.reads if isinstance(read, TableRead)]
        self._named = {".".join(tables.full_name(read)).lower(): read for read in named}
        # A text prints rows of the program and literals of a statement alike.
        self._of_rows = unknown(ROWS_OF_PROGRAM.reason) if ROWS_OF_PROGRAM in reads.reads else NOTHING
        self._frames = frames
        self._stand_ins = stand_ins or {}
        self._leaves: dict[int, RowsLineage] = {}

    def table(self, name: str, names: Sequence[str], *, in_view: bool) -> Snapshot:
        """Read a table's columns.

        Raises:
            Unreadable: the statement names no such table, as after a change of a view.
        """
        if in_view:
            return self._tables.of_read(table_read(name), names)
        read = self._named.get(name.lower())
        if read is None:
            raise Unreadable(f"the table {name}, which the statement does not name")
        return self._tables.of_read(TableRead(self._tables.full_name(read)), names)

    def nameless(self, place: int, count: int, names: Sequence[str], *, is_kept: bool) -> Snapshot:
        """Read the columns of files, or of a frame kept by the server; the plan has `count` of them.

        Raises:
            Unreadable: the order of plan and reads may differ.
        """
        reads: Sequence[Read] = self._kept if is_kept else self._sources
        if len(reads) != count or (count > 1 and not self._ordered and len(set(reads)) > 1):
            raise Unreadable("files without a name")
        return self._tables.of_read(reads[place], names)

    def view(self, name: str) -> Snapshot | None:
        """Find the columns of a temporary view; None for a view of the catalog, and for a frame of the program."""
        parts = table_read(name).name
        if len(parts) > 2 or parts[-1].lower() in self._frames:
            return None
        snapshot = self._tables.temporary(parts)
        if snapshot is None:
            raise Unreadable(f"the view {parts[-1]}")
        return snapshot

    def alias(self, name: str) -> Snapshot | None:
        """Find the columns behind a stand-in; None without a stand-in of the name."""
        return self._stand_ins.get(name)

    def rows(self, outputs: Sequence[tuple[str, str]]) -> TextFrame:
        """Read rows in the plan: made of nothing in a statement, unknown in a program."""
        snapshot = Snapshot(tuple(Column(name, "") for name, _ in outputs), tuple(self._of_rows for _ in outputs))
        node, columns = self.placed(snapshot)
        return TextFrame(node, tuple(id_ for _, id_ in outputs), tuple(columns))

    def placed(self, snapshot: Snapshot) -> tuple[Node, Sequence[Column]]:
        """Make a leaf for columns, and its own columns."""
        columns = tuple(replace(column, id=self.nodes.new_id()) for column in snapshot.columns)
        leaf = self.nodes.node("SparkConnectLeaf", schema=True)
        pairs = zip(columns, snapshot.values, strict=True)
        self._leaves[leaf.number] = RowsLineage(tuple((column.id, value) for column, value in pairs), snapshot.rows)
        return leaf, columns

    def lineage(self, node: Node, variables: Mapping[str, Value]) -> RowsLineage:
        """Compute the sources of a plan's columns over the leaves.

        Raises:
            Unreadable: the sources are too many.
        """
        try:
            return PlanWalk(lambda leaf: self._leaves[leaf.number], variables).relation(node)
        except TooLarge as reason:
            raise Unreadable(str(reason)) from reason
