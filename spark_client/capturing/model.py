"""What an execution wrote, understood: the datasets, their columns, how much, and how it went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from lineage_model.columns import NO_COLUMNS, Columns
from lineage_model.ids import DatasetId, FieldPath
from spark_client.capturing.plans.plan import Node

# OpenLineage's words for what a write does to a dataset as a whole (LifecycleStateChangeDatasetFacet).
Change: TypeAlias = Literal["CREATE", "OVERWRITE", "DROP", "TRUNCATE"]


@dataclass(frozen=True, slots=True)
class SchemaField:
    """A column, or a field inside one, with its type in Spark's words; a struct, or an array of them, has `fields`."""

    name: str
    type: str
    fields: tuple[SchemaField, ...] = ()


@dataclass(frozen=True, slots=True)
class Symlink:
    """Another name of a dataset; `type` is `TABLE` or `LOCATION`."""

    namespace: str
    name: str
    type: str = "TABLE"


@dataclass(frozen=True, slots=True)
class Dataset:
    """A dataset as Spark reads or writes it, by OpenLineage's names; None and empty is what is not known."""

    id: DatasetId
    schema: tuple[SchemaField, ...] = ()
    symlinks: tuple[Symlink, ...] = ()
    version: str | None = None


@dataclass(frozen=True, slots=True)
class Written:
    """How much was written; None is what Spark does not count."""

    rows: int | None = None
    size_bytes: int | None = None
    files: int | None = None


@dataclass(frozen=True, slots=True)
class Write:
    """One write of one dataset.

    Attributes:
        execution_id: of the outermost execution that is a part of it.
        command: Spark's class of the write, for people.
        columns: what the columns of `output` are made of; a column that is not in it is in `unknown`, or was left as
            it was, where rows were changed in place.
        unknown: columns of which nothing is known, and why, as in `"LogicalRDD: made of an RDD"`.
        tier: how much of the plan was read: `sources` without kinds, or `tables` alone; `unknown` is empty then.
        change: None where the write adds to what was there.
        unknown_inputs: why there are inputs that nobody can name; of every tier, whatever they do to columns and rows.
        number: of the writes of one execution: a statement may have several INSERTs, even into one table.
    """

    execution_id: int
    command: str
    started_ms: int
    ended_ms: int
    output: Dataset
    inputs: tuple[Dataset, ...] = ()
    columns: Columns = NO_COLUMNS
    unknown: Mapping[FieldPath, str] = field(default_factory=dict)
    tier: Tier = "full"
    change: Change | None = None
    written: Written = Written()
    failure: Failure | None = None
    sql: str | None = None
    unknown_inputs: tuple[str, ...] = ()
    number: int = 0


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
