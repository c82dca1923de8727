"""Renames of paths by Python through Hadoop's file systems, as in `fs.rename(Path("/_tmp/x"), Path("/lake/x"))`.

Hadoop has no event for a rename. So py4j's call of a method is wrapped, once in a process. Each call compares the
method's name; the rest happens after a successful rename.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Protocol

from spark_client.capturing.model import RENAME

_PATH = "org.apache.hadoop.fs.Path"


class Actions(Protocol):
    """Reports of actions, as `RddActions` makes them."""

    def guarded(self, act: Callable[[], Any]) -> Any:
        """Call a function; log its fault."""

    def report(self, context: Any, name: str, path: str) -> None:
        """Report an action."""


def wrap_calls(actions: Actions) -> None:
    """Report each rename as an action without an RDD."""
    from py4j.java_gateway import JavaMember

    call = JavaMember.__call__

    @functools.wraps(call)
    def call_and_report(member: Any, *arguments: Any) -> Any:
        result = call(member, *arguments)
        if member.name == RENAME and result is True and len(arguments) == 2:
            actions.guarded(lambda: _report(actions, arguments))
        return result

    JavaMember.__call__ = call_and_report


def _report(actions: Actions, paths: tuple[Any, ...]) -> None:
    from pyspark import SparkContext

    context = SparkContext._active_spark_context
    if context is not None and all(path.getClass().getName() == _PATH for path in paths):
        actions.report(context, RENAME, "\n".join(path.toString() for path in paths))
