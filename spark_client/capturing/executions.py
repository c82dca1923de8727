"""Executions of queries, as the JVM's listener tells them: plain values, before any of them is understood."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from spark_client.capturing.plan import Node

# How much of a plan was read: all of it; of expressions only which columns they refer to; of plans no expressions.
Tier: TypeAlias = Literal["full", "sources", "tables"]


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an execution failed: the message of the exception, its class before it, and the JVM's stack (cut)."""

    message: str
    stack: str | None = None


@dataclass(frozen=True, slots=True)
class Execution:
    """A finished execution of a query.

    Attributes:
        id: Spark's, counted from 0 in an application.
        root_id: the outermost execution that it is a part of, or its own id: a CTAS's insert is a part of the CTAS.
        action: what Spark calls it: `command`, `checkpoint`, `localCheckpoint`, `save`, ...
        started_ms: milliseconds since 1970, as are all times.
        plan: the analyzed plan.
        metrics: of each node that writes, in their order: numOutputRows, numOutputBytes, numFiles, numParts.
        had_jobs: whether Spark ran anything for it; a write that found something there already ran nothing.
        sql: the statement, where it was SQL.
        dynamic_overwrite: the session's `spark.sql.sources.partitionOverwriteMode` was dynamic when it started.
    """

    id: int
    root_id: int
    action: str
    started_ms: int
    ended_ms: int
    tier: Tier
    plan: Node
    metrics: Sequence[Mapping[str, int]] = ()
    had_jobs: bool = True
    failure: Failure | None = None
    sql: str | None = None
    dynamic_overwrite: bool = False


@dataclass(frozen=True, slots=True)
class Over:
    """An execution ended that wrote nothing itself, but others were parts of it: a stream's batch."""

    id: int


@dataclass(frozen=True, slots=True)
class Ended:
    """The application ended (`SparkContext.stop`), at milliseconds since 1970."""

    at_ms: int
