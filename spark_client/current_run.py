"""The run that this process is, while a capture says so: requests and recorders are of it unless told otherwise."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import NamedTuple


class RunOfJob(NamedTuple):
    """A run and the job that it is a run of."""

    namespace: str
    name: str
    run_id: str


@dataclass(frozen=True)
class Head:
    """Which run the events are of, and which runs started it."""

    run: RunOfJob
    parent: RunOfJob | None = None
    root: RunOfJob | None = None


_lock = threading.Lock()
_entered: list[Head] = []


def enter(head: Head) -> None:
    """From now on the process is this run; one that was entered before is so again once this one is left."""
    with _lock:
        _entered.append(head)


def leave(head: Head) -> None:
    """The run is over; one that was not entered, or left before, changes nothing."""
    with _lock:
        if head in _entered:
            _entered.remove(head)


def current_run() -> Head | None:
    """The run that was entered last of those not left."""
    with _lock:
        return _entered[-1] if _entered else None


def current_run_id() -> str | None:
    """Its id."""
    head = current_run()
    return head.run.run_id if head else None
