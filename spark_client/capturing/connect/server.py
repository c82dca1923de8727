"""Queries to a Spark Connect server in the job's session, beside the job, without a lasting change to the session."""

from __future__ import annotations

import copy
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent import futures
from contextlib import contextmanager
from typing import Any, NamedTuple, NoReturn
from weakref import WeakSet

from spark_client.capturing.connect.reads import SourceRead, messages_in
from spark_client.capturing.datasets.schemas import parse_schema
from spark_client.capturing.model import Failure, SchemaField

# A longer query is given up, where the client has time limits (PySpark 4.2 and newer).
_RESPONSE_S = 30.0
_RELEASE_S = 2.0
# A path without files; the plan's error names the location of paths without a scheme. Under a single path Spark looks
# for a stream's log, and prints a stack trace for a missing path: so the path stands twice.
_NOWHERE = "headwater/asks/where/paths/are"
_LOOK_THERE = f"SELECT * FROM text.`{_NOWHERE}`"  # noqa: S608 - our own statement
_TWICE = f" WITH (path '{_NOWHERE}')"
_FOUND_NOTHING = re.compile(rf"([a-zA-Z][\w+.-]*:/\S*?)/?{_NOWHERE}")
_PATTERN = frozenset("*?[{")
# Failures of the analyzer, without `TABLE_OR_VIEW_ALREADY_EXISTS` and its like.
_REFUSED = re.compile(r"(?:Analysis|Parse)Exception: (?!\[\w*ALREADY_EXISTS)")
_DETAILS = "# Detailed Table Information"
_CUT = re.compile(r"\.\.\. \d+ more fields")
_FIELDS, _FIELDS_MAX = "spark.sql.debug.maxToStringFields", 10_000


class NoResponse(Exception):
    """Failure of a query to the server; the message says why."""


class StreamStatus(NamedTuple):
    """Status of a streaming query: Spark's reports on its last batches, as JSON, and why it failed."""

    is_active: bool
    progress: Sequence[str]
    failure: Failure | None = None


class Server:
    """Session of a server, by an impatient copy of the job's client; for a single thread."""

    def __init__(self, client: Any) -> None:
        from pyspark.sql.connect import proto

        self._proto = proto
        self._client = _impatient(client)
        # Failure of the command being read.
        self.failure: Failure | None = None

    def configuration(self) -> dict[str, str]:
        """Read the session's whole configuration, with the settings at the server's start."""
        operation = self._proto.ConfigRequest.Operation(get_all=self._proto.ConfigRequest.GetAll())
        with _no_response_for_errors():
            return {key: value for key, value in self._client.config(operation).pairs if value is not None}

    def conf(self, key: str) -> str | None:
        """Read the present value of a setting; None if unset."""
        option = self._proto.ConfigRequest.GetOption(keys=[key])
        with _no_response_for_errors():
            pairs = self._client.config(self._proto.ConfigRequest.Operation(get_option=option)).pairs
        return pairs[0][1] if pairs else None

    def spark_version(self) -> str | None:
        """Read the server's Spark version."""
        with _no_response_for_errors():
            version = self._client._analyze(method="spark_version").spark_version
        return str(version) if version else None

    def explain(self, statement: Any) -> str:
        """Explain a statement, a protocol `SQL`, without running it (`sql_statements.is_explainable`).

        Spark prints 25 columns of a list, unless configured otherwise. For a longer list, a clone of the session prints
        the plan, with a limit of 10,000 columns. Before Spark 4.1 the session itself has the limit meanwhile.
        """
        explained = self._proto.SQL()
        explained.CopyFrom(statement)
        explained.query = f"EXPLAIN EXTENDED {statement.query}"
        return self._whole(lambda server: "\n".join(str(row[0]) for row in server._rows(explained)))

    def _whole(self, explain: Callable[[Server], str]) -> str:
        text = explain(self)
        if _CUT.search(text) is None:
            return text
        try:
            with self._cloned() if hasattr(self._client, "clone") else self._unlimited() as server:
                return explain(server)
        except NoResponse:
            return text

    @contextmanager
    def _cloned(self) -> Iterator[Server]:
        """Yield a clone of the session with the larger limit."""
        with _no_response_for_errors():
            clone = Server(self._client.clone())
            try:
                clone._set(_FIELDS, str(_FIELDS_MAX))
                yield clone
            finally:
                clone._client.release_session()
                clone._client.close()

    @contextmanager
    def _unlimited(self) -> Iterator[Server]:
        """Yield the session with the larger limit, for Spark before 4.1."""
        before = self.conf(_FIELDS)
        with _no_response_for_errors():
            self._set(_FIELDS, str(_FIELDS_MAX))
        try:
            yield self
        finally:
            with _no_response_for_errors():
                self._set(_FIELDS, before or "25")

    def _set(self, key: str, value: str) -> None:
        pairs = [self._proto.KeyValue(key=key, value=value)]
        self._client.config(self._proto.ConfigRequest.Operation(set=self._proto.ConfigRequest.Set(pairs=pairs)))

    def explain_relation(self, relation: Any) -> str:
        """Explain a relation without running it, with long lists as in `explain`."""
        return self._whole(
            lambda server: str(server._analyzed(relation, "explain", explain_mode="extended").explain_string)
        )

    def query(self, text: str) -> Any:
        """Make the protocol's `SQL` of a statement."""
        return self._proto.SQL(query=text)

    def describe(self, name: tuple[str, ...]) -> Mapping[str, str]:
        """Read the catalog's description of a table or view, such as `{"Type": "MANAGED"}`; empty if temporary."""
        rows = list(self._rows(self.query(f"DESCRIBE TABLE EXTENDED {quoted(name)}")))
        titles = [str(row[0]) for row in rows]
        details = rows[titles.index(_DETAILS) + 1 :] if _DETAILS in titles else []
        return {str(row[0]): str(row[1]) for row in details if row[0]}

    def database(self) -> tuple[str, ...]:
        """Read the session's current catalog and database: `("spark_catalog", "default")`."""
        for catalog, database in self._rows(self.query("SHOW CURRENT NAMESPACE")):
            return (str(catalog), *str(database).split("."))
        return ()

    def folder(self) -> str | None:
        """Find the folder of relative paths; None if the server does not name it."""
        twice = "" if (self.spark_version() or "").startswith("3.") else _TWICE  # options of a table: Spark 4
        match = _FOUND_NOTHING.search(self.explain(self.query(_LOOK_THERE + twice)))
        return match[1] if match else None

    def files(self, read: SourceRead) -> list[str]:
        """List the files at a source's paths, whatever their format; Spark reads none of them."""
        relation = self._source(SourceRead("binaryFile", read.paths, {"pathGlobFilter": "*"}))
        return list(self._analyzed(relation, "input_files").input_files or ())

    def schema(self, relation: Any) -> tuple[SchemaField, ...]:
        """Read the columns of a relation."""
        self._refuse()
        with _no_response_for_errors():
            return parse_schema(self._client.schema(self._plan(_quiet(relation))).json())

    def table_schema(self, name: tuple[str, ...]) -> tuple[SchemaField, ...]:
        """Read the columns of a table."""
        relation = self._proto.Relation()
        relation.read.named_table.unparsed_identifier = quoted(name)
        return self.schema(relation)

    def source_schema(self, read: SourceRead) -> tuple[SchemaField, ...]:
        """Read the columns of a source."""
        return self.schema(self._source(read))

    def stream_status(self, query: Any) -> StreamStatus:
        """Read the status of a streaming query, by the protocol's id of its run."""
        with _no_response_for_errors():
            is_active = self._of_stream(query, status=True).status.is_active
            progress = self._of_stream(query, recent_progress=True).recent_progress.recent_progress_json
            failure = None if is_active else self._of_stream(query, exception=True).exception
        if failure is None or not failure.HasField("exception_message"):
            return StreamStatus(is_active, progress)
        return StreamStatus(is_active, progress, Failure(failure.exception_message, failure.stack_trace or None))

    def _of_stream(self, query: Any, **request: Any) -> Any:
        command = self._proto.StreamingQueryCommand(query_id=query, **request)
        _, properties, *_ = self._client.execute_command(self._proto.Command(streaming_query_command=command))
        return properties["streaming_query_command_result"]

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

    def _analyzed(self, relation: Any, method: str, **more: Any) -> Any:
        self._refuse()
        with _no_response_for_errors():
            return self._client._analyze(method=method, plan=self._plan(_quiet(relation)), **more)

    def _refuse(self) -> None:
        """Raise `NoResponse` if the server could not analyze the command: each such query prints a stack there."""
        if self.failure is not None and _REFUSED.match(self.failure.message):
            raise NoResponse("the server does not analyze it")

    def _plan(self, relation: Any) -> Any:
        plan = self._proto.Plan()
        plan.root.CopyFrom(relation)  # of a deep relation, the constructor's merge fails
        return plan

    def _rows(self, statement: Any) -> Iterator[tuple[Any, ...]]:
        """Yield the result rows of a command; the server runs it at once."""
        import pyarrow

        command = self._proto.Command()
        if _has(command.sql_command, "input"):
            command.sql_command.input.sql.CopyFrom(statement)
        else:  # Spark 3.5
            command.sql_command.sql = statement.query
        with _no_response_for_errors():
            _, properties, *_ = self._client.execute_command(command)
            # Wait for the release of the result: a session ended meanwhile would no longer know the command.
            futures.wait(set(self._client._release_futures), _RELEASE_S)
            data = properties["sql_command_result"].local_relation.data
            table = pyarrow.ipc.open_stream(data).read_all()
            yield from zip(*(column.to_pylist() for column in table.columns), strict=True)


class _no_response_for_errors:  # noqa: N801 - it reads as a part of the sentence
    """Context for calls of the client: its errors become `NoResponse`."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Exception) and not isinstance(error, NoResponse):
            raise NoResponse(f"{type(error).__name__}: {str(error).strip().split(chr(10))[0]}") from error


def quoted(name: tuple[str, ...]) -> str:
    """Quote a name for SQL.

    >>> quoted(("shop", "my.orders"))
    '`shop`.`my.orders`'
    """
    return ".".join(f"`{part.replace('`', '``')}`" for part in name)


def statement_of(command: Any) -> tuple[Any, Any]:
    """Find the `SQL` in a `SqlCommand`, and the relation around it; for Spark 3.5 both are made here."""
    from pyspark.sql.connect import proto

    relation = proto.Relation()
    if _has(command, "input") and command.HasField("input"):
        relation = command.input
        inside = relation.with_relations.root if relation.HasField("with_relations") else relation
        return inside.sql, relation
    relation.sql.query = command.sql
    return relation.sql, relation


def is_ours(client: Any) -> bool:
    """True if a client is a copy made by `Server`."""
    return "_headwater" in vars(client)


def _quiet(relation: Any) -> Any:
    """Copy a relation with each pattern of files twice: then Spark looks for no stream's log."""
    quiet = type(relation)()
    quiet.CopyFrom(relation)
    left = [quiet]
    while left:
        message = left.pop()
        if message.DESCRIPTOR.name == "DataSource" and len(message.paths) == 1:
            message.paths.extend(path for path in message.paths if not _PATTERN.isdisjoint(path))
        left += messages_in(message)
    return quiet


def _has(message: Any, field: str) -> bool:
    return field in message.DESCRIPTOR.fields_by_name


def _raise(error: Any) -> NoReturn:
    """Raise `NoResponse`, instead of logging the error and fetching its details for the job."""
    raise NoResponse(str(error.details() if hasattr(error, "details") else error).strip().split("\n")[0])


def _impatient(client: Any) -> Any:
    """Copy a client for the same session and channel, without retries and long waits."""
    from pyspark.sql.connect.client import core

    ours = copy.copy(client)
    ours._headwater = True
    # State apart from the job's own calls.
    ours.thread_local = threading.local()
    ours._progress_handlers, ours._session_hooks, ours._release_futures = [], [], WeakSet()
    ours._handle_rpc_error = _raise
    if hasattr(ours, "set_retry_policies"):
        ours.set_retry_policies([])
    deadlines = getattr(core, "RpcDeadlines", None)
    if deadlines is not None:
        ours._rpc_deadlines = deadlines(
            reattachable_execute_plan=_RESPONSE_S,
            reattach_execute=_RESPONSE_S,
            analyze_plan=_RESPONSE_S,
            config=_RESPONSE_S,
        )
    return ours
