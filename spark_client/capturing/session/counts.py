"""Counts of what a capture did and could not do, with one warning for each kind of trouble."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Mapping
from typing import Literal, TypeAlias, get_args

from spark_client.redaction import redact

_log = logging.getLogger("headwater.capture")
_KINDS_MAX = 20

# Writes and reads that became events, and reads like others before, which do not. Executions that found the JVM's queue
# full, and that could not be read. Those whose events could not be made, or found the queue full. Events that the
# transport accepted, and did not accept.
Counted: TypeAlias = Literal[
    "writes", "reads", "repeated", "not_seen", "not_read", "not_reported", "not_queued", "sent", "not_sent"
]
_EVERY: tuple[Counted, ...] = get_args(Counted)
_LOST = [what for what in _EVERY if what.startswith("not_")]


class Counts:
    """Counts of one capture; usable by many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()
        self._warned: set[str] = set()
        # Reason of the last events that were not sent; empty before the first.
        self.last_loss = ""

    def add(self, what: Counted, by: int = 1) -> None:
        """Add to a count."""
        with self._lock:
            self._counts[what] += by

    def put(self, what: Counted, count: int) -> None:
        """Set a count."""
        with self._lock:
            self._counts[what] = count

    def snapshot(self) -> Mapping[str, int]:
        """Return all counts, as they are now, and the sum of those of what is `lost`."""
        with self._lock:
            counts: dict[str, int] = {what: self._counts[what] for what in _EVERY}
        return {**counts, "lost": sum(counts[what] for what in _LOST)}

    def warn_of_loss(self, reason: str) -> None:
        """Log a warning, the first alone, that events are not sent."""
        self.last_loss = reason
        self.warn("transport", f"events are not sent: {reason}")

    def warn(self, kind: str, text: str) -> None:
        """Log a warning, the first of its kind, without secrets; later ones, and kinds above a bound, to debug."""
        with self._lock:
            is_new = kind not in self._warned and len(self._warned) < _KINDS_MAX
            level = logging.WARNING if is_new else logging.DEBUG
            self._warned |= {kind} if is_new else set()
        _log.log(level, "capture: %s", redact(text))
