"""The run of this process while a capture is on: requests and recorders belong to it unless they name another run."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, field
from typing import NamedTuple

from headwater_model.record_requests import LIMITS

# The service's bound on the record roots of a run, and a bound in characters to leave space in an event.
_ROOTS_MAX = 10_000
_ROOTS_CHARS_MAX = 200_000
_log = logging.getLogger("headwater.client")


class JobRun(NamedTuple):
    """Run of a job: the job's namespace and name, and the run id; arguments take a plain tuple of the three too."""

    namespace: str
    name: str
    run_id: str

    @classmethod
    def of(cls, given: object, argument: str) -> JobRun:
        """Check a run given as an argument.

        >>> JobRun.of(("emissions", "nightly"), "parent")
        Traceback (most recent call last):
        TypeError: parent: must be a JobRun, or its namespace, name and run id, got ('emissions', 'nightly')
        """
        if isinstance(given, tuple) and len(given) == len(cls._fields) and all(isinstance(part, str) for part in given):
            return cls(*given)
        raise TypeError(f"{argument}: must be a JobRun, or its namespace, name and run id, got {given!r}")


@dataclass(frozen=True)
class RunContext:
    """Run of events, and the runs above it: its parent and the root."""

    run: JobRun
    parent: JobRun | None = None
    root: JobRun | None = None


@dataclass
class _Roots:
    """Roots of the records of a run."""

    ids: dict[str, None] = field(default_factory=dict)
    chars: int = 0
    is_full: bool = False

    def add(self, root_id: str) -> bool:
        """Add a root; return False for the first root beyond the bounds."""
        if self.is_full or root_id in self.ids:
            return True
        self.is_full = len(self.ids) == _ROOTS_MAX or self.chars + len(root_id) > _ROOTS_CHARS_MAX
        if not self.is_full:
            self.ids[root_id] = None
            self.chars += len(root_id)
        return not self.is_full


_lock = threading.Lock()
_entered: list[RunContext] = []
_roots: dict[str, _Roots] = {}


def enter(context: RunContext) -> None:
    """Make this run the process's current run; the run before it is current again once this run is left."""
    with _lock:
        _entered.append(context)


def leave(context: RunContext) -> None:
    """End the current run; a run never entered, or left before, changes nothing."""
    with _lock:
        if context in _entered:
            _entered.remove(context)


def current_run() -> RunContext | None:
    """Get the run entered last and not left: `RunContext(JobRun("etl", "load", "0176a8c2-..."))`."""
    with _lock:
        return _entered[-1] if _entered else None


def current_run_id() -> str | None:
    """Get the current run's id, `"0176a8c2-..."`."""
    context = current_run()
    return context.run.run_id if context else None


def report_root(root_id: object, run_id: str | None = None) -> None:
    """Note the record root of a request of the current run, `report_root("file-1")`, for the capture's last event.

    A request with another run id is left out. So is an invalid root: the service refuses the request, and would refuse
    the event. At most 10,000 roots are kept; more cost a warning.
    """
    context, text = current_run(), str(root_id or "")
    if context is None or run_id not in (None, context.run.run_id) or not is_root(text):
        return
    with _lock:
        fits = _roots.setdefault(context.run.run_id, _Roots()).add(text)
    if not fits:
        _log.warning("%s: there are more record roots than an event may hold: not all are reported", context.run.name)


def is_root(root_id: object) -> bool:
    """True if records may have this root: `"file-1"`, but not `""` or more than 2,048 bytes."""
    try:
        return isinstance(root_id, str) and 0 < len(root_id.encode()) <= LIMITS["root_id"]
    except UnicodeEncodeError:  # half a character
        return False


def reported_roots(run_id: str) -> tuple[str, ...]:
    """List the roots reported for a run, also after it was left."""
    with _lock:
        known = _roots.get(run_id)
        return tuple(known.ids) if known else ()
