"""Questions to a Spark Connect server, in a session of the job's, beside the job: none of them changes anything."""

from __future__ import annotations

import copy
import re
import threading
from collections.abc import Iterator, Mapping
from concurrent import futures
from typing import Any, NoReturn
from weakref import WeakSet

from spark_client.capturing.connect.reads import SourceRead
from spark_client.capturing.datasets.schemas import parse_schema
from spark_client.capturing.model import SchemaField

# A question that takes longer is given up, where the client lets us say so (PySpark 4.2 and newer).
_ANSWER_S = 30.0
_RELEASE_S = 2.0
# A path that nothing has; what the server says of it tells where paths without a scheme are.
_NOWHERE = "headwater/asks/where/paths/are"
_LOOK_THERE = f"SELECT * FROM text.`{_NOWHERE}`"  # noqa: S608 - our own statement
_FOUND_NOTHING = re.compile(rf"([a-zA-Z][\w+.-]*:/\S*?)/?{_NOWHERE}")
_DETAILS = "# Detailed Table Information"


class Unanswered(Exception):
    """The server did not answer, or did not like the question; the message says why."""


class Server:
    """A session of a server, by a copy of the job's client that gives up soon; for one thread."""

    def __init__(self, client: Any) -> None:
        from pyspark.sql.connect import proto

        self._proto = proto
        self._client = _impatient(client)

    def configuration(self) -> dict[str, str]:
        """All of the session's configuration, Spark's own where the server starts with it."""
        operation = self._proto.ConfigRequest.Operation(get_all=self._proto.ConfigRequest.GetAll())
        with _answered():
            return {key: value for key, value in self._client.config(operation).pairs if value is not None}

    def conf(self, key: str) -> str | None:
        """One value of the configuration as it is now; None if there is none."""
        asked = self._proto.ConfigRequest.GetOption(keys=[key])
        with _answered():
            pairs = self._client.config(self._proto.ConfigRequest.Operation(get_option=asked)).pairs
        return pairs[0][1] if pairs else None

    def spark_version(self) -> str | None:
        """The server's."""
        with _answered():
            version = self._client._analyze(method="spark_version").spark_version
        return str(version) if version else None

    def explain(self, statement: Any) -> str:
        """How Spark parses a statement, a `SQL` of the protocol; it is not run (`sql_statements.is_explainable`)."""
        asked = self._proto.SQL()
        asked.CopyFrom(statement)
        asked.query = f"EXPLAIN EXTENDED {statement.query}"
        return "\n".join(str(row[0]) for row in self._rows(asked))

    def query(self, text: str) -> Any:
        """A statement, as the protocol has it."""
        return self._proto.SQL(query=text)

    def describe(self, name: tuple[str, ...]) -> Mapping[str, str]:
        """What the catalog says of a table or a view (`DESCRIBE TABLE EXTENDED`); nothing of a temporary view's."""
        rows = list(self._rows(self.query(f"DESCRIBE TABLE EXTENDED {quoted(name)}")))
        titles = [str(row[0]) for row in rows]
        details = rows[titles.index(_DETAILS) + 1 :] if _DETAILS in titles else []
        return {str(row[0]): str(row[1]) for row in details if row[0]}

    def database(self) -> tuple[str, ...]:
        """The session's current catalog and database."""
        for catalog, database in self._rows(self.query("SHOW CURRENT NAMESPACE")):
            return (str(catalog), *str(database).split("."))
        return ()

    def folder(self) -> str | None:
        """Where a relative path leads to; None if the server does not say."""
        found = _FOUND_NOTHING.search(self.explain(self.query(_LOOK_THERE)))
        return found[1] if found else None

    def files(self, read: SourceRead) -> list[str]:
        """The files at a source's paths, whatever their format: Spark lists them, it reads none."""
        relation = self._source(SourceRead("binaryFile", read.paths, {"pathGlobFilter": "*"}))
        with _answered():
            return list(self._client._analyze(method="input_files", plan=self._plan(relation)).input_files or ())

    def schema(self, relation: Any) -> tuple[SchemaField, ...]:
        """The columns of a relation."""
        with _answered():
            return parse_schema(self._client.schema(self._plan(relation)).json())

    def table_schema(self, name: tuple[str, ...]) -> tuple[SchemaField, ...]:
        """The columns of a table."""
        relation = self._proto.Relation()
        relation.read.named_table.unparsed_identifier = quoted(name)
        return self.schema(relation)

    def source_schema(self, read: SourceRead) -> tuple[SchemaField, ...]:
        """The columns of a source."""
        return self.schema(self._source(read))

    def _source(self, read: SourceRead) -> Any:
        relation = self._proto.Relation()
        source = relation.read.data_source
        if read.format:
            source.format = read.format
        if read.schema:
            source.schema = read.schema
        source.paths.extend(read.paths)
        source.options.update({key: value for key, value in read.options.items() if key != "path"})
        return relation

    def _plan(self, relation: Any) -> Any:
        return self._proto.Plan(root=relation)

    def _rows(self, statement: Any) -> Iterator[tuple[Any, ...]]:
        """What a command answers: the server puts it into a relation of rows at once."""
        import pyarrow

        command = self._proto.Command()
        if _has(command.sql_command, "input"):
            command.sql_command.input.sql.CopyFrom(statement)
        else:  # Spark 3.5
            command.sql_command.sql = statement.query
        with _answered():
            _, properties, *_ = self._client.execute_command(command)
            # What it still tells the server of the command: a session that ends meanwhile would not know it any more.
            futures.wait(set(self._client._release_futures), _RELEASE_S)
            data = properties["sql_command_result"].local_relation.data
            table = pyarrow.ipc.open_stream(data).read_all()
            yield from zip(*(column.to_pylist() for column in table.columns), strict=True)


class _answered:  # noqa: N801 - it reads as a part of the sentence
    """Whatever the client raises is `Unanswered`."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Exception) and not isinstance(error, Unanswered):
            raise Unanswered(f"{type(error).__name__}: {str(error).strip().split(chr(10))[0]}") from error


def quoted(name: tuple[str, ...]) -> str:
    """A name as SQL has it.

    >>> quoted(("shop", "my.orders"))
    '`shop`.`my.orders`'
    """
    return ".".join(f"`{part.replace('`', '``')}`" for part in name)


def statement_of(command: Any) -> tuple[Any, Any]:
    """The `SQL` in a `SqlCommand`, and the relation around it, which Spark 3.5 has not."""
    from pyspark.sql.connect import proto

    relation = proto.Relation()
    if _has(command, "input") and command.HasField("input"):
        relation = command.input
        inside = relation.with_relations.root if relation.HasField("with_relations") else relation
        return inside.sql, relation
    relation.sql.query = command.sql
    return relation.sql, relation


def is_ours(client: Any) -> bool:
    """Whether a client is one that asks for us."""
    return "_headwater" in vars(client)


def _has(message: Any, field: str) -> bool:
    return field in message.DESCRIPTOR.fields_by_name


def _raise(error: Any) -> NoReturn:
    """In the place of what logs an error, asks for its details, and makes an exception for the job of it."""
    raise Unanswered(str(error.details() if hasattr(error, "details") else error).strip().split("\n")[0])


def _impatient(client: Any) -> Any:
    """A client of the same session and the same channel, that neither tries again nor waits long."""
    from pyspark.sql.connect.client import core

    ours = copy.copy(client)
    ours._headwater = True
    # What the job's client keeps for and of its own calls.
    ours.thread_local = threading.local()
    ours._progress_handlers, ours._session_hooks, ours._release_futures = [], [], WeakSet()
    ours._handle_rpc_error = _raise
    if hasattr(ours, "set_retry_policies"):
        ours.set_retry_policies([])
    deadlines = getattr(core, "RpcDeadlines", None)
    if deadlines is not None:
        ours._rpc_deadlines = deadlines(
            reattachable_execute_plan=_ANSWER_S, reattach_execute=_ANSWER_S, analyze_plan=_ANSWER_S, config=_ANSWER_S
        )
    return ours
