"""Athena's queries and results as plain values: only the first query loads DuckDB."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class AthenaQuery:
    """A query as it was started."""

    sql: str
    database: str
    parameters: Sequence[str] = ()


@dataclass(frozen=True)
class AthenaResult:
    """A result: columns as in GetQueryResults, rows as text or None, and the bytes read from files."""

    columns: list[dict[str, Any]]
    rows: list[list[str | None]]
    scanned_bytes: int


class QueryFailed(Exception):
    """A query with Athena's end FAILED; the message is the reason."""


@dataclass
class Interrupt:
    """A switch that ends a running query."""

    _lock: threading.Lock = field(default_factory=threading.Lock)
    _interrupt: Callable[[], None] | None = None
    requested: bool = False

    def now(self) -> None:
        """End the query, now or as soon as it runs."""
        with self._lock:
            self.requested = True
            if self._interrupt is not None:
                self._interrupt()

    def by(self, interrupt: Callable[[], None] | None) -> None:
        """Set the function that ends the running query; None if it has ended."""
        with self._lock:
            self._interrupt = interrupt
            if self.requested and interrupt is not None:
                interrupt()
