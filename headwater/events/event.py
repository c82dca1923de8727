"""An OpenLineage event, or a change made through the API, as the domain knows it; the models that check it are apart.

The API documents the bounds of events, and Spark jobs read facets, without these models and pydantic.
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

# The terminal types of a run cycle, and the states of a run that Marquez prints for them; of several in one attempt the
# last in this order decides (Spark's listener sends FAIL, then COMPLETE).
TERMINAL: Mapping[str, str] = {"COMPLETE": "COMPLETED", "ABORT": "ABORTED", "FAIL": "FAILED"}
WEIGHT: Mapping[str, int] = {state: weight for weight, state in enumerate(TERMINAL.values())}

# Events of a batch. A hundred calls of SQS: a second or two of the half minute that API Gateway waits.
EVENTS_MAX = 1000

# The facets by which a run may describe the jobs of its parent and root.
DESCRIBING = frozenset({"documentation", "ownership", "tags"})


def objects_in(facets: Facets, name: str, field: str) -> Sequence[Mapping[str, Any]]:
    """Return the objects in a list of a facet; none of a facet that is missing, or withdraws itself."""
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

    `time` is normalized (`times`): of an event its own, of a change when it was accepted. `hash` is the SHA-256 of the
    canonical JSON.
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
    are from the parent facet, which may describe their jobs by `parent_facets` and `root_facets` (of the names in
    `DESCRIBING`).
    `named` are the inputs and sources of columns that the sender may not describe (`rights`), `units` are what loading
    the event costs at most (`cost`).
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
        """The datasets that the event describes: its outputs, or that of a DatasetEvent."""
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
    """A tag that was set through the API, or taken away if it is not `present`.

    It is a job's, a dataset's or, with `field` (a path with dots), a field's. Without these it describes the tag.
    """

    tag: str
    field: str | None = None
    present: bool = True
    description: str | None = None
    caller: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ownership(_OfThing):
    """An owner that a job or a dataset was given through the API, or that was taken from it if it is not `present`.

    `type` is the kind of owner (MAINTAINER, ...).
    """

    owner: str
    type: str | None = None
    present: bool = True
    caller: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Documentation(_OfThing):
    """The description that a job, a dataset or, with `field`, a field was given through the API.

    Without a `description` that of the API is withdrawn: what events report is shown.
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
    """A namespace or a source as the API described it, in place of what was set before.

    `values` of a namespace are its owner and description, of a source its type, connection URL and description.
    """

    namespace: str | None = None
    source: str | None = None
    values: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Renaming(Statement):
    """Other names that are a dataset's own by the rules of names; `time` is the first event of any of them.

    It is in no log: a replay names datasets by the rules that are set when it runs.
    """

    dataset: DatasetId
    others: Sequence[DatasetId]


ApiChange: TypeAlias = Deletion | Tagging | Ownership | Documentation | Description
