"""Results of queries about graphs: of jobs and datasets, of their changes, and of runs upstream.

Directions are as the data flows: up to the sources of a thing, down to the things derived from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from headwater.events.event import State
from headwater.facts.run_facts import ResolvedBy, Run
from headwater.queries.results.entities import Dataset, Job
from headwater_model.ids import DatasetId, JobId

# The job and run behind a change of a graph; the run is None for a JobEvent.
Cause: TypeAlias = tuple[JobId, str | None]
# A side of a node; the directions of a walk; and the directions of a graph from its start. `both`: on both sides of
# every node; `through`: only up from the start, and only down from it.
Side: TypeAlias = Literal["up", "down"]
Direction: TypeAlias = Literal["up", "down", "both"]
GraphDirection: TypeAlias = Literal["up", "down", "both", "through"]
UP: Side = "up"
DOWN: Side = "down"
SIDES: Mapping[Direction, tuple[Side, ...]] = {"up": (UP,), "down": (DOWN,), "both": (UP, DOWN)}


@dataclass(frozen=True, slots=True)
class Degree:
    """The number of a node's neighbours on each side, shown or not; not `exact` if the index was counted."""

    up: int
    down: int
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Dependency:
    """An edge of control between two jobs, by their node ids, with the rules as the producer words them."""

    origin: str
    destination: str
    type: str | None = None
    sequence_rule: str | None = None
    status_rule: str | None = None


@dataclass(frozen=True, slots=True)
class Graph:
    """Jobs and datasets, each once, in the order of hops from the first; edges as pairs of node ids, as the data flows.

    `truncated`: more was within the requested depth than a response may hold. `degrees`: of a folded graph, by node
    id, without nodes that show their id alone. `dependencies`: edges of control between jobs; None if not requested.
    `tasks`: of a folded graph around a job, the number of the job's tasks by state. `other_part_reads`: edges from a
    dataset to a job whose last run read another part than the graph's jobs last wrote.
    """

    nodes: tuple[Job | Dataset, ...]
    edges: tuple[tuple[str, str], ...]
    truncated: bool = False
    degrees: Mapping[str, Degree] = field(default_factory=dict)
    dependencies: tuple[Dependency, ...] | None = None
    other_part_reads: tuple[tuple[str, str], ...] = ()
    tasks: Mapping[State, int] = field(default_factory=dict)

    @property
    def jobs(self) -> tuple[Job, ...]:
        """The jobs, nearest first."""
        return tuple(node for node in self.nodes if isinstance(node, Job))

    @property
    def datasets(self) -> tuple[Dataset, ...]:
        """The datasets, nearest first."""
        return tuple(node for node in self.nodes if isinstance(node, Dataset))


@dataclass(frozen=True, slots=True)
class Impacted:
    """A job or dataset downstream: `hops` edges away, by the nodes `through`, one hop nearer.

    `reads_other_part`: a job whose last run read other parts than the datasets' writers on the way last wrote.
    """

    node: Job | Dataset
    hops: int
    through: tuple[str, ...]
    reads_other_part: bool = False


@dataclass(frozen=True, slots=True)
class Impact:
    """Everything downstream of a node, nearest first, then by id."""

    node_id: str
    impacted: Sequence[Impacted]
    truncated: bool


@dataclass(frozen=True, slots=True)
class SchemaColumn:
    """A column in the schema of a dataset; `before` is the old type of a retyped column."""

    dataset: DatasetId
    name: str
    type: str | None
    before: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryStep:
    """A change of a graph by the events of a time; of an added or removed dataset, all columns are listed."""

    time: str
    causes: tuple[Cause, ...]
    added_nodes: tuple[str, ...]
    removed_nodes: tuple[str, ...]
    added_edges: tuple[tuple[str, str], ...]
    removed_edges: tuple[tuple[str, str], ...]
    added_columns: tuple[SchemaColumn, ...]
    removed_columns: tuple[SchemaColumn, ...]
    retyped_columns: tuple[SchemaColumn, ...]


@dataclass(frozen=True, slots=True)
class History:
    """The changes of a graph by events from `start` on and before `until`, oldest first."""

    until: str
    changes: Sequence[HistoryStep]


@dataclass(frozen=True, slots=True)
class UpstreamInput:
    """A dataset version read by a run, and its producer (None if no run wrote it)."""

    dataset: DatasetId
    version: str
    produced_by: str | None
    resolved_by: ResolvedBy


@dataclass(frozen=True, slots=True)
class UpstreamRun:
    """A run upstream of the requested run."""

    run: Run
    inputs: tuple[UpstreamInput, ...]
