"""Procedures that Python calls by `spark.sql("CALL ...")`, which Spark 4 runs while it analyzes the statement.

Spark has no event of such a call. So `SparkSession.sql` is wrapped, once in a process; before Spark 4 a call is a
command like others.
"""

from __future__ import annotations

import functools
import re
from typing import Any

from spark_client.capturing.jvm.renames import Actions
from spark_client.capturing.model import CALL

_CALL = re.compile(r"(?:\s|--[^\n]*\n|/\*.*?\*/)*CALL\b", re.IGNORECASE | re.DOTALL)


def wrap_sql(actions: Actions) -> None:
    """Report each call of a procedure as an action without an RDD."""
    import pyspark
    from pyspark.sql import SparkSession

    if pyspark.__version__.startswith("3."):
        return
    sql = SparkSession.sql

    @functools.wraps(sql)
    def sql_and_report(session: Any, *arguments: Any, **named: Any) -> Any:
        result = sql(session, *arguments, **named)
        text = arguments[0] if arguments else named.get("sqlQuery")
        if isinstance(text, str) and _CALL.match(text):
            actions.guarded(lambda: _report(actions, session, text))
        return result

    SparkSession.sql = sql_and_report  # type: ignore[method-assign,assignment]


def _report(actions: Actions, session: Any, text: str) -> None:
    actions.report(session.sparkContext, CALL, f"{session.catalog.currentCatalog()}\n{text}")
