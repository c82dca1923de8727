"""Reads that were reported: of many with the same inputs one run is enough."""

from __future__ import annotations

from spark_client.capturing.model import Read

# Runs of reads of an application, each with other inputs.
_READS_MAX = 1_000


class ReadLineages:
    """Lineages of the reads of an application, for one thread: actions, their inputs, and whether they failed."""

    def __init__(self, reads_max: int = _READS_MAX) -> None:
        self._max = reads_max
        self._seen: set[int] = set()

    def add(self, read: Read) -> bool:
        """Return True if this is the first read of its lineage, and there are not too many yet."""
        key = hash((read.command, frozenset(read.inputs), read.failure is None, read.unknown_output))
        if key in self._seen or len(self._seen) >= self._max:
            return False
        self._seen.add(key)
        return True
