"""What the pollers of queues and streams share: how Lambda reads the answer to a batch, and who is told of failures."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

from local.functions import Answer


class Poller(Protocol):
    """Something that runs in threads of its own until it is asked to stop."""

    def start(self) -> None:
        """Begin."""

    def ask_to_stop(self) -> None:
        """Begin nothing new."""

    def join(self) -> None:
        """Wait until nothing of it runs any more."""


class Feeder(Poller, Protocol):
    """A poller that holds what it has taken until a function has accepted it."""

    hurry: bool

    @property
    def held(self) -> int:
        """How much that is."""


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
