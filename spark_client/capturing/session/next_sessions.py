"""Sessions that PySpark makes after a capture began: the next application of the program is noticed by its first."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

_lock = threading.Lock()
_is_wrapped = False


def on_next_sessions(notice: Callable[[Any], None]) -> None:
    """Call `notice` with each session on the driver from now on; the first caller in a process is the only caller."""
    global _is_wrapped
    from pyspark.sql import SparkSession

    with _lock:
        if _is_wrapped:
            return
        _is_wrapped = True
        initialize = SparkSession.__init__

    @functools.wraps(initialize)
    def initialize_and_notice(session: Any, *arguments: Any, **named: Any) -> None:
        initialize(session, *arguments, **named)
        notice(session)

    SparkSession.__init__ = initialize_and_notice  # type: ignore[assignment,method-assign]
