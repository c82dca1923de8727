"""An OpenLineage event, or a change made through the API, as the domain knows it; the models that check it are apart.

The API documents the bounds of events, and Spark jobs read facets, without these models and pydantic.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from headwater_model.ids import DatasetId, JobId, RunKey
from headwater_model.named_datasets import is_deleted as is_deleted

Facets: TypeAlias = Mapping[str, Mapping[str, Any]]

# The terminal types of a run cycle, and the states of a run that Marquez prints for them; of several in one attempt the
# last in this order decides (Spark's listener sends FAIL, then COMPLETE).
TERMINAL: Mapping[str, str] = {"COMPLETE": "COMPLETED", "ABORT": "ABORTED", "FAIL": "FAILED"}
WEIGHT: Mapping[str, int] = {state: weight for weight, state in enumerate(TERMINAL.values())}

# Events of a batch. A hundred calls of SQS: a second or two of the half minute that API Gateway waits.
EVENTS_MAX = 1000

# The facets by which a run may describe the jobs of its parent and root.
DESCRIBING = frozenset({"documentation", "ownership", "tags"})


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
class Event:
    """An OpenLineage event: of a run if it has `run` and `job`, of a job if only `job`, of a dataset if `dataset`.

    `time` is normalized (`times`), `hash` the SHA-256 of the event's canonical JSON, `run` a normalized id
    (`ids.normalize_run_id`), `type` in upper case (None if missing). `parent` and `root` are from the parent facet,
    which may describe their jobs by `parent_facets` and `root_facets` (of the names in `DESCRIBING`).
    `named` are the inputs and sources of columns that the sender may not describe (`rights`), `units` are what loading
    the event costs at most (`cost`).
    """

    kind: Literal["RUN", "JOB", "DATASET"]
    time: str
    hash: str
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Tagging:
    """A tag that was set through the API, or taken away if it is not `present`; `time` is when it was accepted.

    It is a job's, a dataset's or, with `field` (a path with dots), a field's. Without these it describes the tag.
    """

    time: str
    hash: str
    tag: str
    job: JobId | None = None
    dataset: DatasetId | None = None
    field: str | None = None
    present: bool = True
    description: str | None = None
    caller: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ownership:
    """An owner that a job or a dataset was given through the API, or that was taken from it if it is not `present`.

    `time` is when it was accepted, `type` the kind of owner (MAINTAINER, ...).
    """

    time: str
    hash: str
    owner: str
    type: str | None = None
    job: JobId | None = None
    dataset: DatasetId | None = None
    present: bool = True
    caller: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Documentation:
    """The description that a job, a dataset or, with `field`, a field was given through the API.

    `time` is when it was accepted. Without a `description` that of the API is withdrawn: what events report is shown.
    """

    time: str
    hash: str
    description: str | None = None
    job: JobId | None = None
    dataset: DatasetId | None = None
    field: str | None = None
    caller: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """A namespace or a source as the API described it, in place of what was set before; `time` is when it was accepted.

    `values` of a namespace are its owner and description, of a source its type, connection URL and description.
    """

    time: str
    hash: str
    namespace: str | None = None
    source: str | None = None
    values: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deletion:
    """A deletion of a job, a dataset, or a namespace with its jobs and datasets; `time` is when it was accepted."""

    time: str
    hash: str
    namespace: str
    job: JobId | None = None
    dataset: DatasetId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Renaming:
    """Other names that are a dataset's own by the rules of names; `time` is the first event of any of them.

    It is in no log: a replay names datasets by the rules that are set when it runs.
    """

    time: str
    hash: str
    dataset: DatasetId
    others: Sequence[DatasetId]


ApiChange: TypeAlias = Deletion | Tagging | Ownership | Documentation | Description
