"""Spark as the capture sees it, without Spark: given executions, and what they wrote."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence

from headwater_model.ids import DatasetId
from spark_client.capturing.datasets.versions import NO_VERSIONS, Versions
from spark_client.capturing.jvm.items import Unread
from spark_client.capturing.model import Dataset, Ended, Execution, Over, StreamStart, Write
from spark_client.capturing.plans.plan import Node

ESTIMATED = Dataset(DatasetId("file", "/flights/estimated"))


def an_execution(number: int, root_id: int | None = None, at_ms: tuple[int, int] = (0, 10)) -> Execution:
    return Execution(number, number if root_id is None else root_id, "command", *at_ms, "full", Node(0, "Project"))


def a_write(execution: Execution, output: Dataset = ESTIMATED) -> Write:
    return Write(
        execution_id=execution.root_id,
        command="Insert",
        started_ms=execution.started_ms,
        ended_ms=execution.ended_ms,
        output=output,
    )


def writes_of(execution: Execution) -> Sequence[Write]:
    return [a_write(execution)]


class NoSinks:
    """A reader of streaming queries that write nothing."""

    def read_stream(self, start: StreamStart[None]) -> Write | None:
        return None

    def locate(self, versions: Mapping[str, str | None]) -> Versions:
        return NO_VERSIONS


class Executions:
    """An application whose executions are what it is given; its listener bus is always empty, unless it is stuck."""

    def __init__(self, *items: Execution | Over | Unread | Ended | Exception) -> None:
        self.waiting = deque(items)
        self.polled = 0
        self.dropped = 0
        self.closed = False
        self.stuck = False
        self.gone: Exception | None = None
        self._added = threading.Event()

    def add(self, *items: Execution | Over | Unread | Ended | Exception) -> None:
        self.waiting += items
        self._added.set()

    def next(self, timeout_s: float) -> Execution | Over | Unread | Ended | None:
        self.polled += 1
        if not self.waiting:
            self._added.wait(timeout_s)
            self._added.clear()
        item = self.waiting.popleft() if self.waiting else None
        if isinstance(item, Exception):
            raise item
        return item

    def drain(self, timeout_s: float) -> bool:
        if self.gone:
            raise self.gone
        if self.stuck:
            time.sleep(timeout_s)
        return not self.stuck

    def close(self) -> None:
        if self.gone:
            raise self.gone
        self.closed = True
