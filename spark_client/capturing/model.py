"""Model of an execution's writes: datasets, columns, amounts, and failures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeAlias, TypeVar

from headwater_model.columns import NO_COLUMNS, ColumnLineage
from headwater_model.ids import DatasetId, FieldPath
from spark_client.capturing.plans.plan import Node

# Query of a stream: the driver's plan, or a command of Spark Connect.
Q = TypeVar("Q")
# Methods of Python's RDDs. The first argument of a save is the path, or Hadoop's settings.
RDD_SAVES = (
    "saveAsTextFile",
    "saveAsPickleFile",
    "saveAsSequenceFile",
    "saveAsHadoopFile",
    "saveAsNewAPIHadoopFile",
    "saveAsHadoopDataset",
    "saveAsNewAPIHadoopDataset",
)
RDD_READS = ("foreach", "foreachPartition")
# Actions without an RDD: a method of Hadoop's file systems, and a `CALL` of a procedure without an event of Spark.
RENAME = "rename"
CALL = "call"
# Kind of the plan of an action (`PlanReader.java`).
RDD_ACTION = "RddAction"

# OpenLineage's words for a write's effect on a dataset as a whole (LifecycleStateChangeDatasetFacet).
# MAINTENANCE is ours: rows move into new files, unchanged.
Change: TypeAlias = Literal["ALTER", "CREATE", "OVERWRITE", "DROP", "TRUNCATE", "RENAME", "MAINTENANCE"]
# Changes without new rows.
CHANGES_WITHOUT_ROWS = ("DROP", "TRUNCATE", "RENAME", "MAINTENANCE")


@dataclass(frozen=True, slots=True)
class SchemaField:
    """Column or nested field, with its type in Spark's words. A struct, or an array of structs, has `fields`."""

    name: str
    type: str
    fields: tuple[SchemaField, ...] = ()


@dataclass(frozen=True, slots=True)
class Symlink:
    """Alternative name of a dataset; `type` is `TABLE` or `LOCATION`."""

    namespace: str
    name: str
    type: str = "TABLE"


@dataclass(frozen=True, slots=True)
class Dataset:
    """Dataset as Spark reads or writes it, by OpenLineage's names; None and empty mean unknown.

    `branch` is the written branch of the table, None for the table itself; `rows` are ids of new rows (`Commit`).
    """

    id: DatasetId
    schema: tuple[SchemaField, ...] = ()
    symlinks: tuple[Symlink, ...] = ()
    version: str | None = None
    branch: str | None = None
    rows: RowIds | None = None


@dataclass(frozen=True, slots=True)
class WriteStatistics:
    """Rows, bytes and files of a write; None for a number without a count of Spark."""

    rows: int | None = None
    size_bytes: int | None = None
    files: int | None = None

    def otherwise(self, other: WriteStatistics) -> WriteStatistics:
        """Fill the missing counts from another count of the same write."""
        return WriteStatistics(
            rows=other.rows if self.rows is None else self.rows,
            size_bytes=other.size_bytes if self.size_bytes is None else self.size_bytes,
            files=other.files if self.files is None else self.files,
        )


@dataclass(frozen=True, slots=True)
class InputStatistics:
    """Rows, bytes and files read of an input. `folders` are the read partitions; empty where the whole may be read."""

    rows: int | None = None
    size_bytes: int | None = None
    files: int | None = None
    folders: tuple[str, ...] = ()

    def plus(self, other: InputStatistics) -> InputStatistics:
        """Add the statistics of a second scan of the dataset."""
        both = (*self.folders, *other.folders) if self.folders and other.folders else ()
        return InputStatistics(
            rows=_sum(self.rows, other.rows),
            size_bytes=_sum(self.size_bytes, other.size_bytes),
            files=_sum(self.files, other.files),
            folders=tuple(dict.fromkeys(both)),
        )


def _sum(number: int | None, other: int | None) -> int | None:
    return None if number is None or other is None else number + other


@dataclass(frozen=True, slots=True)
class Scan:
    """Scan in an executed plan, with its amounts.

    A scan of files has `paths`. Any scan has `columns`, the ids of its columns in the analyzed plan, instead.
    """

    paths: tuple[str, ...]
    read: InputStatistics
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Read:
    """Execution with reads, and without a known write.

    Attributes:
        execution_id: id of the execution, for merged writes of the outer execution; negative for an action of an RDD.
        command: Spark's class of the write, or the name of the action, for people.
        tier: how much of the plan was read: `full`, `sources` without kinds, or `tables` alone.
        tier_reason: reason for written rows without columns, as in `rows of an RDD`; None where columns are read.
        unknown_inputs: reasons of inputs without a name, in every tier, whatever they do to columns and rows.
        stream: run id of its streaming query.
        unknown_output: reason for a written dataset without a name; None without a write.
        scanned: amounts read of inputs, where scans have counts.
    """

    execution_id: int
    command: str
    started_ms: int
    ended_ms: int
    inputs: tuple[Dataset, ...] = ()
    tier: Tier = "full"
    failure: Failure | None = None
    sql: str | None = None
    unknown_inputs: tuple[str, ...] = ()
    stream: str | None = None
    unknown_output: str | None = None
    scanned: Mapping[DatasetId, InputStatistics] = field(default_factory=dict)
    tier_reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Write(Read):
    """Write of one dataset.

    Attributes:
        columns: sources of the columns of `output`; a missing column is in `unknown`, or a change of rows kept it.
        unknown: columns with unknown sources, and why, as in `"LogicalRDD: made of an RDD"`; empty in tier `tables`.
        change: effect on the dataset as a whole; None for an append.
        renamed_from: the name before a rename.
        if_met: True of a statement without effect on a missing dataset; reported only if the application met it.
        effect: word for a statement without a query's rows, as in `drop_partition`; None for a write of rows.
        added: columns added by a statement, or all columns of the dataset; empty if unknown.
        number: index among the writes of an execution: a statement may have several INSERTs, even into a single table.
    """

    output: Dataset
    columns: ColumnLineage = NO_COLUMNS
    unknown: Mapping[FieldPath, str] = field(default_factory=dict)
    change: Change | None = None
    renamed_from: DatasetId | None = None
    if_met: bool = False
    effect: str | None = None
    added: tuple[SchemaField, ...] = ()
    written: WriteStatistics = WriteStatistics()
    number: int = 0

    @property
    def without_rows(self) -> str | None:
        """Word for a statement without a query's rows, as in `drop` or `add_partition`; None for a write of rows."""
        return self.effect or (self.change.lower() if self.change in CHANGES_WITHOUT_ROWS else None)


# How much of a plan was read: all; of expressions the referenced columns alone; no expressions.
Tier: TypeAlias = Literal["full", "sources", "tables"]


class UnknownTarget(Exception):
    """Write of a target without a name. The message names command and reason; `read` has the inputs."""

    def __init__(self, read: Read) -> None:
        super().__init__(read.unknown_output or read.command)
        self.read = read


@dataclass(frozen=True, slots=True)
class Failure:
    """Reason why an execution or a program failed: the exception's class and message, and its stack (cut).

    `is_abort` is true for a program ended from outside.
    """

    message: str
    stack: str | None = None
    is_abort: bool = False


@dataclass(frozen=True, slots=True)
class RowIds:
    """Ids given to rows by a commit, from `first` up to `next`, as in the facet `headwater_rows`; None if unknown."""

    table: str
    sequence: int
    first: int | None = None
    next: int | None = None
    upgrades: bool = False


@dataclass(frozen=True, slots=True)
class Commit:
    """Commit to a table of Delta's or Iceberg's.

    Attributes:
        version: the new version of Delta's table, or snapshot id of Iceberg's; None if unknown.
        read_version: version of the same table read by the transaction, where the format keeps it.
        location: of a created table, where the plan does not have the location.
        branch: branch of Iceberg's table with the snapshot, or `wap.id=` and the id of a snapshot to be published;
            None if the table itself has the snapshot.
        rows: ids of the commit's rows; None for a table without such ids.
    """

    version: str | None
    written: WriteStatistics = WriteStatistics()
    read_version: str | None = None
    location: str | None = None
    branch: str | None = None
    rows: RowIds | None = None


@dataclass(frozen=True, slots=True)
class Execution:
    """Finished execution of a query.

    Attributes:
        id: Spark's, counted from 0 in an application; negative for an action of an RDD.
        root_id: id of the outermost execution: a CTAS's insert is a part of the CTAS.
        action: Spark's name for the execution: `command`, `checkpoint`, `localCheckpoint`, `save`, ...
        started_ms: milliseconds since 1970, as are all times.
        plan: the analyzed plan.
        metrics: of each writing node, in plan order: numOutputRows, numOutputBytes, numFiles, numParts.
        had_jobs: True if Spark ran a job; a write that finds existing data may have run none.
        sql: the statement, where it was SQL.
        dynamic_overwrite: the session's `spark.sql.sources.partitionOverwriteMode` was dynamic at the start.
        stream: run id of the streaming query, for a part of its batch.
        read_versions: by path, the version or snapshot of a scanned table; None where scans read several.
        commit: the only commit to a table of Delta's or Iceberg's.
        is_read: True for a query with rows for the program.
        task_outputs: rows and bytes written by the tasks, by their own count.
        last_rdd: id of the newest RDD of the last job; a checkpointed frame reads this RDD.
        scans: scans of the executed queries.
        session: id of the session, for its variables in the plan.
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
    stream: str | None = None
    read_versions: Mapping[str, str | None] = field(default_factory=dict)
    commit: Commit | None = None
    is_read: bool = False
    last_rdd: str | None = None
    task_outputs: WriteStatistics = WriteStatistics()
    scans: tuple[Scan, ...] = ()
    session: str = ""


@dataclass(frozen=True, slots=True)
class StreamPlan:
    """Plan of a streaming query.

    Attributes:
        root: Spark's `WriteToStream`: the sink, and the analyzed query over the sources.
        options: of the sink, with its location.
        session: id of the starting session.
    """

    tier: Tier
    root: Node
    options: Mapping[str, str] = field(default_factory=dict)
    session: str = ""


@dataclass(frozen=True, slots=True)
class StreamStart(Generic[Q]):
    """Start of a streaming query.

    Attributes:
        run_id: Spark's, a new id after each restart.
        query: the driver's plan, or the starting command of Spark Connect.
    """

    run_id: str
    started_ms: int
    query: Q


@dataclass(frozen=True, slots=True)
class StreamProgress:
    """Batches of a streaming query since its previous progress, and the amounts written to its sink.

    Attributes:
        read_versions: by path, the version of a table read to its end by the last batch; None where the batch ended
            inside a version, or read several.
        commit: of the last batch to the sink.
    """

    run_id: str
    at_ms: int
    batches: int = 0
    written: WriteStatistics = WriteStatistics()
    read_versions: Mapping[str, str | None] = field(default_factory=dict)
    commit: Commit | None = None


@dataclass(frozen=True, slots=True)
class StreamEnd:
    """End of a streaming query, with its last progress."""

    progress: StreamProgress
    failure: Failure | None = None


Phase: TypeAlias = Literal["START", "RUNNING", "COMPLETE", "FAIL", "ABORT"]


@dataclass(frozen=True, slots=True)
class StreamReport:
    """Event of a run to emit: a write of the stream, with the amounts since the event before."""

    write: Write
    job_name: str
    run_id: str
    phase: Phase
    at_ms: int


@dataclass(frozen=True, slots=True)
class Over:
    """End of an execution with writes in its parts alone: a stream's batch."""

    id: int


@dataclass(frozen=True, slots=True)
class Ended:
    """End of the application (`SparkContext.stop`), at milliseconds since 1970.

    `is_shutdown` is true if the end of the JVM stopped Spark, not the program.
    """

    at_ms: int
    is_shutdown: bool = False
