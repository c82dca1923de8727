"""Streaming queries among the commands of a program's Spark Connect clients: their starts, batches and ends.

A query runs on the server, which reports on it by request. Each query is polled, in the thread that reads the commands:
more and more rarely, and at once where a command waits for its end or its session ends.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

from spark_client.capturing.connect.commands import STREAM_START, Command, Commands, Leaving
from spark_client.capturing.connect.server import NoResponse, Server
from spark_client.capturing.model import Ended, StreamEnd, StreamProgress, StreamStart

# Least wait for a poll; each wait is twice the one before it, up to the source's interval.
_POLL_S = 1.0
_Moment: TypeAlias = StreamStart[Command] | StreamProgress | StreamEnd


@dataclass(slots=True)
class _Query:
    """Streaming query that ran at its last poll; `id` is the protocol's, `last_batch` the last one that was seen."""

    id: Any
    client: Any
    server: Server
    due_s: float
    wait_s: float = _POLL_S
    last_batch: int = -1


class CommandSource:
    """Source of the commands of all sessions at one server, and of what becomes of their streaming queries.

    Args:
        commands: what the sessions' clients sent.
        interval_s: most time between two polls of a query.
        server: makes the connection that polls, from a client.
        clock: seconds, monotonic.
    """

    def __init__(
        self,
        commands: Commands,
        interval_s: float,
        *,
        server: Callable[[Any], Server] = Server,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._commands = commands
        self._interval_s = interval_s
        self._server = server
        self._clock = clock
        self._queries: dict[str, _Query] = {}
        self._moments: deque[_Moment] = deque()

    @property
    def dropped(self) -> int:
        """Number of commands that found the queue full."""
        return self._commands.dropped

    def next(self, timeout_s: float) -> Command | _Moment | Ended | None:
        """Return the next item; None if there is none within so many seconds, beside the time of polls."""
        self._poll(query for query in self._queries.values() if query.due_s <= self._clock())
        while not self._moments:
            item = self._commands.next(timeout_s)
            if isinstance(item, Leaving):
                self._leave(item.client)
            elif isinstance(item, Command) and item.kind == STREAM_START:
                self._start(item)
            elif isinstance(item, Command) and item.ends_stream:
                self._poll(query for query in self._queries.values() if query.client is item.client)
            else:
                return item
        return self._moments.popleft()

    def drain(self, timeout_s: float) -> bool:  # noqa: ARG002 - a server that does not respond is given up
        """Poll all queries; return True: `next` can return all that happened so far."""
        self._poll(self._queries.values())
        return True

    def close(self) -> None:
        """Stop listening; what was kept can still be read."""
        self._commands.close()

    def _start(self, command: Command) -> None:
        result = (command.result or {}).get(f"{STREAM_START}_result")
        if result is None:  # it did not start
            return
        server, due_s = self._server(command.client), self._clock() + _POLL_S
        self._queries[result.query_id.run_id] = _Query(result.query_id, command.client, server, due_s)
        self._moments.append(StreamStart(result.query_id.run_id, command.started_ms, command))

    def _leave(self, client: Any) -> None:
        """End the queries of a session, which end with it."""
        ending = [query for query in self._queries.values() if query.client is client]
        self._poll(ending)
        for query in ending:
            if self._queries.pop(query.id.run_id, None):
                self._moments.append(StreamEnd(StreamProgress(query.id.run_id, _now_ms())))

    def _poll(self, queries: Iterable[_Query]) -> None:
        for query in list(queries):
            try:
                status = query.server.stream_status(query.id)
            except NoResponse:  # the next poll may have one; what is left ends with the application
                status = None
            query.wait_s = min(2 * query.wait_s, max(self._interval_s, _POLL_S))
            query.due_s = self._clock() + query.wait_s
            if status is None:
                continue
            batches = list(_batches(status.progress, after=query.last_batch))
            query.last_batch = max([query.last_batch, *batches])
            progress = StreamProgress(query.id.run_id, _now_ms(), len(batches))
            if not status.is_active:
                self._moments.append(StreamEnd(progress, status.failure))
                del self._queries[query.id.run_id]
            elif batches:
                self._moments.append(progress)


def _batches(progress: Iterable[str], *, after: int) -> Iterable[int]:
    """Yield the numbers of the batches that ran; Spark also reports on its waits for data."""
    for text in progress:
        document = json.loads(text)
        if "addBatch" in document["durationMs"] and document["batchId"] > after:
            yield document["batchId"]


def _now_ms() -> int:
    return int(time.time() * 1000)
