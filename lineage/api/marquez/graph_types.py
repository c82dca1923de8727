"""JSON of graphs in Marquez's dialect, as types: its fields, and ours where the description says so.

They are written as `lineage.api.types` describes.
"""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field
from typing_extensions import TypedDict

from lineage.api.marquez.types import DatasetData, JobData, Resolved, Truncated
from lineage.api.types import OUTLINE, Edge, Time
from lineage.graph.entities import State


class JobNode(TypedDict):
    """A job in a graph."""

    id: str
    type: Literal["JOB"]
    data: Annotated[JobData | None, Field(description=OUTLINE)]
    inEdges: list[Edge]
    outEdges: list[Edge]


class DatasetNode(TypedDict):
    """A dataset in a graph."""

    id: str
    type: Literal["DATASET"]
    data: Annotated[DatasetData | None, Field(description=OUTLINE)]
    inEdges: list[Edge]
    outEdges: list[Edge]


Node: TypeAlias = Annotated[JobNode | DatasetNode, Field(discriminator="type")]


class Graph(TypedDict):
    """Nodes by id; each edge stands at both of its ends, in the direction of the data."""

    graph: list[Node]
    truncated: Truncated


class UpstreamJob(TypedDict):
    """The job of an upstream run, and its version."""

    namespace: str
    name: str
    version: str | None


class UpstreamState(TypedDict):
    """An upstream run's id, times and state."""

    id: str
    start: Time | None
    end: Time | None
    status: State


class UpstreamInput(TypedDict):
    """A dataset version that an upstream run read, and the run that wrote it."""

    namespace: str
    name: str
    version: str
    producedByRunId: str | None
    resolvedBy: Resolved


class UpstreamRun(TypedDict):
    """A run upstream of another."""

    job: UpstreamJob
    run: UpstreamState
    inputs: list[UpstreamInput]


class UpstreamRuns(TypedDict):
    """Runs upstream of a run."""

    runs: list[UpstreamRun]
    truncated: Truncated
