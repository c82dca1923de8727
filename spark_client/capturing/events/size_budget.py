"""The room that is left in an event: spent while it is rendered, so that nothing much larger is ever built."""

from __future__ import annotations


class NoRoom(Exception):
    """What is rendered is larger than the room that there is."""


class Room:
    """So many bytes."""

    def __init__(self, size_bytes: int) -> None:
        self._left = size_bytes

    def spend(self, size_bytes: int) -> None:
        """Take some; `NoRoom` where there were fewer."""
        self._left -= size_bytes
        if self._left < 0:
            raise NoRoom
