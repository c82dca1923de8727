"""The threads of queues, streams and schedules; how Lambda reads the result of a batch, and failures to print."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Collection
from dataclasses import dataclass

from local.functions import Answer


class Poller(ABC):
    """A thread of its own that runs until it is asked to stop."""

    def __init__(self, name: str) -> None:
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    @abstractmethod
    def _run(self) -> None:
        """Work until `_stopping` is set."""

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def ask_to_stop(self) -> None:
        """Begin nothing new."""
        self._stopping.set()

    def join(self) -> None:
        """Wait until nothing of it runs any more."""
        if self._thread.ident is not None:
            self._thread.join()


class Feeder(Poller):
    """A poller that holds what it has taken until a function has accepted it; in a `hurry` it waits for no window."""

    hurry = False

    @property
    @abstractmethod
    def held(self) -> int:
        """The number of things that it holds."""


@dataclass(frozen=True)
class Failure:
    """An invocation that failed and that no caller was told of."""

    function: str
    source: str
    error_type: str
    message: str

    def __str__(self) -> str:
        return f"{self.function} failed on {self.source}: {self.error_type}: {self.message}"


def failure_of(answer: Answer, *, function: str, source: str) -> Failure:
    """The failed answer as a line to print."""
    return Failure(function, source, answer.error_type, str(answer.payload.get("errorMessage", "")))


def failed_ids(answer: Answer, sent: Collection[str], *, reports: bool) -> frozenset[str]:
    """Which of the `sent` ids are to be delivered again.

    As Lambda reads it (developer guide, "Implementing partial batch responses"): nothing, an empty object or an empty
    list is success; an answer that cannot be read, or that names an id which was not sent, fails the whole batch.

    >>> sorted(failed_ids(Answer({"batchItemFailures": [{"itemIdentifier": "b"}]}), ["a", "b"], reports=True))
    ['b']
    >>> sorted(failed_ids(Answer({"batchItemFailures": [{"itemIdentifier": "z"}]}), ["a", "b"], reports=True))
    ['a', 'b']
    """
    if answer.failed:
        return frozenset(sent)
    if not reports or answer.payload is None or answer.payload == {}:
        return frozenset()
    named = _named_ids(answer.payload)
    return frozenset(sent) if named is None or not named <= set(sent) else named


def _named_ids(payload: object) -> frozenset[str] | None:
    """The ids in a partial batch response; None if it is not one."""
    match payload:
        case {"batchItemFailures": None}:
            return frozenset()
        case {"batchItemFailures": list(entries)}:
            ids = [entry.get("itemIdentifier") if isinstance(entry, dict) else None for entry in entries]
            return frozenset(map(str, ids)) if all(ids) else None
        case _:
            return None
