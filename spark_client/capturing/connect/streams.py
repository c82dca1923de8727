"""Streaming queries among the commands of a program's Spark Connect clients: their starts, batches and ends.

A query runs on the server. The thread of the commands polls each query, more and more rarely; and at once when a
command has stopped the query or waited for its end, or its session ends.
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
from spark_client.capturing.jvm.rdd_actions import now_ms
from spark_client.capturing.model import Ended, StreamEnd, StreamProgress, StreamStart

# First wait for a poll; each wait doubles, up to the source's interval.
_POLL_S = 1.0
_Moment: TypeAlias = StreamStart[Command] | StreamProgress | StreamEnd


@dataclass(slots=True)
class _Query:
    """Streaming query, running at its last poll; `id` is the protocol's, `last_batch` the last reported batch."""

    id: Any
    client: Any
    server: Server
    due_s: float
    wait_s: float = _POLL_S
    last_batch: int = -1


class CommandSource:
    """Source of the commands of all sessions at a server, and of the moments of their streaming queries.

    Args:
        commands: the queue of the sessions' commands.
        interval_s: most time between two polls of a query.
        server: makes the polling connection of a client.
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
        """Number of commands lost to a full queue."""
        return self._commands.dropped

    def next(self, timeout_s: float) -> Command | _Moment | Ended | None:
        """Take the next item; None after `timeout_s` without an item, beside the time of polls."""
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
        """Poll all queries; return True, as `next` now has all their moments."""
        self._poll(self._queries.values())
        return True

    def close(self) -> None:
        """Stop listening; kept commands can still be read."""
        self._commands.close()

    def _start(self, command: Command) -> None:
        result = (command.result or {}).get(f"{STREAM_START}_result")
        if result is None:  # it did not start
            return
        server, due_s = self._server(command.client), self._clock() + _POLL_S
        self._queries[result.query_id.run_id] = _Query(result.query_id, command.client, server, due_s)
        self._moments.append(StreamStart(result.query_id.run_id, command.started_ms, command))

    def _leave(self, client: Any) -> None:
        ending = [query for query in self._queries.values() if query.client is client]
        self._poll(ending)
        for query in ending:
            if self._queries.pop(query.id.run_id, None):
                self._moments.append(StreamEnd(StreamProgress(query.id.run_id, now_ms())))

    def _poll(self, queries: Iterable[_Query]) -> None:
        for query in list(queries):
            try:
                status = query.server.stream_status(query.id)
            except NoResponse:  # the next poll may have a response; a lost query ends with the application
                status = None
            query.wait_s = min(2 * query.wait_s, max(self._interval_s, _POLL_S))
            query.due_s = self._clock() + query.wait_s
            if status is None:
                continue
            batches = list(_batches(status.progress, after=query.last_batch))
            query.last_batch = max([query.last_batch, *batches])
            progress = StreamProgress(query.id.run_id, now_ms(), len(batches))
            if not status.is_active:
                self._moments.append(StreamEnd(progress, status.failure))
                del self._queries[query.id.run_id]
            elif batches:
                self._moments.append(progress)


def _batches(progress: Iterable[str], *, after: int) -> Iterable[int]:
    """Yield the numbers of new batches; Spark also reports its waits for data."""
    for text in progress:
        document = json.loads(text)
        if "addBatch" in document["durationMs"] and document["batchId"] > after:
            yield document["batchId"]
