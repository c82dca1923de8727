"""Byte budget of an event, spent while the event is rendered: rendering stops at the limit."""

from __future__ import annotations


class BudgetExceeded(Exception):
    """Rendered content larger than the budget."""


class SizeBudget:
    """Budget of so many bytes."""

    def __init__(self, size_bytes: int) -> None:
        self._left = size_bytes

    @property
    def left(self) -> int:
        """Bytes left; negative after the budget was exceeded."""
        return self._left

    def spend(self, size_bytes: int) -> None:
        """Spend bytes; raise `BudgetExceeded` where fewer are left."""
        self._left -= size_bytes
        if self._left < 0:
            raise BudgetExceeded
