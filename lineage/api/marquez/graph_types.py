"""JSON of graphs in Marquez's dialect, as types: its fields, and ours where the description says so.

They are written as `lineage.api.types` describes.
"""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field
from typing_extensions import TypedDict

from lineage.api.marquez.types import DatasetData, JobData, Resolved, ShortDataset, ShortJob, Truncated
from lineage.api.types import OUTLINE, Count, Edge, Time
from lineage.graph.entities import State


class More(TypedDict):
    """Ours: numbers of neighbours that are not in the response, on each side of a node."""

    up: Count
    down: Count
    exact: bool
    """False where more than 100 on a side were counted in the index: at most 3,000, deleted ones too."""


class Foldable(TypedDict, total=False):
    """A node that may be folded."""

    more: Annotated[More | None, Field(description="With `fold`; null where `data` is.")]


class NodeOfGraph(Foldable):
    """A node with its edges."""

    id: str
    inEdges: list[Edge]
    outEdges: list[Edge]


class JobNode(NodeOfGraph):
    """A job in a graph."""

    type: Literal["JOB"]
    data: Annotated[JobData | None, Field(description=OUTLINE)]


class DatasetNode(NodeOfGraph):
    """A dataset in a graph."""

    type: Literal["DATASET"]
    data: Annotated[DatasetData | None, Field(description=OUTLINE)]


Node: TypeAlias = Annotated[JobNode | DatasetNode, Field(discriminator="type")]


class Graph(TypedDict):
    """Nodes by id; each edge stands at both of its ends, in the direction of the data."""

    graph: list[Node]
    truncated: Truncated


class ShortJobNode(NodeOfGraph):
    """A job in a graph, in short."""

    type: Literal["JOB"]
    data: Annotated[ShortJob | None, Field(description=OUTLINE)]


class ShortDatasetNode(NodeOfGraph):
    """A dataset in a graph, in short."""

    type: Literal["DATASET"]
    data: Annotated[ShortDataset | None, Field(description=OUTLINE)]


ShortNode: TypeAlias = Annotated[ShortJobNode | ShortDatasetNode, Field(discriminator="type")]


class ShortGraph(TypedDict):
    """A graph whose nodes are in short (`form=summary`)."""

    graph: list[ShortNode]
    truncated: Truncated


class JobNeighbour(TypedDict):
    """A job beside a dataset."""

    id: str
    type: Literal["JOB"]
    data: Annotated[ShortJob | None, Field(description=OUTLINE)]


class DatasetNeighbour(TypedDict):
    """A dataset beside a job."""

    id: str
    type: Literal["DATASET"]
    data: Annotated[ShortDataset | None, Field(description=OUTLINE)]


Neighbour: TypeAlias = Annotated[JobNeighbour | DatasetNeighbour, Field(discriminator="type")]


class Neighbours(TypedDict):
    """A page of the neighbours on one side of a node."""

    neighbours: list[Neighbour]
    cursor: str | None
    """Of the next page; null after the last one."""


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
