"""Writes of a program's Spark Connect commands, resolved table by table.

Commands come in the order of their ends, so a name has its meaning of the moment: a loop makes a temporary view again
and again under the same name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

from spark_client.capturing.connect.columns.lineage import Into
from spark_client.capturing.connect.commanded import Commanded
from spark_client.capturing.connect.commands import Command
from spark_client.capturing.connect.reads import Read as NamedRead
from spark_client.capturing.connect.reads import UnknownRead, source_read, table_read
from spark_client.capturing.connect.server import Server
from spark_client.capturing.connect.server_cache import ServerCache
from spark_client.capturing.connect.sql_statements import Statement
from spark_client.capturing.connect.sql_writes import sql_writes
from spark_client.capturing.connect.tables import Session
from spark_client.capturing.datasets.catalogs import Catalogs
from spark_client.capturing.datasets.versions import NO_VERSIONS, Versions
from spark_client.capturing.glue.models import MODEL_SAVE, NO_COLUMNS, UNFITTED
from spark_client.capturing.model import Change, StreamStart, UnknownTarget, Write

# Sources that keep nothing, and a stream's sink in the memory of the driver.
_KEEP_NOTHING = frozenset({"noop", "console"})
_STREAMS_KEEP_NOTHING = _KEEP_NOTHING | {"memory"}


class ConnectExtractor:
    """Extractor of writes from the commands of all sessions at a server, in their order.

    `columns`: read columns too, by more requests to the server.
    """

    def __init__(self, catalogs: Catalogs, server: Callable[[Any], Server] = Server, *, columns: bool = True) -> None:
        self._cache = ServerCache(catalogs)
        self._columns = columns
        self._server = server
        self._sessions: WeakKeyDictionary[Any, Session] = WeakKeyDictionary()

    def read_write(self, command: Command) -> list[Write]:
        """Read the writes of a command: mostly none, several for a statement with several INSERTs.

        Raises:
            UnknownTarget: a write's target has no name.
        """
        session = self._session(command.client)
        rule = _RULES.get(command.kind, _unknown)
        return rule(Commanded(session, command, getattr(command.message, command.kind), columns=self._columns))

    def read_stream(self, start: StreamStart[Command]) -> Write | None:
        """Read the write of a streaming query into its sink; None for a sink without a dataset.

        Raises:
            UnknownTarget: the sink has no name, or the batches alone write (`foreachBatch`), out of sight.
        """
        command = start.query
        message = getattr(command.message, command.kind)
        write = _stream(Commanded(self._session(command.client), command, message, columns=self._columns))
        return None if write is None else replace(write, stream=start.run_id)

    def locate(self, versions: Mapping[str, str | None]) -> Versions:  # noqa: ARG002 - a client sees none
        """Give no versions: a client does not see the versions of tables."""
        return NO_VERSIONS

    def meet(self, client: Any) -> None:
        """Read the state of a session whose commands will follow."""
        self._session(client).meet()

    def _session(self, client: Any) -> Session:
        if client not in self._sessions:
            self._sessions[client] = Session(self._server(client), self._cache)
        return self._sessions[client]


def _stream(commanded: Commanded) -> Write | None:
    message = commanded.message
    if message.HasField("foreach_batch"):
        why = "on Spark Connect, what the batches of a stream write is not seen"
        raise UnknownTarget(commanded.nameless("foreachBatch", commanded.reads(message.input), why))
    if message.HasField("foreach_writer") or message.format.lower() in _STREAMS_KEEP_NOTHING:
        return None
    if message.WhichOneof("sink_destination") == "table_name":
        target: NamedRead = table_read(message.table_name)
    else:
        target = source_read(message.format, (message.path,), message.options)
    statement = Statement(message.DESCRIPTOR.name, target, commanded.reads(message.input))
    return commanded.write(statement, query=message.input)


def _write_operation(commanded: Commanded) -> list[Write]:
    """Make the write of `df.write`."""
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
        # `insertInto` may overwrite partitions alone, but `saveAsTable` replaces the table.
        by_partition = overwrites and not saves
        into: Into = "by position" if not saves else "by name" if commanded.mode == "APPEND" else "new"
    else:
        into = "new"
        target = source_read(message.source, (message.path,), message.options)
        by_partition = overwrites and bool(message.partitioning_columns)
        # An overwritten folder `day=1` leaves the rest of its table.
        if any(map(commanded.session.is_partition, getattr(target, "paths", ()))):
            change = None
    if _is_dynamic_by_option(message.options):
        change = None
    reads = commanded.reads(message.input)
    statement = Statement(message.DESCRIPTOR.name, target, reads, change, by_partition=by_partition)
    return [commanded.write(statement, query=message.input, into=into)]


def _is_dynamic_by_option(options: Mapping[str, str]) -> bool:
    return any(key.lower() == "partitionoverwritemode" and value.lower() == "dynamic" for key, value in options.items())


def _write_operation_v2(commanded: Commanded) -> list[Write]:
    """Make the write of `df.writeTo`."""
    message, mode = commanded.message, commanded.mode
    change: Change | None = "CREATE" if mode == "CREATE" else "OVERWRITE" if "REPLACE" in mode else None
    if mode == "OVERWRITE" and message.overwrite_condition.WhichOneof("expr_type") == "literal":
        change = "OVERWRITE"
    reads = commanded.reads(message.input)
    statement = Statement(message.DESCRIPTOR.name, table_read(message.table_name), reads, change)
    into: Into = "new" if mode in ("CREATE", "REPLACE", "CREATE_OR_REPLACE") else "by name"
    return [commanded.write(statement, query=message.input, into=into)]


def _merge_into(commanded: Commanded) -> list[Write]:
    """Make the write of `df.mergeInto`; it reads rows of the table, too."""
    message = commanded.message
    target = table_read(message.target_table_name)
    reads = (target, *commanded.reads(message.source_table_plan))
    return [commanded.write(Statement(message.DESCRIPTOR.name, target, reads))]


def _view(commanded: Commanded) -> list[Write]:
    """Note the view of `df.createOrReplaceTempView`."""
    message = commanded.message
    if commanded.command.failure is None:
        name = ("global_temp", message.name) if message.is_global else (message.name,)
        commanded.session.put_view(name, commanded.reads(message.input), commanded.snapshot(message.input))
    return []


def _checkpoint(commanded: Commanded) -> list[Write]:
    """Note the frame kept by `df.checkpoint`."""
    frame = (commanded.command.result or {}).get("checkpoint_command_result")
    id_ = getattr(getattr(frame, "_plan", frame), "_relation_id", None)
    if id_ is not None:
        relation = commanded.message.relation
        commanded.session.put_frame(id_, commanded.reads(relation), commanded.snapshot(relation))
    return []


def _model(commanded: Commanded) -> list[Write]:
    """Make the write of a model's save, put together by `report_model`."""
    message, known = commanded.message.write, commanded.command.result or {}
    fitted = known.get("fitted")
    reads = () if fitted is None else commanded.reads(fitted)
    if fitted is None and known.get("is_model", True):
        reads = (UnknownRead(UNFITTED),)
    target = source_read("parquet", (message.path,), {})
    statement = Statement(MODEL_SAVE, target, reads, "OVERWRITE" if message.should_overwrite else None)
    return [replace(commanded.write(statement), tier_reason=NO_COLUMNS)]


def _pipeline(commanded: Commanded) -> list[Write]:
    """Refuse the flows of a declarative pipeline: its run, on the server, may write them or not.

    Raises:
        UnknownTarget: always; with the inputs of the flows.
    """
    kind = commanded.message.WhichOneof("command_type")
    request = getattr(commanded.message, kind)
    flows = [request] if kind == "define_flow" else list(getattr(request, "define_flows", ()))
    reads = [read for flow in flows for read in _reads_of_flow(commanded, flow)]
    names = ", ".join(flow.target_dataset_name or flow.flow_name for flow in flows) or "its tables"
    why = f"on Spark Connect, what a pipeline writes into {names} is not seen"
    raise UnknownTarget(commanded.nameless(f"pipeline {kind}", reads, why))


def _reads_of_flow(commanded: Commanded, flow: Any) -> Iterable[NamedRead]:
    if flow.WhichOneof("details") == "relation_flow_details":
        return commanded.reads(flow.relation_flow_details.relation)
    source = getattr(getattr(flow, "auto_cdc_flow_details", None), "source", "")
    return [table_read(source)] if source else []


def _unknown(commanded: Commanded) -> list[Write]:
    """Refuse a command without a rule; a failed command wrote nothing.

    Raises:
        UnknownTarget: the command may have written.
    """
    if not commanded.done:
        return []
    raise UnknownTarget(commanded.opaque(commanded.command.kind, "a command that nobody knows"))


def _catalog(commanded: Commanded) -> list[Write]:
    """Follow a change of the session by `spark.catalog`."""
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


_RULES: dict[str, Callable[[Commanded], list[Write]]] = {
    "catalog": _catalog,
    "checkpoint_command": _checkpoint,
    "create_dataframe_view": _view,
    "merge_into_table_command": _merge_into,
    "ml_command": _model,
    "pipeline_command": _pipeline,
    "sql_command": sql_writes,
    "write_operation": _write_operation,
    "write_operation_v2": _write_operation_v2,
}
