"""A run as its facts have it: times are normalized (`times`), facets are as their producers sent them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from headwater.events.event import Facets, ParentRun
from headwater_model.ids import DatasetId, JobId, RunKey

State: TypeAlias = Literal["NEW", "RUNNING", "COMPLETED", "FAILED", "ABORTED"]
ResolvedBy: TypeAlias = Literal["storage", "parentRun", "time", "initial"]


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

    `job_version` is None until the run is done. A look-up by run id gives `other_jobs`: those of other runs with this
    id; `others_cut` if there are more than the look-up reads. `truncated`: the run read more than `inputs` shows.
    `incomplete`: its producer could not read all of its lineage.
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
    incomplete: bool = False

    @property
    def key(self) -> RunKey:
        """The run's identity."""
        return RunKey.of(self.job, self.id)
