"""The skipped time, in a child process: `time` and `datetime` run ahead of the machine's clock, in C code too."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import time_machine


class Skipping:
    """The skipped time of this process."""

    def __init__(self) -> None:
        self._skipped: time_machine.travel | None = None
        self._offset_s = 0.0

    def to(self, offset_s: float) -> None:
        """Move this process's time so many seconds ahead of the machine's."""
        if offset_s == self._offset_s:
            return
        if self._skipped is not None:
            self._skipped.stop()
        self._skipped = time_machine.travel(datetime.now(timezone.utc) + timedelta(seconds=offset_s), tick=True)
        self._skipped.start()
        self._offset_s = offset_s
