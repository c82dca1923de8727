"""Model of what an execution wrote: the datasets, their columns, how much, and how it went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeAlias, TypeVar

from headwater_model.columns import NO_COLUMNS, ColumnLineage
from headwater_model.ids import DatasetId, FieldPath
from spark_client.capturing.plans.plan import Node

# Query of a stream, as its source knows it.
Q = TypeVar("Q")
# Methods of Python's RDDs: what saves, with the path or Hadoop's settings as the first argument, and what only reads.
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
# Method of Hadoop's file systems, which is reported as such an action without an RDD.
RENAME = "rename"
# Statement that calls a procedure, which is reported as such an action where Spark has no event of it.
CALL = "call"
# Kind of the plan that stands for such an action (`PlanReader.java`).
RDD_ACTION = "RddAction"

# OpenLineage's words for a write's effect on a dataset as a whole (LifecycleStateChangeDatasetFacet).
# MAINTENANCE is ours: the table's rows are moved into other files, and stay what they are.
Change: TypeAlias = Literal["ALTER", "CREATE", "OVERWRITE", "DROP", "TRUNCATE", "RENAME", "MAINTENANCE"]
# Those that write no row, or none that is new.
CHANGES_WITHOUT_ROWS = ("DROP", "TRUNCATE", "RENAME", "MAINTENANCE")


@dataclass(frozen=True, slots=True)
class SchemaField:
    """Column, or a field inside one, with its type in Spark's words; a struct, or an array of them, has `fields`."""

    name: str
    type: str
    fields: tuple[SchemaField, ...] = ()


@dataclass(frozen=True, slots=True)
class Symlink:
    """Other name of a dataset; `type` is `TABLE` or `LOCATION`."""

    namespace: str
    name: str
    type: str = "TABLE"


@dataclass(frozen=True, slots=True)
class Dataset:
    """Dataset as Spark reads or writes it, by OpenLineage's names; None and empty mean unknown.

    `branch`: the branch of the table that was written, if not the table itself (`Commit`).
    """

    id: DatasetId
    schema: tuple[SchemaField, ...] = ()
    symlinks: tuple[Symlink, ...] = ()
    version: str | None = None
    branch: str | None = None


@dataclass(frozen=True, slots=True)
class WriteStatistics:
    """Rows, bytes and files of a write; None is what Spark does not count."""

    rows: int | None = None
    size_bytes: int | None = None
    files: int | None = None

    def otherwise(self, other: WriteStatistics) -> WriteStatistics:
        """Return these; what they do not count is the other's."""
        return WriteStatistics(
            rows=other.rows if self.rows is None else self.rows,
            size_bytes=other.size_bytes if self.size_bytes is None else self.size_bytes,
            files=other.files if self.files is None else self.files,
        )


@dataclass(frozen=True, slots=True)
class InputStatistics:
    """Rows, bytes and files that were read of an input; `folders`: the partitions of it that hold all of these files.

    Without folders it is not known that less than the whole dataset was read.
    """

    rows: int | None = None
    size_bytes: int | None = None
    files: int | None = None
    folders: tuple[str, ...] = ()

    def plus(self, other: InputStatistics) -> InputStatistics:
        """Return the statistics of two scans of one dataset."""
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
    """Scan in an executed plan, and what it read: of files by the paths that it was given; its folders are any paths.

    A scan of anything else is known by `columns`, the ids of its columns in the analyzed plan.
    """

    paths: tuple[str, ...]
    read: InputStatistics
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Read:
    """Execution that read, and wrote nothing that is known.

    Attributes:
        execution_id: id of the outermost execution; negative for an action of an RDD.
        command: Spark's class of the write, or the name of the action, for people.
        tier: how much of the plan was read: `sources` without kinds, or `tables` alone.
        tier_reason: reason why rows were written and their columns are not read; None where they are.
        unknown_inputs: reasons of inputs without a name, in every tier, whatever they do to columns and rows.
        stream: run id of the streaming query that it is a part of, or is.
        unknown_output: reason why what it wrote has no name; None if it wrote nothing.
        scanned: how much was read of inputs, where scans counted that.
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
        columns: sources of the columns of `output`; a column that is missing here is in `unknown`, or is unchanged,
            where rows were changed in place.
        unknown: columns with unknown sources, and why, as in `"LogicalRDD: made of an RDD"`; empty in tier `tables`.
        change: None where the write adds to the dataset.
        renamed_from: the name before, of a dataset that is renamed.
        if_met: True of a statement that may have changed nothing: it did if its dataset is known.
        effect: word for what a statement does that writes no rows of a query; None of other writes.
        added: columns that a statement adds to those of its dataset, or all of them; empty where they are not known.
        number: index among the writes of an execution: a statement may have several INSERTs, even into one table.
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
        """Word for what a statement does that writes no rows of a query, and names its tables alone."""
        return self.effect or (self.change.lower() if self.change in CHANGES_WITHOUT_ROWS else None)


# How much of a plan was read: all of it; of expressions only which columns they refer to; of plans no expressions.
Tier: TypeAlias = Literal["full", "sources", "tables"]


class UnknownTarget(Exception):
    """Write whose target has no name; the message names the command and the reason, `read` has what it read."""

    def __init__(self, read: Read) -> None:
        super().__init__(read.unknown_output or read.command)
        self.read = read


@dataclass(frozen=True, slots=True)
class Failure:
    """Reason why an execution or a program failed: the exception's class and message, and its stack (cut).

    `is_abort` is true of a program that was ended from outside.
    """

    message: str
    stack: str | None = None
    is_abort: bool = False


@dataclass(frozen=True, slots=True)
class Commit:
    """Commit to a table of Delta's or Iceberg's.

    Attributes:
        version: the version of Delta's table, or the snapshot id of Iceberg's, that it made; None if it is not known.
        read_version: the version of the same table that the transaction read, where the format keeps that.
        location: of a table that the execution created, where the plan does not have it.
        branch: branch of Iceberg's table that has the snapshot, or `wap.id=` and the id under which it is to be
            published; None if the table itself has it.
    """

    version: str | None
    written: WriteStatistics = WriteStatistics()
    read_version: str | None = None
    location: str | None = None
    branch: str | None = None


@dataclass(frozen=True, slots=True)
class Execution:
    """Finished execution of a query.

    Attributes:
        id: Spark's, counted from 0 in an application.
        root_id: the outermost execution that it is a part of, or its own id: a CTAS's insert is a part of the CTAS.
        action: Spark's name of it: `command`, `checkpoint`, `localCheckpoint`, `save`, ...
        started_ms: milliseconds since 1970, as are all times.
        plan: the analyzed plan.
        metrics: of each node that writes, in their order: numOutputRows, numOutputBytes, numFiles, numParts.
        had_jobs: True if Spark ran a job for it; a write that found existing data may have run none.
        sql: the statement, where it was SQL.
        dynamic_overwrite: the session's `spark.sql.sources.partitionOverwriteMode` was dynamic when it started.
        stream: run id of the streaming query whose batch it is a part of.
        read_versions: by path, the version or snapshot of a table that a scan read; None where scans read several.
        commit: the one commit of this execution to a table of Delta's or Iceberg's.
        is_read: True if it is a query whose rows went to the program.
        task_outputs: rows and bytes that its tasks wrote by their own count.
        last_rdd: id of the newest RDD of its last job: of a checkpoint, the one that its frame reads.
        scans: those that its queries ran.
        session: id of its session, whose variables the plan may have.
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
        options: of the sink, those that name a location.
        session: id of the session that started it.
    """

    tier: Tier
    root: Node
    options: Mapping[str, str] = field(default_factory=dict)
    session: str = ""


@dataclass(frozen=True, slots=True)
class StreamStart(Generic[Q]):
    """Start of a streaming query.

    Attributes:
        run_id: Spark's, another one after each restart.
        query: what is known of the query: the driver's plan, or the command of Spark Connect that started it.
    """

    run_id: str
    started_ms: int
    query: Q


@dataclass(frozen=True, slots=True)
class StreamProgress:
    """Batches of a streaming query, and what they wrote to its sink, since this was read last.

    Attributes:
        read_versions: by path, the version of a table whose rows the last batch read to the end; None where it ended
            inside a version, or several were read.
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
    """End of a streaming query, with the progress that was not read yet."""

    progress: StreamProgress
    failure: Failure | None = None


Phase: TypeAlias = Literal["START", "RUNNING", "COMPLETE", "FAIL", "ABORT"]


@dataclass(frozen=True, slots=True)
class StreamReport:
    """Event of a run to emit: what the stream writes, and how much since the event before."""

    write: Write
    job_name: str
    run_id: str
    phase: Phase
    at_ms: int


@dataclass(frozen=True, slots=True)
class Over:
    """End of an execution that wrote nothing itself, but had parts that did: a stream's batch."""

    id: int


@dataclass(frozen=True, slots=True)
class Ended:
    """End of the application (`SparkContext.stop`), at milliseconds since 1970.

    `is_shutdown` is true if the JVM ends, and stops Spark on its way: the program did not.
    """

    at_ms: int
    is_shutdown: bool = False
