"""The threads of queues, streams and schedules, the results of their batches, and failures to print."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from dataclasses import dataclass

from local_stack.compute.functions import Functions, InvocationResult
from local_stack.processes.clock import Clock
from local_stack.template.resources import EventSourceMapping


class Poller(ABC):
    """A thread that runs until `stop`."""

    def __init__(self, name: str) -> None:
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    @abstractmethod
    def _run(self) -> None:
        """Work until `_stopping` is set."""

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop taking new work."""
        self._stopping.set()

    def join(self) -> None:
        """Wait until the thread has ended."""
        if self._thread.ident is not None:
            self._thread.join()


@dataclass(frozen=True)
class Feed:
    """A queue or a table's stream that feeds a function; `source` is the queue's URL, or the table's name."""

    logical_id: str
    source: str
    arn: str
    mapping: EventSourceMapping
    window_s: float
    dead_letter_bucket: str | None = None


class Feeder(Poller):
    """A poller with items pending until a function accepts them; with `flush_now` it waits for no window."""

    flush_now = False

    def __init__(self, feed: Feed, functions: Functions, clock: Clock, report: Callable[[Failure], None]) -> None:
        super().__init__(f"poll-{feed.logical_id}")
        self.feed, self.mapping = feed, feed.mapping
        self._functions, self._clock, self._report = functions, clock, report

    def _failed_ids(self, result: InvocationResult, ids: Collection[str]) -> frozenset[str]:
        return failed_ids(result, ids, reports=bool(self.mapping.function_response_types))

    def _report_failed(self, result: InvocationResult) -> None:
        self._report(failure_of(result, function=self.mapping.function_name, source=self.feed.logical_id))

    @property
    @abstractmethod
    def pending(self) -> int:
        """The number of pending items."""


@dataclass(frozen=True)
class Failure:
    """A failed invocation without a caller to see it."""

    function: str
    source: str
    error_type: str
    message: str

    def __str__(self) -> str:
        return f"{self.function} failed on {self.source}: {self.error_type}: {self.message}"


def failure_of(result: InvocationResult, *, function: str, source: str) -> Failure:
    """Describe the failed result in a line to print."""
    return Failure(function, source, result.error_type, str(result.payload.get("errorMessage", "")))


def failed_ids(result: InvocationResult, sent: Collection[str], *, reports: bool) -> frozenset[str]:
    """Select the `sent` ids to deliver again.

    Lambda's rules (developer guide, "Implementing partial batch responses"): nothing, an empty object or an empty list
    is success; an invalid result, or a result with an unsent id, fails the whole batch.

    >>> sorted(failed_ids(InvocationResult({"batchItemFailures": [{"itemIdentifier": "b"}]}), ["a", "b"], reports=True))
    ['b']
    >>> sorted(failed_ids(InvocationResult({"batchItemFailures": [{"itemIdentifier": "z"}]}), ["a", "b"], reports=True))
    ['a', 'b']
    """
    if result.failed:
        return frozenset(sent)
    if not reports or result.payload is None or result.payload == {}:
        return frozenset()
    named = _named_ids(result.payload)
    return frozenset(sent) if named is None or not named <= set(sent) else named


def _named_ids(payload: object) -> frozenset[str] | None:
    """Read the ids in a partial batch response; None for a different response."""
    match payload:
        case {"batchItemFailures": None}:
            return frozenset()
        case {"batchItemFailures": list(entries)}:
            ids = [entry.get("itemIdentifier") if isinstance(entry, dict) else None for entry in entries]
            return frozenset(map(str, ids)) if all(ids) else None
        case _:
            return None
