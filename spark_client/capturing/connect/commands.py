"""The commands of a program's Spark Connect clients, from now on: what a session sends, and how it went.

The server's driver is out of reach, but every write of the program goes through its own client: `execute_command` of
PySpark's `SparkConnectClient` is where it passes. What is put there costs a clock, a queue and nothing else.
"""

from __future__ import annotations

import itertools
import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from weakref import WeakSet

from spark_client.capturing.connect.server import is_ours
from spark_client.capturing.jvm.executions import Unavailable
from spark_client.capturing.model import Ended, Failure

_log = logging.getLogger("headwater.capture")
# How long the end of a session waits until the server was asked all that its writes are understood by.
_SETTLE_S = 5.0
# The commands that write, or that decide what a later one reads.
_HEARD = frozenset(
    {
        "catalog",
        "checkpoint_command",
        "create_dataframe_view",
        "merge_into_table_command",
        "sql_command",
        "write_operation",
        "write_operation_v2",
    }
)


@dataclass(frozen=True, slots=True)
class Command:
    """A command that ended.

    Attributes:
        id: counted from 0 in this program.
        client: the session's, of PySpark.
        message: the `Command` of Spark Connect's protocol, or a `Relation` that does something: `spark.catalog`.
        answer: what the server answered beside rows, by name.
        started_ms: milliseconds since 1970 by this machine's clock, as are all times.
    """

    id: int
    client: Any
    message: Any
    answer: Any
    started_ms: int
    ended_ms: int
    failure: Failure | None = None

    @property
    def kind(self) -> str:
        """What is in the message, by the protocol's name."""
        return kind_of(self.message)

    @property
    def root_id(self) -> int:
        """Its own: a client's command is no part of another one."""
        return self.id


class Commands:
    """The commands of all sessions that this program has at one server, from now on; usable by many threads.

    `kept` of them wait to be read; what comes then is counted as `dropped`.

    Raises:
        Unavailable: what Spark Connect's client needs is not installed.
    """

    def __init__(self, client: Any, kept: int = 500, settle_s: float = _SETTLE_S) -> None:
        self.place = place_of(client)
        self._kept = kept
        self._settle_s = settle_s
        self._changed = threading.Condition()
        self._queue: deque[Command | Ended] = deque()
        self._reading = False
        self._dropped = 0
        self._open: WeakSet[Any] = WeakSet([client])
        _listen(self)

    @property
    def dropped(self) -> int:
        """Commands that found the queue full."""
        return self._dropped

    def next(self, timeout_s: float) -> Command | Ended | None:
        """The next one; None if there is none within so many seconds."""
        with self._changed:
            self._reading = False
            self._changed.notify_all()
            self._changed.wait_for(lambda: bool(self._queue), timeout_s)
            self._reading = bool(self._queue)
            return self._queue.popleft() if self._queue else None

    def drain(self, timeout_s: float) -> bool:  # noqa: ARG002 - the client waits for its commands itself
        """All that ended so far can be had by `next`."""
        return True

    def close(self) -> None:
        """Listen no longer; what is kept can still be read."""
        _forget(self)

    def heard(self, command: Command) -> None:
        """A command of one of the sessions ended."""
        with self._changed:
            self._open.add(command.client)
            if len(self._queue) >= self._kept:
                self._dropped += 1
                return
            self._queue.append(command)
            self._changed.notify_all()

    def leaving(self, client: Any) -> None:
        """A session is about to end: what it wrote is understood before, if that takes no longer than `settle_s`."""
        with self._changed:
            if client in self._open:
                self._changed.wait_for(lambda: not self._queue and not self._reading, self._settle_s)

    def left(self, client: Any) -> None:
        """A session ended; with the last one the application does."""
        with self._changed:
            if client in self._open:
                self._open.discard(client)
                if not self._open:
                    self._queue.append(Ended(_now_ms()))
                    self._changed.notify_all()


class Place:
    """A server, as the key of what is captured there."""


_PLACES: dict[str, Place] = {}


def place_of(client: Any) -> Place:
    """The server of a client: the same for all of its sessions."""
    builder = client._builder
    return _PLACES.setdefault(str(getattr(builder, "endpoint", None) or client.host), Place())


# Who listens; while there are any, PySpark's client tells them.
_listening: list[Commands] = []
_patched: dict[str, tuple[Any, Any]] = {}
_ids = itertools.count()
_lock = threading.Lock()


def _listen(commands: Commands) -> None:
    try:
        from pyspark.sql.connect.client import SparkConnectClient
    except ImportError as error:
        raise Unavailable(f"Spark Connect's client: {error}") from error
    with _lock:
        _listening.append(commands)
        if not _patched:
            for name, patch in _PATCHES:
                former = getattr(SparkConnectClient, name, None)
                if former is not None:
                    _patched[name] = (former, patch(former))
                    setattr(SparkConnectClient, name, _patched[name][1])


def _forget(commands: Commands) -> None:
    """With the last one, PySpark's client is as it was, unless somebody has put more around it since."""
    with _lock:
        _listening[:] = [one for one in _listening if one is not commands]
        if _listening or not _patched:
            return
        from pyspark.sql.connect.client import SparkConnectClient

        for name, (former, ours) in _patched.items():
            if SparkConnectClient.__dict__.get(name) is ours:
                setattr(SparkConnectClient, name, former)
        _patched.clear()


def _telling(former: Callable[..., Any]) -> Callable[..., Any]:
    def execute_command(client: Any, command: Any, *arguments: Any, **named: Any) -> Any:
        started_ms = _now_ms()
        try:
            answer = former(client, command, *arguments, **named)
        except BaseException as error:
            _tell(client, command, None, started_ms, error)
            raise
        _tell(client, command, answer, started_ms, None)
        return answer

    return execute_command


def _asking(former: Callable[..., Any]) -> Callable[..., Any]:
    """For what fetches rows; `spark.catalog` has them of what it does, too."""

    def fetch(client: Any, plan: Any, *arguments: Any, **named: Any) -> Any:
        started_ms = _now_ms()
        answer = former(client, plan, *arguments, **named)
        _tell(client, getattr(plan, "root", None), None, started_ms, None)
        return answer

    return fetch


def _ending(former: Callable[..., Any]) -> Callable[..., Any]:
    """For releasing a session, and for closing its client."""

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
    ("execute_command", _telling),
    ("to_table", _asking),
    ("to_pandas", _asking),
    ("release_session", _ending),
    ("close", _ending),
)


def _tell(client: Any, message: Any, answer: Any, started_ms: int, error: BaseException | None) -> None:
    try:
        if message is None or kind_of(message) not in _HEARD or _is_query(answer):
            return
        told = answer[1] if isinstance(answer, tuple) and len(answer) > 1 else {}
        failure = None if error is None else failure_of(error)
        for commands in _listeners_of(client):
            commands.heard(Command(next(_ids), client, message, told, started_ms, _now_ms(), failure))
    except Exception:  # noqa: BLE001 - whatever a new client's commands are, the job must live
        _log.debug("capture: a command was not heard", exc_info=True)


def kind_of(message: Any) -> str:
    """Which one of a command or a relation is."""
    return str(message.WhichOneof(message.DESCRIPTOR.oneofs[0].name))


def _is_query(answer: Any) -> bool:
    """Whether a statement only became a frame: a query does not run before somebody wants its rows."""
    told = answer[1].get("sql_command_result") if isinstance(answer, tuple) and len(answer) > 1 else None
    return told is not None and told.WhichOneof("rel_type") in ("sql", "with_relations")


def _listeners_of(client: Any) -> list[Commands]:
    if not _listening or is_ours(client):
        return []
    place = place_of(client)
    return [one for one in _listening if one.place is place]


def failure_of(error: BaseException) -> Failure:
    """Why a command failed: what the client made of the server's exception, which has the JVM's stack in its text."""
    message, _, stack = str(error).strip().partition("\n\nJVM stacktrace:\n")
    return Failure(f"{type(error).__name__}: {message}", stack or None)


def _now_ms() -> int:
    return int(time.time() * 1000)
