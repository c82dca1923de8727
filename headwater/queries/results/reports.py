"""Results of reports: the use, impact and true sources of columns; times are as in `headwater.times`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from headwater.events.event import State
from headwater.facts.annotations import Tag
from headwater.queries.results.columns import TimeRange
from headwater.queries.results.entities import Dataset, Job
from headwater_model.columns import Column, ColumnSource, Transformation
from headwater_model.ids import DatasetId, JobId, RunKey

Reason: TypeAlias = Literal["raw", "generated", "unreported", "before", "elsewhere"]


@dataclass(frozen=True, slots=True)
class ReportedRun:
    """A run in a report; a Job- or DatasetEvent has no state."""

    key: RunKey
    started: str
    state: State | None

    @property
    def id(self) -> str:
        """The run's id."""
        return self.key.id


@dataclass(frozen=True, slots=True)
class Use:
    """A use of the field by `count` runs of a job with equal reports; `runs` names the newest.

    READ: the runs read the field and derived `fields` (not `known`: may have derived them). WRITE: they derived the
    field from `fields`. CREATE: they wrote it without sources. DELETE: they dropped it or its derived fields. A dataset
    without a field stands for unreported columns.
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
    """A column downstream of the field, `hops` steps away; `direct` if a path has only direct steps.

    `masked`: every path has a masking step. `certain`: a path has only reported columns; else the flow is possible, and
    a dataset without a field stands for unreported columns. `status`: the column (or such a dataset) exists, was
    dropped since (itself or its dataset), or its dataset's columns are unknown. `failed`: every path has a step
    reported by failed runs alone: the flow may never have happened.
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
    """A report on the uses and flows of a field in a time range."""

    column: Column
    time_range: TimeRange
    uses: tuple[Use, ...]
    flows: tuple[Flow, ...]
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class ImpactedColumn:
    """A column derived from the start, `hops` steps away, by the columns `through`, one step nearer.

    `direct` if a path has only direct steps; `masked` if every path has a masking step. `jobs` report the steps.
    `outline`: the caller may see its id alone.
    """

    column: Column
    hops: int
    through: tuple[Column, ...]
    direct: bool
    masked: bool
    type: str | None = None
    jobs: tuple[JobId, ...] = ()
    outline: bool = False


@dataclass(frozen=True, slots=True)
class ImpactedNode:
    """A job that writes derived columns, or a dataset with derived columns: `hops` and `through` of the nearest.

    Not `certain`: the job read the columns `through`, and did not report the columns of its output.
    """

    node: Job | Dataset
    hops: int
    through: tuple[Column, ...]
    direct: bool
    masked: bool
    certain: bool


@dataclass(frozen=True, slots=True)
class ColumnImpact:
    """Everything derived from a column now, nearest first."""

    column: Column
    columns: tuple[ImpactedColumn, ...]
    nodes: tuple[ImpactedNode, ...]
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class TaggedColumn:
    """A column with a tag, of its own or of its dataset; without a field, a dataset whose columns are unknown."""

    column: ColumnSource
    tags: tuple[Tag, ...]


@dataclass(frozen=True, slots=True)
class TagUsage:
    """The columns with a tag, and the unmasked columns derived from them by runs of a time range."""

    tag: str
    time_range: TimeRange
    columns: tuple[TaggedColumn, ...]
    flows: tuple[Flow, ...]
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class TrueSource:
    """A column at the end of an upstream path, and the reason; the reported column itself has no hops.

    raw: no run that started before the range's end wrote it. generated: runs wrote it without sources. unreported: runs
    wrote it without reporting its sources. before: its last writer started before the range. elsewhere: its namespace
    is hidden from the caller (in strict deployments). `runs` and `jobs` cause the end, newest first; `reads` are the
    datasets read by the runs without a report.
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
    """A step from a source column to a destination, with its operations and the reporting jobs and runs."""

    source: Column
    destination: Column
    transformations: tuple[Transformation, ...]
    operations: tuple[str, ...]
    jobs: tuple[JobId, ...]
    runs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Provenance:
    """A report on the provenance of a field in a time range."""

    column: Column
    time_range: TimeRange
    sources: tuple[TrueSource, ...]
    steps: tuple[LineageStep, ...]
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class SchemaChange:
    """Fields by their paths with dots, in order: added and dropped fields with their type, retyped fields with both."""

    added: Sequence[tuple[str, str | None]] = ()
    dropped: Sequence[tuple[str, str | None]] = ()
    retyped: Sequence[tuple[str, str, str]] = ()
