"""Command of Spark Connect in its session: makes the command's writes and reads."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypeVar

from spark_client.capturing.connect.columns.lineage import Into, columns_of, read_snapshot, read_statements
from spark_client.capturing.connect.commands import Command
from spark_client.capturing.connect.reads import Read as NamedRead
from spark_client.capturing.connect.reads import reads_of
from spark_client.capturing.connect.server import NoResponse
from spark_client.capturing.connect.server_cache import ResolvedReads
from spark_client.capturing.connect.snapshots import Snapshot, Unreadable
from spark_client.capturing.connect.sql_statements import Statement
from spark_client.capturing.connect.tables import Session
from spark_client.capturing.datasets.target import Target
from spark_client.capturing.model import Dataset, Read, SchemaField, UnknownTarget, Write

T = TypeVar("T")
_log = logging.getLogger("headwater.capture")
# A plan has the rows of the program, and a query of its schema sends the rows again.
_PLAN_MAX_BYTES = 1_000_000
_DYNAMIC = "spark.sql.sources.partitionOverwriteMode"


class Commanded:
    """Command in its session; `message` is the part for its kind, such as `write_operation`."""

    def __init__(self, session: Session, command: Command, message: Any, *, columns: bool) -> None:
        session.server.failure = command.failure
        self._columns = columns
        # Reason why columns of the command are not read.
        self._unread = "a statement without a query" if columns else "spark.headwater.capture.connectColumns is false"
        self.session = session
        self.command = command
        self.message = message

    @property
    def done(self) -> bool:
        """True if the command did not fail."""
        return self.command.failure is None

    @property
    def mode(self) -> str:
        """Mode of the write: `OVERWRITE`, `APPEND`, `CREATE`, ..."""
        field = self.message.DESCRIPTOR.fields_by_name["mode"]
        return str(field.enum_type.values_by_number[self.message.mode].name).rpartition("MODE_")[2]

    def write(
        self,
        statement: Statement,
        *,
        sql: str | None = None,
        query: Any = None,
        into: Into = "new",
        number: int = 0,
        output: Dataset | None = None,
    ) -> Write:
        """Make the write of a statement; `query` is the relation of the written rows, if not in the SQL."""
        resolved = self.session.find(statement.reads)
        if statement.target is not None and output is None:
            output = self.session.find_target(statement.target, is_new=statement.change is not None)
        # Without a name for the target, the reads alone are reported.
        if output is None:
            raise UnknownTarget(self._nameless(statement.kind, resolved, "a target that nobody can name", sql))
        write = Write(
            **self._described(statement.kind, sql),
            output=self._with_schema(output, resolved, query),
            inputs=resolved.datasets,
            tier_reason=self._unread,
            change=statement.change if not statement.by_partition or not self._is_dynamic() else None,
            unknown_inputs=resolved.unknown,
            number=number,
        )
        return write if query is None else self._with_columns(write, query, into)

    def reads(self, relation: Any) -> tuple[NamedRead, ...]:
        """List the reads of a frame, also inside its expressions."""
        reads = tuple(reads_of(relation))
        return (*reads, *self.session.hidden_in_frame(relation, reads))

    def nameless(self, kind: str, reads: Iterable[NamedRead], why: str) -> Read:
        """Make the read of rows that go into a target without a name."""
        return self._nameless(kind, self.session.find(reads), why)

    def opaque(self, kind: str, why: str, sql: str | None = None) -> Read:
        """Make a read without inputs, for a statement whose reads and writes are unknown."""
        return self._nameless(kind, ResolvedReads((), (f"{kind}: {why}",), schema_known=False), why, sql)

    def of_target(self, target: Target, sql: str, name: tuple[str, ...] = ()) -> Write:
        """Make the write of a statement without a query: `DROP TABLE t`. `name`: the table to alter, if any.

        Raises:
            UnknownTarget: the changed table or folder has no known name.
        """
        if target.output is None:
            kind, _, why = (target.unknown or f"{target.command}: a table that nobody can name").partition(": ")
            raise UnknownTarget(self.opaque(kind, why, sql))
        schema = self.schema_now(name) if target.effect == "alter" else ()
        return Write(
            **self._described(target.command, sql),
            output=replace(target.output, schema=schema) if schema else target.output,
            inputs=target.inputs,
            change=target.change,
            if_met=target.if_met,
            effect=target.effect,
            added=schema,
        )

    def schema_now(self, name: tuple[str, ...]) -> tuple[SchemaField, ...]:
        """Read the columns of a table or view after the command; empty after a failure, or without a response."""
        try:
            return self.session.server.table_schema(name) if self.done else ()
        except NoResponse:
            return ()

    def _nameless(self, kind: str, resolved: ResolvedReads, why: str, sql: str | None = None) -> Read:
        described, unknown_output = self._described(kind, sql), f"{kind}: {why}"
        return Read(
            **described, inputs=resolved.datasets, unknown_inputs=resolved.unknown, unknown_output=unknown_output
        )

    def _described(self, kind: str, sql: str | None) -> dict[str, Any]:
        command = self.command
        times = {"started_ms": command.started_ms, "ended_ms": command.ended_ms}
        return {
            "execution_id": command.id,
            "command": kind,
            **times,
            "tier": "tables",
            "failure": command.failure,
            "sql": sql,
        }

    def _with_columns(self, write: Write, query: Any, into: Into) -> Write:
        snapshot = self.snapshot(query)
        return replace(write, tier_reason=self._unread) if snapshot is None else self.named(write, snapshot, into)

    def named(self, write: Write, snapshot: Snapshot, into: Into) -> Write:
        """Add the columns of a snapshot to a write, under the names of the written dataset."""
        try:
            columns, unknown = columns_of(snapshot, write.output.schema, into)
        except Unreadable as reason:
            return replace(write, tier_reason=str(reason))
        return replace(write, columns=columns, unknown=unknown, tier="full", tier_reason=None)

    def statements(self, message: Any) -> list[tuple[Snapshot, Into]]:
        """Read the columns of a statement's queries; empty if unreadable."""
        return self._guarded(lambda: read_statements(self.session, message)) or []

    def snapshot(self, relation: Any) -> Snapshot | None:
        """Read the columns of a relation; None if unreadable."""
        return self._guarded(lambda: read_snapshot(self.session, relation))

    def _guarded(self, read: Callable[[], T]) -> T | None:
        """Call a reader of columns; None if columns are off or the reader fails."""
        try:
            return read() if self._columns else None
        except (Unreadable, NoResponse) as reason:
            self._unread = str(reason)
        except Exception as fault:  # noqa: BLE001 - whatever a new client's plans are, tables are known
            self._unread = f"{type(fault).__name__}: {fault}"
            _log.debug("capture: no columns", exc_info=True)
        return None

    def _with_schema(self, output: Dataset, resolved: ResolvedReads, query: Any) -> Dataset:
        """Add the written columns to a folder, where the server knows them without reading data."""
        if output.schema or query is None or not resolved.schema_known or query.ByteSize() > _PLAN_MAX_BYTES:
            return output
        try:
            schema = self.session.server.schema(self.session.frame_to_explain(query).relation)
            return Dataset(output.id, schema, output.symlinks, output.version)
        except NoResponse:
            return output

    def _is_dynamic(self) -> bool:
        """True if overwriting a partitioned table only replaces partitions with new rows."""
        try:
            return (self.session.server.conf(_DYNAMIC) or "").lower() == "dynamic"
        except NoResponse:
            return False
