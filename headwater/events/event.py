"""OpenLineage events and changes through the API, as values of the domain.

Their checks are in `headwater_model.events` and `api_changes`. The API documents the bounds of events, and Spark jobs
read facets, without importing the checks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from headwater_model.ids import DatasetId, JobId, RunKey
from headwater_model.named_datasets import is_deleted as is_deleted

# A facet as its producer sent it, and facets by name.
Facet: TypeAlias = Mapping[str, Any]
Facets: TypeAlias = Mapping[str, Facet]

# The states of runs, as Marquez names them.
State: TypeAlias = Literal["NEW", "RUNNING", "COMPLETED", "FAILED", "ABORTED"]
# The terminal types of a run cycle, and their states. Of several in an attempt the last in this order
# decides (Spark's listener sends FAIL, then COMPLETE).
TERMINAL: Mapping[str, State] = {"COMPLETE": "COMPLETED", "ABORT": "ABORTED", "FAIL": "FAILED"}
WEIGHT: Mapping[str, int] = {state: weight for weight, state in enumerate(TERMINAL.values())}

# Events of a batch. A hundred calls of SQS take a second or two of API Gateway's half minute.
EVENTS_MAX = 1000

# The facets by which a run may describe the jobs of its parent and root.
DESCRIBING = frozenset({"documentation", "ownership", "tags"})


def objects_in(facets: Facets, name: str, field: str) -> Sequence[Mapping[str, Any]]:
    """List the objects in a list of a facet; none if the facet is missing or deleted.

    >>> objects_in({"ownership": {"owners": [{"name": "ann"}, None]}}, "ownership", "owners")
    [{'name': 'ann'}]
    """
    facet = facets.get(name, {})
    sent = None if is_deleted(facet) else facet.get(field)
    return [item for item in sent if isinstance(item, dict)] if isinstance(sent, list) else ()


@dataclass(frozen=True, slots=True)
class DatasetUse:
    """A dataset as an event mentions it.

    `facets` describe the dataset, `use_facets` this use of it (`inputFacets`, `outputFacets`); `temporary` marks a name
    of private storage.
    """

    dataset: DatasetId
    facets: Facets = field(default_factory=dict)
    use_facets: Facets = field(default_factory=dict)
    temporary: bool = False


@dataclass(frozen=True, slots=True)
class ParentRun:
    """The run that started a run, with its job."""

    run: str
    job: JobId

    @property
    def key(self) -> RunKey:
        """Its identity."""
        return RunKey.of(self.job, self.run)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """An event, or a change made through the API.

    `time` is normalized (`times`): an event's own time, or the time at which a change was accepted. `hash` is the
    SHA-256 of the canonical JSON.
    """

    time: str
    hash: str

    @property
    def stamp(self) -> str:
        """The order among statements: `<time>#<hash>`."""
        return f"{self.time}#{self.hash}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event(Statement):
    """An OpenLineage event: of a run if it has `run` and `job`, of a job if only `job`, of a dataset if `dataset`.

    `run` is a normalized id (`ids.normalize_run_id`), `type` is in upper case (None if missing). `parent` and `root`
    are from the parent facet; it may describe their jobs by `parent_facets` and `root_facets` (`DESCRIBING`). `named`
    are the inputs and sources of columns that the sender may not describe (`rights`). `units` is the highest cost of
    loading the event (`cost`).
    """

    kind: Literal["RUN", "JOB", "DATASET"]
    type: str | None = None
    run: str | None = None
    job: JobId | None = None
    dataset: DatasetUse | None = None
    inputs: tuple[DatasetUse, ...] = ()
    outputs: tuple[DatasetUse, ...] = ()
    run_facets: Facets = field(default_factory=dict)
    job_facets: Facets = field(default_factory=dict)
    parent: ParentRun | None = None
    root: ParentRun | None = None
    parent_facets: Facets = field(default_factory=dict)
    root_facets: Facets = field(default_factory=dict)
    named: tuple[DatasetId, ...] = ()
    units: int = field(default=0, compare=False)

    @property
    def described(self) -> tuple[DatasetUse, ...]:
        """The datasets described by the event: its outputs, or the dataset of a DatasetEvent."""
        return self.outputs if self.dataset is None else (*self.outputs, self.dataset)

    @property
    def uses(self) -> tuple[DatasetUse, ...]:
        """Its inputs, its outputs, and the dataset of a DatasetEvent."""
        return (*self.inputs, *self.described)


@dataclass(frozen=True, slots=True, kw_only=True)
class _OfThing(Statement):
    """A change through the API of a job or a dataset."""

    job: JobId | None = None
    dataset: DatasetId | None = None

    @property
    def thing(self) -> JobId | DatasetId | None:
        """The job or the dataset; None if the change is of neither."""
        return self.job or self.dataset


@dataclass(frozen=True, slots=True, kw_only=True)
class Tagging(_OfThing):
    """A tag set through the API, or removed if it is not `present`.

    It is a tag of a job, a dataset or, with `field` (a path with dots), a field. Without them it describes the tag.
    """

    tag: str
    field: str | None = None
    present: bool = True
    description: str | None = None
    caller: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ownership(_OfThing):
    """An owner of a job or a dataset, set through the API, or removed if it is not `present`.

    `type` is the kind of owner (MAINTAINER, ...).
    """

    owner: str
    type: str | None = None
    present: bool = True
    caller: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Documentation(_OfThing):
    """A description of a job, a dataset or, with `field`, a field, set through the API.

    Without `description` it is withdrawn: the description of the events is shown again.
    """

    description: str | None = None
    field: str | None = None
    caller: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Deletion(_OfThing):
    """A deletion of a job, a dataset, or a namespace with its jobs and datasets."""

    namespace: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Description(Statement):
    """The values of a namespace or a source, set through the API in place of earlier values.

    `values` of a namespace are its owner and description, of a source its type, connection URL and description.
    """

    namespace: str | None = None
    source: str | None = None
    values: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessChange(Statement):
    """A grant to callers with a claim, or its end: a line of the log, without facts."""

    grantee: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Renaming(Statement):
    """Names that the rules of names join with a dataset; `time` is the first event of any of them.

    It is in no log: a replay names datasets by the rules of its own time.
    """

    dataset: DatasetId
    others: Sequence[DatasetId]


ApiChange: TypeAlias = Deletion | Tagging | Ownership | Documentation | Description | AccessChange
