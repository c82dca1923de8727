"""News of the estate, as the feed has them: results of queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from headwater.facts.run_facts import State
from headwater_model.ids import DatasetId, JobId

NewsKind: TypeAlias = Literal["DATASET_NEW", "DATASET_DROPPED", "SCHEMA_CHANGED", "JOB_FAILS"]
KINDS: Sequence[NewsKind] = get_args(NewsKind)


@dataclass(frozen=True, slots=True)
class SchemaChange:
    """Fields by their paths with dots, in order: added and dropped ones with their type, retyped ones with both."""

    added: Sequence[tuple[str, str | None]] = ()
    dropped: Sequence[tuple[str, str | None]] = ()
    retyped: Sequence[tuple[str, str, str]] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """News of a dataset or a job, at the time of the event that says so.

    `job` and `run` sent the event; of a failing job they are the last run that failed. `run_state` is the state
    of that run. `event` is the hash of the event, where a certain one decides: it orders news of one time.
    """

    kind: NewsKind
    of: DatasetId | JobId
    time: str
    event: str = ""
    owners: tuple[str, ...] = ()
    job: JobId | None = None
    run: str | None = None
    run_state: State | None = None
    change: SchemaChange | None = None
    failed_runs: int | None = None

    @property
    def order(self) -> tuple[str, str, str, str]:
        """The sort key of news, the oldest first."""
        return self.time, self.event, self.kind, self.of.node_id
