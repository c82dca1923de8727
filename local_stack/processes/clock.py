"""The time of the local stack: the machine's, plus the skipped time."""

from __future__ import annotations

import threading
import time


class Clock:
    """Seconds since 1970, `offset_s` ahead of the machine's clock; only ever moved forward."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._offset_s = 0.0

    @property
    def offset_s(self) -> float:
        """Seconds ahead of the machine's clock."""
        return self._offset_s

    def now(self) -> float:
        """Read the time for every part of the stack."""
        return time.time() + self._offset_s

    def advance(self, seconds: float) -> None:
        """Skip `seconds`; refuse a negative number, because time in AWS does not run backwards either."""
        if seconds < 0:
            raise ValueError(f"seconds: must not be negative, got {seconds!r}")
        with self._lock:
            self._offset_s += seconds
