"""Commands of a program's Spark Connect clients, from now on, and their results.

The server's driver is out of reach. But every write of the program passes `execute_command` of PySpark's
`SparkConnectClient`. The wrapper there only reads a clock and fills a queue.
"""

from __future__ import annotations

import itertools
import logging
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from weakref import WeakSet

from spark_client.capturing.connect.server import is_ours
from spark_client.capturing.glue.models import wrap_models
from spark_client.capturing.jvm.executions import Unavailable
from spark_client.capturing.jvm.rdd_actions import SAVES_MODEL, now_ms
from spark_client.capturing.model import Ended, Failure

_log = logging.getLogger("headwater.capture")
# Longest wait of a session's end for the reading of its writes, with queries to the server.
_DRAIN_S = 5.0
STREAM_START = "write_stream_operation_start"
# Commands without data, by their reason; behind a dot, a request inside. Each command beside is read, or warned of.
_REASONS = {
    "code and resources of the session": "create_resource_profile_command get_resources_command register_data_source "
    "register_function register_table_function",
    "the end of a frame": "remove_cached_remote_relation_command",
    "a model stays in the session until its save": "ml_command.clean_cache ml_command.create_summary "
    "ml_command.delete ml_command.evaluate ml_command.fetch ml_command.fit ml_command.get_cache_info "
    "ml_command.get_model_size ml_command.read",
    "its flows are commands of their own": "pipeline_command.create_dataflow_graph pipeline_command.define_output "
    "pipeline_command.drop_dataflow_graph pipeline_command.get_query_function_execution_signal_stream "
    "pipeline_command.start_run",
    "the status of a stream": "streaming_query_command.exception streaming_query_command.explain "
    "streaming_query_command.last_progress streaming_query_command.process_all_available "
    "streaming_query_command.recent_progress streaming_query_command.status streaming_query_listener_bus_command "
    "streaming_query_manager_command.active streaming_query_manager_command.add_listener "
    "streaming_query_manager_command.get_query streaming_query_manager_command.list_listeners "
    "streaming_query_manager_command.remove_listener streaming_query_manager_command.reset_terminated",
}
IGNORED = {name: reason for reason, names in _REASONS.items() for name in names.split()}
# Commands that stop a streaming query or wait for its end: the kind, and the kind of the request inside.
_STREAM_ENDS = frozenset(
    {
        ("streaming_query_command", "stop"),
        ("streaming_query_command", "await_termination"),
        ("streaming_query_manager_command", "await_any_termination"),
    }
)


@dataclass(frozen=True, slots=True)
class Command:
    """Command that ended.

    Attributes:
        id: counted from 0 in this program.
        client: PySpark's client of the session.
        message: a `Command` of Spark Connect's protocol, or a `Relation` with an effect: `spark.catalog`.
        result: the server's results beside rows, by name.
        started_ms: milliseconds since 1970 by this machine's clock, as are all times.
    """

    id: int
    client: Any
    message: Any
    result: Any
    started_ms: int
    ended_ms: int
    failure: Failure | None = None

    @property
    def kind(self) -> str:
        """Kind of the message, by the protocol's name."""
        return kind_of(self.message)

    @property
    def root_id(self) -> int:
        """Own id, as a client's command is no part of another command."""
        return self.id

    @property
    def ends_stream(self) -> bool:
        """True if it stopped a streaming query, or waited for the end of any."""
        return _part_of(self.message) in _STREAM_ENDS


@dataclass(frozen=True, slots=True)
class Leaving:
    """Coming end of a session."""

    client: Any


class Commands:
    """Queue of the commands of this program's sessions at a server, from now on; usable by many threads.

    The queue keeps `kept` commands, and counts further commands as `dropped`.

    Raises:
        Unavailable: the packages of Spark Connect's client are not installed.
    """

    def __init__(self, client: Any, kept: int = 500, drain_s: float = _DRAIN_S) -> None:
        self.server = server_of(client)
        self._kept = kept
        self._drain_s = drain_s
        self._changed = threading.Condition()
        self._queue: deque[Command | Leaving | Ended] = deque()
        self._reading = False
        # Commands lost to a full queue.
        self.dropped = 0
        self._open: WeakSet[Any] = WeakSet([client])
        _listen(self)

    def next(self, timeout_s: float) -> Command | Leaving | Ended | None:
        """Take the next item; None after `timeout_s` without an item."""
        with self._changed:
            self._reading = False
            self._changed.notify_all()
            self._changed.wait_for(lambda: bool(self._queue), timeout_s)
            self._reading = bool(self._queue)
            return self._queue.popleft() if self._queue else None

    def close(self) -> None:
        """Stop listening; kept commands can still be read."""
        _forget(self)

    def add(self, command: Command) -> None:
        """Add an ended command."""
        with self._changed:
            self._open.add(command.client)
            if len(self._queue) >= self._kept:
                self.dropped += 1
                return
            self._queue.append(command)
            self._changed.notify_all()

    def leaving(self, client: Any) -> None:
        """Wait until a session's commands are read before it ends, at most `drain_s`."""
        with self._changed:
            if client in self._open:
                self._queue.append(Leaving(client))
                self._changed.notify_all()
                self._changed.wait_for(lambda: not self._queue and not self._reading, self._drain_s)

    def left(self, client: Any) -> None:
        """Note the end of a session; the application ends with its last session."""
        with self._changed:
            if client in self._open:
                self._open.discard(client)
                if not self._open:
                    self._queue.append(Ended(now_ms()))
                    self._changed.notify_all()


class ServerKey:
    """Key of a server's capture."""


_SERVERS: dict[str, ServerKey] = {}


def server_of(client: Any) -> ServerKey:
    """Find the key of a client's server: the same key for all sessions there."""
    builder = client._builder
    return _SERVERS.setdefault(str(getattr(builder, "endpoint", None) or client.host), ServerKey())


# Listeners; while there are any, PySpark's client is wrapped.
_listening: list[Commands] = []
_patched: dict[str, tuple[Any, Any]] = {}
_ids = itertools.count()
_lock = threading.Lock()


def _listen(commands: Commands) -> None:
    try:
        from pyspark.sql.connect.client import SparkConnectClient
    except ImportError as error:
        raise Unavailable(f"Spark Connect's client: {error}") from error
    wrap_models(report_model)
    with _lock:
        _listening.append(commands)
        if not _patched:
            for name, patch in _PATCHES:
                former = getattr(SparkConnectClient, name, None)
                if former is not None:
                    _patched[name] = (former, patch(former))
                    setattr(SparkConnectClient, name, _patched[name][1])


def _forget(commands: Commands) -> None:
    """Restore PySpark's client after the last listener, unless the client was wrapped again since."""
    with _lock:
        _listening[:] = [listener for listener in _listening if listener is not commands]
        if _listening or not _patched:
            return
        from pyspark.sql.connect.client import SparkConnectClient

        for name, (former, ours) in _patched.items():
            if SparkConnectClient.__dict__.get(name) is ours:
                setattr(SparkConnectClient, name, former)
        _patched.clear()


def _capturing_commands(former: Callable[..., Any]) -> Callable[..., Any]:
    def execute_command(client: Any, command: Any, *arguments: Any, **named: Any) -> Any:
        started_ms = now_ms()
        try:
            result = former(client, command, *arguments, **named)
        except BaseException as error:
            _report(client, command, None, started_ms, error)
            raise
        _report(client, command, result, started_ms, None)
        return result

    return execute_command


def _capturing_fetches(former: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a method that fetches rows; `spark.catalog` also changes the session by it."""

    def fetch(client: Any, plan: Any, *arguments: Any, **named: Any) -> Any:
        started_ms = now_ms()
        result = former(client, plan, *arguments, **named)
        _report(client, getattr(plan, "root", None), None, started_ms, None)
        return result

    return fetch


def _capturing_ends(former: Callable[..., Any]) -> Callable[..., Any]:
    def end(client: Any, *arguments: Any, **named: Any) -> Any:
        for commands in _listeners_of(client):
            commands.leaving(client)
        try:
            return former(client, *arguments, **named)
        finally:
            for commands in _listeners_of(client):
                commands.left(client)

    return end


_PATCHES: tuple[tuple[str, Callable[[Callable[..., Any]], Callable[..., Any]]], ...] = (
    ("execute_command", _capturing_commands),
    ("to_table", _capturing_fetches),
    ("to_pandas", _capturing_fetches),
    ("release_session", _capturing_ends),
    ("close", _capturing_ends),
)


def _report(client: Any, message: Any, result: Any, started_ms: int, error: BaseException | None) -> None:
    try:
        if message is None or _is_query(result):
            return
        if not is_ignored(message) and not SAVES_MODEL.get():
            results = result[1] if isinstance(result, tuple) and len(result) > 1 else {}
            _add(client, message, results, started_ms, error)
    except Exception:  # noqa: BLE001 - whatever a new client's commands are, the job must live
        _log.debug("capture: a command was not captured", exc_info=True)


def _add(client: Any, message: Any, results: dict[str, Any], started_ms: int, error: BaseException | None) -> None:
    failure = None if error is None else failure_of(error)
    for commands in _listeners_of(client):
        commands.add(Command(next(_ids), client, message, results, started_ms, now_ms(), failure))


def report_model(
    path: str, fitted: Any, writer: Any, is_model: bool, started_ms: int, error: BaseException | None
) -> None:
    """Report a model's save, several commands of a client, as a single command; `fitted` is the frame of the fit."""
    try:
        from pyspark.sql.connect import proto
        from pyspark.sql.connect.session import SparkSession

        session = SparkSession.getActiveSession()
        if session is None:
            return
        message = proto.Command()
        message.ml_command.write.path = path
        message.ml_command.write.should_overwrite = bool(writer.shouldOverwrite)
        relation = None if fitted is None else fitted._plan.to_proto(session.client).root
        _add(session.client, message, {"fitted": relation, "is_model": is_model}, started_ms, error)
    except Exception:  # noqa: BLE001 - as above
        _log.debug("capture: a model was not captured", exc_info=True)


def kind_of(message: Any) -> str:
    """Read the kind of a command or relation: `write_operation`."""
    return next((str(message.WhichOneof(oneof.name)) for oneof in message.DESCRIPTOR.oneofs), "")


def is_ignored(message: Any) -> bool:
    """True for a command without data, and for a relation without an effect."""
    if message.DESCRIPTOR.name != "Command":
        return kind_of(message) != "catalog"
    kind, part = _part_of(message)
    return kind in IGNORED or f"{kind}.{part}" in IGNORED


def _part_of(message: Any) -> tuple[str, str]:
    """Read the kind of a command, and of the request inside: `("streaming_query_command", "stop")`."""
    kind = kind_of(message)
    return kind, kind_of(getattr(message, kind))


def _is_query(result: Any) -> bool:
    """True if a statement only became a frame: a query runs when its rows are needed."""
    result_of_sql = result[1].get("sql_command_result") if isinstance(result, tuple) and len(result) > 1 else None
    return result_of_sql is not None and result_of_sql.WhichOneof("rel_type") in ("sql", "with_relations")


def _listeners_of(client: Any) -> list[Commands]:
    if not _listening or is_ours(client):
        return []
    server = server_of(client)
    return [listener for listener in _listening if listener.server is server]


def failure_of(error: BaseException) -> Failure:
    """Make a failure of the client's exception, whose text may end with the JVM's stack."""
    message, _, stack = str(error).strip().partition("\n\nJVM stacktrace:\n")
    return Failure(f"{type(error).__name__}: {message}", stack or None)
