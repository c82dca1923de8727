"""Waits for a condition: a busy machine comes to it later, and only a hung test comes to the end of the wait."""

from __future__ import annotations

import time
from collections.abc import Callable

LONG_S = 120.0


def until(condition: Callable[[], object]) -> None:
    """Wait until the condition holds."""
    deadline_s = time.monotonic() + LONG_S
    while not condition():
        assert time.monotonic() < deadline_s, "it did not come to pass"
        time.sleep(0.01)
