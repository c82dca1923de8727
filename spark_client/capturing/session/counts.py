"""Counts of what a capture did and could not do, with one warning for each kind of trouble."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Mapping
from typing import Literal, TypeAlias

from spark_client.redaction import redact

_log = logging.getLogger("headwater.capture")
_KINDS_MAX = 20

# Writes and reads that were emitted; reads of what was read before, which are not. Those that are lost: the queue was
# full, or no event could be made of them. Executions
# that could not be read, and that found the JVM's queue full. Events that the transport accepted, and did not accept.
Counted: TypeAlias = Literal["writes", "reads", "repeated", "dropped", "failed", "unread", "unheard", "sent", "unsent"]
_EVERY: tuple[Counted, ...] = (
    "writes",
    "reads",
    "repeated",
    "dropped",
    "failed",
    "unread",
    "unheard",
    "sent",
    "unsent",
)


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
        """Return all counts, as they are now."""
        with self._lock:
            return {what: self._counts[what] for what in _EVERY}

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
