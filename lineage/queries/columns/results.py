"""What questions about fields find; times as `lineage.times` keeps them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from lineage.graph.entities import LastWriter, Run, State
from lineage_model.columns import Column, ColumnSource, Transformation
from lineage_model.ids import DatasetId, FieldPath, JobId, RunKey

Direction: TypeAlias = Literal["backward", "forward", "both"]
Reason: TypeAlias = Literal["raw", "generated", "unreported", "before", "elsewhere"]
UNKNOWN_TYPE = "unknown"


@dataclass(frozen=True, slots=True)
class TimeRange:
    """The runs that started from `start` on and before `end`."""

    start: str
    end: str


# The graph of columns, in Marquez's sense


@dataclass(frozen=True, slots=True)
class ColumnInput:
    """A source that a column depends on; `field` None where nobody told which column of the dataset.

    `version` is that of a graph of versions. In another graph `read_version` is the one that the reporters' runs read;
    None where they read several.
    """

    dataset: DatasetId
    field: FieldPath | None
    transformations: tuple[Transformation, ...] = ()
    version: str | None = None
    read_version: str | None = None


@dataclass(frozen=True, slots=True)
class Reporter:
    """The run that told of a column, and the version that it made; `declared`: no run, but a Job- or DatasetEvent."""

    run: RunKey
    job: JobId | None
    version: str | None
    declared: bool = False


@dataclass(frozen=True, slots=True)
class ColumnNode:
    """A node: `inputs` are all columns that it is made of, `dependencies` what its dataset as a whole depends on.

    `outputs` are the columns made of it, as far as they were asked for. `version` is set on nodes of a graph of
    versions, each of which stands for that version of its dataset. `type` is `unknown` where nothing tells it;
    `schema_known`: a schema facet tells the dataset's columns.
    """

    dataset: DatasetId
    field: FieldPath
    version: str | None = None
    type: str = UNKNOWN_TYPE
    schema_known: bool = False
    inputs: tuple[ColumnInput, ...] = ()
    dependencies: tuple[ColumnInput, ...] = ()
    outputs: tuple[ColumnInput, ...] = ()
    reporters: tuple[Reporter, ...] = ()
    stale: bool = False
    last_written_by: LastWriter | None = None
    # True if only its id is shown: a neighbour in a namespace that the caller may not see.
    outline: bool = False


@dataclass(frozen=True, slots=True)
class ColumnGraph:
    """Columns, each once (each of its versions, in a graph of versions), nearest to what was asked first."""

    columns: tuple[ColumnNode, ...]
    truncated: bool = False


# Runs of a time range, in CDAP's sense


@dataclass(frozen=True, slots=True)
class FieldMapping:
    """Which fields of a source went into which of a destination; no pairs where no run told of any."""

    source: DatasetId
    destination: DatasetId
    pairs: tuple[tuple[FieldPath, FieldPath], ...]


@dataclass(frozen=True, slots=True)
class Mappings:
    """Mappings by (source, destination), both directions; `truncated`: there was more."""

    items: tuple[FieldMapping, ...]
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class DetailNode:
    """A field at a point of its way: `id` is `<origin>.<field>`; the endpoint it was read from or written to.

    Descriptions of endpoints, here and below, are those of the newest run that took the way.
    """

    id: str
    label: str
    source: DatasetId | None = None
    destination: DatasetId | None = None
    source_description: str | None = None
    destination_description: str | None = None


@dataclass(frozen=True, slots=True)
class DetailOperation:
    """An operation on a field's way."""

    name: str
    description: str | None = None


@dataclass(frozen=True, slots=True)
class Connection:
    """That an operation made one node of another."""

    origin: str
    destination: str
    operation: str


@dataclass(frozen=True, slots=True)
class Detail:
    """A field's way through the operations of one level, in one direction or both."""

    nodes: tuple[DetailNode, ...] = ()
    operations: tuple[DetailOperation, ...] = ()
    connections: tuple[Connection, ...] = ()
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class PathOperation:
    """An operation of a path: names of the fields that it took and made; `source` is what a read read."""

    name: str
    description: str | None
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    source: DatasetId | None = None
    source_description: str | None = None


@dataclass(frozen=True, slots=True)
class SimpleEdge:
    """A source field that went into the field, and the names of the operations on the way, in their order."""

    source: DatasetId
    field: FieldPath
    operations: tuple[str, ...]
    source_description: str | None = None


@dataclass(frozen=True, slots=True)
class FieldOperationPath:
    """One way in which a field was made, as operations and as edges, and the runs that took it, newest first.

    `destination` is the field's endpoint.

    `nodes` and `connections` are the detailed view: every field on the way, and the operation that made one of another.
    """

    operations: tuple[PathOperation, ...]
    edges: tuple[SimpleEdge, ...]
    runs: tuple[str, ...]
    nodes: tuple[DetailNode, ...] = ()
    connections: tuple[Connection, ...] = ()
    destination: DatasetId | None = None
    destination_description: str | None = None


@dataclass(frozen=True, slots=True)
class FieldOperationPaths:
    """The distinct ways in which a field was made, that of the newest run first."""

    items: tuple[FieldOperationPath, ...]
    truncated: bool = False


# Reports


@dataclass(frozen=True, slots=True)
class ReportedRun:
    """A run that a report names; what a Job- or DatasetEvent declared has no state."""

    key: RunKey
    started: str
    state: State | None

    @property
    def id(self) -> str:
        """Its id."""
        return self.key.id


@dataclass(frozen=True, slots=True)
class Use:
    """A use of the field by the runs of one job that reported the same: so many, of which the newest are named.

    READ: it read it (`fields`: what it made of it; not `known`: what it may have made of it). WRITE: it wrote it, of
    `fields`. CREATE: it wrote it of nothing. DELETE: it dropped it, or what it made of it. A field that is a dataset
    alone stands for columns that the run did not report.
    """

    kind: Literal["CREATE", "READ", "WRITE", "DELETE"]
    job: JobId | None
    first: str
    last: str
    count: int
    states: tuple[tuple[State, int], ...]
    runs: tuple[ReportedRun, ...]
    fields: tuple[ColumnSource, ...] = ()
    operations: tuple[str, ...] = ()
    known: bool = True


@dataclass(frozen=True, slots=True)
class Flow:
    """A column that the field flowed into, in so many `hops`; `direct` if on some way no step was merely indirect.

    `masked`: on every way some step masked it. `certain`: on some way all columns were reported; else it may have come
    there, and a dataset without a field stands for columns that no run reported. `status`: whether the column (or such
    a dataset) is there now, was dropped since (it, its dataset), or its dataset's columns are not known. `failed`: on
    every way some step was reported by failed runs alone, so that it may never have come there.
    """

    column: ColumnSource
    hops: int
    direct: bool
    masked: bool
    certain: bool
    failed: bool
    status: Literal["alive", "dropped", "unknown"]
    jobs: tuple[JobId, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """How a field was consumed in a time range (the report of FLL-1)."""

    column: Column
    window: TimeRange
    uses: tuple[Use, ...]
    flows: tuple[Flow, ...]
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class TrueSource:
    """A column at which the way up ends, and why; at the reported column itself after no hops.

    raw: no run that started before the range's end wrote it. generated: runs made it of nothing. unreported: runs wrote
    it and did not report of which columns. before: its last writer started before the range. elsewhere: it is in a
    namespace that the caller may not see, which only a strict deployment tells. `runs` and `jobs` are
    those that are the reason, newest first; `reads` the datasets that the runs without a report read.
    """

    column: Column
    hops: int
    direct: bool
    masked: bool
    reason: Reason
    jobs: tuple[JobId, ...] = ()
    runs: tuple[str, ...] = ()
    reads: tuple[DatasetId, ...] = ()


@dataclass(frozen=True, slots=True)
class LineageStep:
    """One step of the way: which column went into which, by which operations, told by which jobs and runs."""

    source: Column
    destination: Column
    transformations: tuple[Transformation, ...]
    operations: tuple[str, ...]
    jobs: tuple[JobId, ...]
    runs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a field came from in a time range (the report of FLL-2)."""

    column: Column
    window: TimeRange
    sources: tuple[TrueSource, ...]
    steps: tuple[LineageStep, ...]
    truncated: bool = False


# From a column down to records


@dataclass(frozen=True, slots=True)
class Origin:
    """A version of a column's dataset: the run that made it, and the record roots that the run reported.

    Where it reported none, they are those of the run that started it; `reported_by` is the run that they are of.
    """

    version: str
    run: Run | None
    roots: tuple[str, ...]
    reported_by: str | None = None


@dataclass(frozen=True, slots=True)
class Origins:
    """A column, and the versions that its writers made last (or the one that was asked for)."""

    column: Column
    versions: tuple[Origin, ...]
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class ColumnHit:
    """A column whose name a search found, and when its dataset was last updated."""

    dataset: DatasetId
    field: FieldPath
    updated: str
