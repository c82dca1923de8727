"""Results of queries about jobs and datasets: times are normalized (`times`), facets are as their producers sent them.

The exception is `headwater_operations`, in canonical order. Graphs leave out facets with reports of columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias, TypedDict

from typing_extensions import NotRequired

from headwater.events.event import Facets, ParentRun, State
from headwater.facts.annotations import NO_ANNOTATIONS, Annotations
from headwater.facts.assertions import AssertionCounts
from headwater.facts.run_facts import Run
from headwater_model.ids import DatasetId, JobId

Sort: TypeAlias = Literal["name", "updated_at"]
ChildSort: TypeAlias = Literal["name", "state"]
SearchSort: TypeAlias = Literal["name", "updated_at", "relevance"]


class _Limits(TypedDict, total=False):
    """Optional limits of a search: a namespace, and times of the last update (`after` included).

    `within` has words of the namespace.
    """

    namespace: str | None
    within: str
    before: str | None
    after: str | None


class SearchOptions(_Limits):
    """The order and length of a search's page, and its limits."""

    sort: SearchSort
    limit: int


class ListOptions(TypedDict):
    """Options of a list of datasets; `updated_before`: no event at this time or later."""

    sort: NotRequired[Sort]
    updated_before: NotRequired[str | None]
    in_short: NotRequired[bool]
    limit: int
    offset: int


@dataclass(frozen=True, slots=True)
class Namespace:
    """A namespace; `hidden` if it was deleted and nothing in it was mentioned since."""

    name: str
    created: str
    updated: str
    hidden: bool = False
    owner: str | None = None
    description: str | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """A source of datasets: its type (the scheme of its URL, unless the API set one) and its connection URL."""

    name: str
    type: str
    created: str
    updated: str
    url: str = ""
    description: str | None = None


_EPOCH = "1970-01-01T00:00:00.000000Z"
# The source of datasets without a named source.
DEFAULT_SOURCE = Source("default", "UNKNOWN", _EPOCH, _EPOCH)


@dataclass(frozen=True, slots=True)
class LastWriter:
    """The last writer of a dataset: a run, and its job."""

    job: JobId
    run: str
    ended: str


# The outcomes of failed tests.
Failure: TypeAlias = Literal["WARNED", "FAILED"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AssertionResult:
    """A result of a test of a dataset or, where the test names no dataset, of a job; texts as sent, long ones cut.

    `job` and `run` reported the result, at `time`.
    """

    of: DatasetId | JobId
    outcome: Literal["PASSED", "WARNED", "FAILED"]
    time: str
    type: str | None = None
    column: str | None = None
    name: str | None = None
    severity: str | None = None
    expected: str | None = None
    actual: str | None = None
    description: str | None = None
    job: JobId | None = None
    run: str | None = None


class DatasetTimes(NamedTuple):
    """The last write of a dataset by a run that did not fail, and the start of the last run to read it; None: never."""

    written: str | None = None
    read: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """A dataset. `fields` are the schema facet's fields as sent; `type` is Marquez's DB_TABLE or STREAM.

    `stale`: it has versions, but no job currently writes it; `last_written_by` names its last writer. Short lists alone
    have `times`.
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
    times: DatasetTimes | None = None
    annotations: Annotations = NO_ANNOTATIONS
    assertions: AssertionCounts | None = None
    # In a graph of versions: the version of this node.
    version: str | None = None
    # True if the id is shown alone: a neighbour in a namespace hidden from the caller.
    outline: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetVersion:
    """A version of a dataset: of its run, of a change of schema, or the initial version.

    `failed`: its run did not complete. Neither a failed version nor a version on a `branch` of the table was ever the
    current version. `annotations` are the dataset's, now.
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
    branch: str | None = None
    annotations: Annotations = NO_ANNOTATIONS


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job, with the inputs and outputs of its last run that reported any; `type` BATCH, STREAM or SERVICE.

    `flows` are pairs of an input and an output derived from it; None: each output is derived from all inputs.
    `incomplete`: the producer could not read everything done by the run with these inputs and outputs; of a job without
    any, by its last started run.
    """

    id: JobId
    type: str
    created: str
    updated: str
    inputs: tuple[DatasetId, ...] = ()
    outputs: tuple[DatasetId, ...] = ()
    flows: tuple[tuple[DatasetId, DatasetId], ...] | None = None
    incomplete: bool = False
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
    annotations: Annotations = NO_ANNOTATIONS
    assertions: AssertionCounts | None = None
    # In a graph of versions: the version of this node, and its runs in the graph.
    version: str | None = None
    runs: tuple[str, ...] = ()
    # As for a dataset.
    outline: bool = False


# The order of `sort=state`.
_URGENT: Sequence[State] = ("FAILED", "ABORTED", "RUNNING")


def urgency(job: Job) -> int:
    """Rank a job by the state of its last run: 0 is the most urgent."""
    state = job.latest_run.state if job.latest_run else None
    return _URGENT.index(state) if state in _URGENT else len(_URGENT)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobVersion:
    """A version of a job.

    `lineage_unknown`: its runs reported no datasets; its inputs and outputs come from the last run that reported any.
    """

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


def description_of(thing: Job | Dataset | DatasetVersion) -> str | None:
    """Choose the description from the API (`PUT .../description`); without it, the description from events."""
    return thing.annotations.text_of(None) or thing.description


def redacted_dataset(dataset: DatasetId, version: str | None = None) -> Dataset:
    """Make a dataset that shows its id alone: `Dataset(dataset, type="", ..., outline=True)`."""
    return Dataset(
        id=dataset, type="", created="", updated="", physical_name="", source_name="", version=version, outline=True
    )


def redacted_job(job: JobId, version: str | None = None) -> Job:
    """Make a job that shows its id alone."""
    return Job(id=job, type="", created="", updated="", version=version, outline=True)


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A job or dataset with a matching name."""

    id: DatasetId | JobId
    updated: str


# The last 24 hours by the hour, or the last 7 days by the day.
Period: TypeAlias = Literal["DAY", "WEEK"]


@dataclass(frozen=True, slots=True)
class Interval:
    """The time from `start` to before `end`, both normalized, with the numbers in it by name."""

    start: str
    end: str
    numbers: Mapping[str, int]
