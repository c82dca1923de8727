"""The run that this process is, while a capture says so: requests and recorders are of it unless told otherwise."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, field
from typing import NamedTuple

# As many record roots as the service takes of one run, and no more than leave room in an event (in characters).
_ROOTS_MAX = 10_000
_ROOTS_CHARS_MAX = 200_000
# The service's bound on a root's id, in bytes of UTF-8.
_ROOT_MAX_BYTES = 2048
_log = logging.getLogger("headwater.client")


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


@dataclass
class _Roots:
    """The roots of the records that a run worked on."""

    ids: dict[str, None] = field(default_factory=dict)
    chars: int = 0
    is_full: bool = False

    def add(self, root_id: str) -> bool:
        """Keep one; False for the first one that does not fit."""
        if self.is_full or root_id in self.ids:
            return True
        self.is_full = len(self.ids) == _ROOTS_MAX or self.chars + len(root_id) > _ROOTS_CHARS_MAX
        if not self.is_full:
            self.ids[root_id] = None
            self.chars += len(root_id)
        return not self.is_full


_lock = threading.Lock()
_entered: list[Head] = []
_roots: dict[str, _Roots] = {}


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


def report_root(root_id: object, run_id: str | None = None) -> None:
    """A request of this run (the current one) was about records of this root: the capture tells so in the end.

    Requests of other runs than the current one are nobody's to tell of, and neither are roots that no record may have:
    the service refuses the request, and would refuse the event. At most 10,000 are kept, and one warning says that
    there were more.
    """
    head, text = current_run(), str(root_id or "")
    if head is None or run_id not in (None, head.run.run_id) or not is_root(text):
        return
    with _lock:
        fits = _roots.setdefault(head.run.run_id, _Roots()).add(text)
    if not fits:
        _log.warning("%s: there are more record roots than an event may hold: not all are reported", head.run.name)


def is_root(root_id: str) -> bool:
    """Whether records may have it."""
    try:
        return 0 < len(root_id.encode()) <= _ROOT_MAX_BYTES
    except UnicodeEncodeError:  # half a character
        return False


def reported_roots(run_id: str) -> tuple[str, ...]:
    """The roots that were reported of a run, also after it was left."""
    with _lock:
        known = _roots.get(run_id)
        return tuple(known.ids) if known else ()
