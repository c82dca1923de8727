"""What questions about runs find: times as `times` keeps them, facets as their producers sent them.

But for one: operations (`headwater_operations`) stand in their canonical order. Graphs leave out facets that tell of
columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeAlias, TypedDict, TypeVar

from lineage.openlineage.event import Facets, ParentRun
from lineage_model.ids import DatasetId, JobId, RunKey

T = TypeVar("T")
State: TypeAlias = Literal["NEW", "RUNNING", "COMPLETED", "FAILED", "ABORTED"]
ResolvedBy: TypeAlias = Literal["storage", "parentRun", "time", "initial"]
Sort: TypeAlias = Literal["name", "updated_at"]


class _Limits(TypedDict, total=False):
    """Limits of a search that it may lack: a namespace, and times of the last update (`after` included)."""

    namespace: str | None
    before: str | None
    after: str | None


class SearchOptions(_Limits):
    """The order and length of a search's page, and its limits."""

    sort: Sort
    limit: int


@dataclass(frozen=True, slots=True)
class ResultPage(Generic[T]):
    """A page of a list; `total` counts the whole list, at least so many if `truncated`."""

    items: Sequence[T]
    total: int
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Namespace:
    """A namespace; `hidden` since it was deleted and nothing in it was heard of again."""

    name: str
    created: str
    updated: str
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class UsedVersion:
    """A dataset version that a run read or wrote; `facets` are the input or output facets of that use."""

    dataset: DatasetId
    version: str
    facets: Facets = field(default_factory=dict)
    resolved_by: ResolvedBy | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run. `started` is its first event's time, `ended` its last terminal event's; versions are resolved on demand.

    `job_version` is None until the run is done. `other_jobs` also claim this run id: jobs of its namespace, later than
    `job` did; if the run was looked up by its id, also the jobs of the runs that have it in other namespaces.
    `others_cut`: more namespaces than are looked at have this id.
    `truncated`: it read more than `inputs` shows.
    """

    id: str
    job: JobId
    state: State
    created: str
    updated: str
    started: str | None = None
    ended: str | None = None
    nominal_start: str | None = None
    nominal_end: str | None = None
    parent: ParentRun | None = None
    job_version: str | None = None
    inputs: tuple[UsedVersion, ...] = ()
    outputs: tuple[UsedVersion, ...] = ()
    facets: Facets = field(default_factory=dict)
    job_facets: Facets = field(default_factory=dict)
    other_jobs: tuple[JobId, ...] = ()
    others_cut: bool = False
    truncated: bool = False

    @property
    def key(self) -> RunKey:
        """Its identity."""
        return RunKey.of(self.job.namespace, self.id)


@dataclass(frozen=True, slots=True)
class LastWriter:
    """The run that last wrote a dataset, and the job it was a run of."""

    job: JobId
    run: str
    ended: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """A dataset. `fields` are the schema facet's fields as sent; `type` DB_TABLE or STREAM, as Marquez tells them.

    `stale`: it has versions, but no job that currently writes it; `last_written_by` names the run that did.
    """

    id: DatasetId
    type: str
    created: str
    updated: str
    physical_name: str
    source_name: str
    fields: Sequence[Mapping[str, Any]] = ()
    description: str | None = None
    last_modified: str | None = None
    lifecycle: str | None = None
    current_version: str | None = None
    facets: Facets = field(default_factory=dict)
    deleted: bool = False
    temporary: bool = False
    stale: bool = False
    last_written_by: LastWriter | None = None
    # The version that a node of a graph of versions stands for.
    version: str | None = None
    # True if only its id is shown: a neighbour in a namespace that the caller may not see.
    outline: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetVersion:
    """A version of a dataset: of the run that wrote it, of a change of schema, or the initial one.

    `failed`: its run did not complete, so it was never the current one.
    """

    dataset: DatasetId
    version: str
    created: str
    type: str
    physical_name: str
    source_name: str
    created_by: Run | None = None
    fields: Sequence[Mapping[str, Any]] = ()
    description: str | None = None
    lifecycle: str | None = None
    facets: Facets = field(default_factory=dict)
    failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job, with the inputs and outputs of its last run that told of any; `type` BATCH, STREAM or SERVICE."""

    id: JobId
    type: str
    created: str
    updated: str
    inputs: tuple[DatasetId, ...] = ()
    outputs: tuple[DatasetId, ...] = ()
    location: str | None = None
    description: str | None = None
    parent: ParentRun | None = None
    latest_run: Run | None = None
    latest_runs: tuple[Run, ...] = ()
    current_version: str | None = None
    lineage_unknown: bool = False
    labels: tuple[str, ...] = ()
    facets: Facets = field(default_factory=dict)
    hidden: bool = False
    # The version that a node of a graph of versions stands for, and its runs that are in the graph.
    version: str | None = None
    runs: tuple[str, ...] = ()
    # As that of a dataset.
    outline: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class JobVersion:
    """A version of a job; `lineage_unknown`: its runs told of no datasets, these are those last known before."""

    job: JobId
    version: str
    created: str
    updated: str
    inputs: tuple[DatasetId, ...] = ()
    outputs: tuple[DatasetId, ...] = ()
    location: str | None = None
    code_version: str | None = None
    latest_run: Run | None = None
    lineage_unknown: bool = False


def outline_dataset(dataset: DatasetId, version: str | None = None) -> Dataset:
    """Return a dataset of which only the id is shown."""
    return Dataset(
        id=dataset, type="", created="", updated="", physical_name="", source_name="", version=version, outline=True
    )


def outline_job(job: JobId, version: str | None = None) -> Job:
    """Return a job of which only the id is shown."""
    return Job(id=job, type="", created="", updated="", version=version, outline=True)


@dataclass(frozen=True, slots=True)
class Graph:
    """Jobs and datasets, each once, nearest first; edges as (from, to) pairs of node ids in the direction of data.

    `truncated`: more was within the asked depth than an answer may hold.
    """

    jobs: tuple[Job, ...]
    datasets: tuple[Dataset, ...]
    edges: tuple[tuple[str, str], ...]
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class UpstreamInput:
    """A dataset version that a run read, and the run that wrote it (None for one that no run wrote)."""

    dataset: DatasetId
    version: str
    produced_by: str | None
    resolved_by: ResolvedBy


@dataclass(frozen=True, slots=True)
class UpstreamRun:
    """A run upstream of the one that was asked for."""

    run: Run
    inputs: tuple[UpstreamInput, ...]


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A job or dataset whose name a search found."""

    id: DatasetId | JobId
    updated: str
