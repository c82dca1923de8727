"""Byte budget of an event, spent while the event is rendered, so that nothing much larger is ever built."""

from __future__ import annotations


class BudgetExceeded(Exception):
    """Rendered content larger than the budget."""


class SizeBudget:
    """Budget of so many bytes."""

    def __init__(self, size_bytes: int) -> None:
        self._left = size_bytes

    @property
    def left(self) -> int:
        """Bytes that are left; fewer than none where the budget was exceeded."""
        return self._left

    def spend(self, size_bytes: int) -> None:
        """Spend bytes; raise `BudgetExceeded` where fewer are left."""
        self._left -= size_bytes
        if self._left < 0:
            raise BudgetExceeded
