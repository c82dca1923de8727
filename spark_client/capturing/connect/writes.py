"""Writes of a program's Spark Connect commands, resolved table by table: what each wrote where, and what it read.

Commands come in the order in which they ended, so that a name has the meaning it had then: commands make temporary
views, too, and loops make them again under the same name.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from spark_client.capturing.connect.columns.lineage import Into, columns_of, read_snapshot, read_statements
from spark_client.capturing.connect.commands import Command
from spark_client.capturing.connect.reads import QueryRead, TableRead, reads_of, source_read, table_read
from spark_client.capturing.connect.reads import Read as NamedRead
from spark_client.capturing.connect.server import NoResponse, Server, statement_of
from spark_client.capturing.connect.server_cache import ResolvedReads, ServerCache
from spark_client.capturing.connect.snapshots import Snapshot, Unreadable
from spark_client.capturing.connect.sql_statements import (
    Statement,
    find_database,
    find_statements,
    is_explainable,
    is_recursive,
)
from spark_client.capturing.connect.tables import Session
from spark_client.capturing.datasets.catalogs import Catalogs
from spark_client.capturing.datasets.locations import is_partition
from spark_client.capturing.datasets.versions import NO_VERSIONS, Versions
from spark_client.capturing.model import Change, Dataset, Read, StreamStart, UnknownTarget, Write

T = TypeVar("T")
_log = logging.getLogger("headwater.capture")
# Sources that keep nothing, and a stream's sink in the memory of the driver.
_KEEP_NOTHING = frozenset({"noop", "console"})
_STREAMS_KEEP_NOTHING = _KEEP_NOTHING | {"memory"}
# Statements after which a table may be another one by the same name.
_CHANGES_TABLES = re.compile(r"\s*(?:CREATE|REPLACE|DROP|ALTER|REFRESH|MSCK|UNCACHE|BEGIN|EXECUTE)\b", re.IGNORECASE)
# Rows of the program are in its plan, and go over the wire again with a query of its schema.
_PLAN_MAX_BYTES = 1_000_000
# Statements that write the rows of a query, by their class in the parsed plan.
_OF_A_QUERY = frozenset({"InsertIntoStatement", "InsertIntoDir", "CreateTableAsSelect", "ReplaceTableAsSelect"})
_DYNAMIC = "spark.sql.sources.partitionOverwriteMode"


class ConnectExtractor:
    """Extractor of writes from the commands of all sessions at one server, in their order.

    `columns` is whether their columns are read, too, which takes more requests to the server.
    """

    def __init__(self, catalogs: Catalogs, server: Callable[[Any], Server] = Server, *, columns: bool = True) -> None:
        self._cache = ServerCache(catalogs)
        self._columns = columns
        self._server = server
        self._sessions: WeakKeyDictionary[Any, Session] = WeakKeyDictionary()

    def read_write(self, command: Command) -> list[Write]:
        """Return the writes of a command: mostly none, several where a statement has several INSERTs.

        Raises:
            UnknownTarget: a write's target has no name.
        """
        session = self._session(command.client)
        return _RULES[command.kind](
            _Commanded(session, command, getattr(command.message, command.kind), columns=self._columns)
        )

    def read_stream(self, start: StreamStart[Command]) -> Write | None:
        """Return what a streaming query writes into its sink; None if that writes nothing.

        Raises:
            UnknownTarget: the sink has no name, or only the batches write (`foreachBatch`), whose code runs elsewhere.
        """
        command = start.query
        message = getattr(command.message, command.kind)
        write = _stream(_Commanded(self._session(command.client), command, message, columns=self._columns))
        return None if write is None else replace(write, stream=start.run_id)

    def locate(self, versions: Mapping[str, str | None]) -> Versions:  # noqa: ARG002 - a client sees none
        """Return nothing: a client does not see the versions of tables."""
        return NO_VERSIONS

    def meet(self, client: Any) -> None:
        """Read the state of a session whose commands will follow."""
        self._session(client).meet()

    def _session(self, client: Any) -> Session:
        if client not in self._sessions:
            self._sessions[client] = Session(self._server(client), self._cache)
        return self._sessions[client]


class _Commanded:
    """Command in its session; `message` is the part of it that its kind has."""

    def __init__(self, session: Session, command: Command, message: Any, *, columns: bool) -> None:
        self._columns = columns
        self.session = session
        self.command = command
        self.message = message

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
    ) -> Write:
        """Return the write of a statement; `query` is the relation of the written rows, if that is not in the SQL."""
        found, output = self.session.find(statement.reads), None
        if statement.target is not None:
            output = self.session.find_target(statement.target, is_new=statement.change is not None)
        if output is None:
            raise UnknownTarget(self._nameless(statement.kind, found, "a target that nobody can name", sql))
        write = Write(
            execution_id=self.command.id,
            command=statement.kind,
            started_ms=self.command.started_ms,
            ended_ms=self.command.ended_ms,
            output=self._with_schema(output, found, query),
            inputs=found.datasets,
            tier="tables",
            change=statement.change if not statement.by_partition or not self._is_dynamic() else None,
            failure=self.command.failure,
            sql=sql,
            unknown_inputs=found.unknown,
            number=number,
        )
        return write if query is None else self._with_columns(write, query, into)

    def nameless(self, kind: str, query: Any, why: str) -> Read:
        """Return what a query reads, whose rows go into a target without a name."""
        return self._nameless(kind, self.session.find(tuple(reads_of(query))), why)

    def _nameless(self, kind: str, found: ResolvedReads, why: str, sql: str | None = None) -> Read:
        return Read(
            execution_id=self.command.id,
            command=kind,
            started_ms=self.command.started_ms,
            ended_ms=self.command.ended_ms,
            inputs=found.datasets,
            tier="tables",
            failure=self.command.failure,
            sql=sql,
            unknown_inputs=found.unknown,
            unknown_output=f"{kind}: {why}",
        )

    def _with_columns(self, write: Write, query: Any, into: Into) -> Write:
        """Return the write with its columns, as far as they are read; a reader's fault only costs the columns."""
        snapshot = self.snapshot(query)
        return write if snapshot is None else self.named(write, snapshot, into)

    def named(self, write: Write, snapshot: Snapshot, into: Into) -> Write:
        """Return the write with these columns, as the written dataset names them."""
        try:
            read = columns_of(snapshot, write.output.schema, into)
        except Unreadable as reason:
            _log.debug("capture: no columns: %s", reason)
            return write
        return replace(write, columns=read.columns, unknown=read.unknown, tier="full")

    def statements(self, message: Any) -> list[tuple[Snapshot, Into]]:
        """Return the columns of the queries in a statement; none if they cannot be read."""
        return self._guarded(lambda: read_statements(self.session, message)) or []

    def snapshot(self, relation: Any) -> Snapshot | None:
        """Return the columns of a relation; None if they cannot be read."""
        return self._guarded(lambda: read_snapshot(self.session, relation))

    def _guarded(self, read: Callable[[], T]) -> T | None:
        """Return what is read, None if it cannot be: a fault of the reader costs the columns alone."""
        try:
            return read() if self._columns else None
        except (Unreadable, NoResponse) as reason:
            _log.debug("capture: no columns: %s", reason)
        except Exception:  # noqa: BLE001 - whatever a new client's plans are, tables are known
            _log.debug("capture: no columns", exc_info=True)
        return None

    def _with_schema(self, output: Dataset, found: ResolvedReads, query: Any) -> Dataset:
        """Return a folder with the columns written to it, where the server need not read data for them."""
        if output.schema or query is None or not found.schema_known or query.ByteSize() > _PLAN_MAX_BYTES:
            return output
        try:
            return Dataset(output.id, self.session.server.schema(query), output.symlinks, output.version)
        except NoResponse:
            return output

    def _is_dynamic(self) -> bool:
        """True if overwriting a partitioned table only replaces partitions with new rows."""
        try:
            return (self.session.server.conf(_DYNAMIC) or "").lower() == "dynamic"
        except NoResponse:
            return False


def _stream(commanded: _Commanded) -> Write | None:
    """Return the write of a streaming query into its sink."""
    message = commanded.message
    if message.HasField("foreach_batch"):
        why = "on Spark Connect, what the batches of a stream write is not seen"
        raise UnknownTarget(commanded.nameless("foreachBatch", message.input, why))
    if message.HasField("foreach_writer") or message.format.lower() in _STREAMS_KEEP_NOTHING:
        return None
    if message.WhichOneof("sink_destination") == "table_name":
        target: NamedRead = table_read(message.table_name)
    else:
        target = source_read(message.format, (message.path,), message.options)
    statement = Statement(message.DESCRIPTOR.name, target, tuple(reads_of(message.input)))
    return commanded.write(statement, query=message.input)


def _write_operation(commanded: _Commanded) -> list[Write]:
    """Return the write of `df.write`."""
    message = commanded.message
    if message.source.lower() in _KEEP_NOTHING:
        return []
    overwrites = commanded.mode == "OVERWRITE"
    change: Change | None = "OVERWRITE" if overwrites else None
    if message.WhichOneof("save_type") == "table":
        target: NamedRead = table_read(message.table.table_name)
        saves = message.table.save_method == message.table.TABLE_SAVE_METHOD_SAVE_AS_TABLE
        if saves and commanded.mode in ("ERROR_IF_EXISTS", "IGNORE", "UNSPECIFIED"):
            change = "CREATE"
        by_partition = overwrites and not saves
        into: Into = "by position" if not saves else "by name" if commanded.mode == "APPEND" else "new"
    else:
        into = "new"
        target = source_read(message.source, (message.path,), message.options)
        by_partition = overwrites and bool(message.partitioning_columns)
        if any(is_partition(path) for path in getattr(target, "paths", ())):
            change = None
    if _is_dynamic_by_option(message.options):
        change = None
    reads = tuple(reads_of(message.input))
    statement = Statement(message.DESCRIPTOR.name, target, reads, change, by_partition=by_partition)
    return [commanded.write(statement, query=message.input, into=into)]


def _is_dynamic_by_option(options: Mapping[str, str]) -> bool:
    return any(key.lower() == "partitionoverwritemode" and value.lower() == "dynamic" for key, value in options.items())


def _write_operation_v2(commanded: _Commanded) -> list[Write]:
    """Return the write of `df.writeTo`."""
    message, mode = commanded.message, commanded.mode
    change: Change | None = "CREATE" if mode == "CREATE" else "OVERWRITE" if "REPLACE" in mode else None
    if mode == "OVERWRITE" and message.overwrite_condition.WhichOneof("expr_type") == "literal":
        change = "OVERWRITE"
    reads = tuple(reads_of(message.input))
    statement = Statement(message.DESCRIPTOR.name, table_read(message.table_name), reads, change)
    into: Into = "new" if mode in ("CREATE", "REPLACE", "CREATE_OR_REPLACE") else "by name"
    return [commanded.write(statement, query=message.input, into=into)]


def _merge_into(commanded: _Commanded) -> list[Write]:
    """Return the write of `df.mergeInto`, which reads rows of the table, too."""
    message = commanded.message
    target = table_read(message.target_table_name)
    reads = (target, *reads_of(message.source_table_plan))
    return [commanded.write(Statement(message.DESCRIPTOR.name, target, reads))]


def _sql(commanded: _Commanded) -> list[Write]:
    """Return the writes of a `spark.sql` statement that the server ran at once."""
    session, command = commanded.session, commanded.command
    message, relation = statement_of(commanded.message)
    text = message.query
    done = command.failure is None
    if done and (database := find_database(text)) is not None:
        session.move(database)
    if done and _CHANGES_TABLES.match(text):
        session.forget_tables()
    if not is_explainable(text):
        return []
    root = session.plan(message)
    around = [read for read in reads_of(relation) if isinstance(read, QueryRead)]
    frames = around[0].frames if around else frozenset()
    beside = [read for read in reads_of(relation) if not isinstance(read, QueryRead)]
    columns = commanded.statements(message)
    writes: list[Write] = []
    for found in find_statements(root, recursive=is_recursive(text)) if root else ():
        reads = tuple(_without(found.reads or (), frames, beside))
        if isinstance(found, Statement):
            named = Statement(f"SQL {found.kind}", found.target, reads, found.change, by_partition=found.by_partition)
            write = commanded.write(named, sql=text, number=len(writes))
            known = columns[len(writes)] if len(writes) < len(columns) and found.kind in _OF_A_QUERY else None
            writes.append(commanded.named(write, *known) if known else write)
        elif done:
            snapshot = columns[0][0] if len(columns) == 1 else None
            session.put_view(found.name, None if found.reads is None else reads, snapshot)
    return writes


def _without(reads: Iterable[NamedRead], frames: frozenset[str], beside: Sequence[NamedRead]) -> Iterable[NamedRead]:
    """Yield the reads of a statement, with the sources of the program's frames in their place."""
    names = {frame.lower() for frame in frames}
    for read in reads:
        if isinstance(read, TableRead) and len(read.name) == 1 and read.name[0].lower() in names:
            yield from beside
        else:
            yield read


def _view(commanded: _Commanded) -> list[Write]:
    """Note the view of `df.createOrReplaceTempView`."""
    message = commanded.message
    if commanded.command.failure is None:
        name = ("global_temp", message.name) if message.is_global else (message.name,)
        commanded.session.put_view(name, tuple(reads_of(message.input)), commanded.snapshot(message.input))
    return []


def _checkpoint(commanded: _Commanded) -> list[Write]:
    """Note the frame that `df.checkpoint` keeps on the server."""
    frame = (commanded.command.result or {}).get("checkpoint_command_result")
    id_ = getattr(getattr(frame, "_plan", frame), "_relation_id", None)
    if id_ is not None:
        relation = commanded.message.relation
        commanded.session.put_frame(id_, tuple(reads_of(relation)), commanded.snapshot(relation))
    return []


def _catalog(commanded: _Commanded) -> list[Write]:
    """Follow the changes that `spark.catalog` makes to the session."""
    session, kind = commanded.session, commanded.message.WhichOneof("cat_type")
    request = getattr(commanded.message, kind)
    if kind == "set_current_database":
        session.move(table_read(request.db_name).name)
    elif kind == "set_current_catalog":
        session.move((request.catalog_name,))
    elif kind == "drop_temp_view":
        session.put_view((request.view_name,), None)
    elif kind == "drop_global_temp_view":
        session.put_view(("global_temp", request.view_name), None)
    elif kind in ("create_table", "create_external_table", "drop_table"):
        session.forget_tables()
    return []


_RULES: dict[str, Callable[[_Commanded], list[Write]]] = {
    "catalog": _catalog,
    "checkpoint_command": _checkpoint,
    "create_dataframe_view": _view,
    "merge_into_table_command": _merge_into,
    "sql_command": _sql,
    "write_operation": _write_operation,
    "write_operation_v2": _write_operation_v2,
}
