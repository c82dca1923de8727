"""What is asked of Athena, and what is answered: plain values, that DuckDB be loaded for the first question alone."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Question:
    """A query as it was started."""

    sql: str
    database: str
    parameters: Sequence[str] = ()


@dataclass(frozen=True)
class Answer:
    """Columns as GetQueryResults tells them, rows as text or None, and how many bytes of the files were read."""

    columns: list[dict[str, Any]]
    rows: list[list[str | None]]
    scanned_bytes: int


class QueryFailed(Exception):
    """Athena would say FAILED; the message is the reason."""


@dataclass
class Interrupt:
    """The way to end a query that runs."""

    _lock: threading.Lock = field(default_factory=threading.Lock)
    _interrupt: Callable[[], None] | None = None
    asked: bool = False

    def now(self) -> None:
        """End it."""
        with self._lock:
            self.asked = True
            if self._interrupt is not None:
                self._interrupt()

    def by(self, interrupt: Callable[[], None] | None) -> None:
        """This is how; None if nothing runs any more."""
        with self._lock:
            self._interrupt = interrupt
            if self.asked and interrupt is not None:
                interrupt()
