"""Counts of a capture's events and losses, with a warning for each kind of trouble."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Mapping
from typing import Literal, TypeAlias, get_args

from spark_client.redaction import redact

_log = logging.getLogger("headwater.capture")
_KINDS_MAX = 20

# Writes and reads with events; repeated reads, without. Executions lost at the JVM's full queue, or unread after a
# fault. Writes and reads without events after a fault, or lost at the full queue of events. Events accepted or refused
# by the transport.
Counted: TypeAlias = Literal[
    "writes", "reads", "repeated", "not_seen", "not_read", "not_reported", "not_queued", "sent", "not_sent"
]
_EVERY: tuple[Counted, ...] = get_args(Counted)
_LOST = [what for what in _EVERY if what.startswith("not_")]


class Counts:
    """Counts of a capture; usable by many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()
        self._warned: set[str] = set()
        # Reason of the latest loss of events; empty before the first.
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
        """Copy all counts, with `lost`, the sum of the losses: `{"writes": 2, ..., "not_sent": 1, "lost": 1}`."""
        with self._lock:
            counts: dict[str, int] = {what: self._counts[what] for what in _EVERY}
        return {**counts, "lost": sum(counts[what] for what in _LOST)}

    def warn_of_loss(self, reason: str) -> None:
        """Log the first loss of events as a warning, later losses to debug."""
        self.last_loss = reason
        self.warn("transport", f"events are not sent: {reason}")

    def warn(self, kind: str, text: str) -> None:
        """Log the first text of a kind as a warning, later texts and kinds above a bound to debug; without secrets."""
        with self._lock:
            is_new = kind not in self._warned and len(self._warned) < _KINDS_MAX
            level = logging.WARNING if is_new else logging.DEBUG
            self._warned |= {kind} if is_new else set()
        _log.log(level, "capture: %s", redact(text))
