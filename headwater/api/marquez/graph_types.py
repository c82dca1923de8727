"""JSON of graphs in Marquez's dialect, as types: its fields, and ours where the description says so.

They are written as `headwater.api.types` describes.
"""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field
from typing_extensions import TypedDict

from headwater.api.marquez.types import DatasetData, JobData, Resolved, ShortDataset, ShortJob, Truncated
from headwater.api.types import OUTLINE, Count, Edge, Time
from headwater.facts.run_attempts import State


class More(TypedDict):
    """Ours: numbers of neighbours that are not in the response, on each side of a node."""

    up: Count
    down: Count
    exact: bool
    """False where more than 100 on a side were counted in the index: at most 3,000, deleted ones too."""


class Foldable(TypedDict, total=False):
    """A node that may be folded."""

    more: Annotated[More | None, Field(description="With `fold`; null where `data` is.")]


class PartsRead(TypedDict, total=False):
    """A node of a job that may have read another part of a dataset than was written."""

    readsOtherPartOf: Annotated[
        list[str],
        Field(
            description="Ours: datasets. The job's last run read other partitions or locations of them, by the facet "
            "`subset`, than all other jobs of the graph last wrote."
        ),
    ]


class NodeOfGraph(Foldable, PartsRead):
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


class ControlEdge(TypedDict):
    """An edge of control between two jobs, with the rules as the producer words them."""

    origin: str
    destination: str
    dependencyType: str | None
    sequenceTriggerRule: str | None
    statusTriggerRule: str | None


class Controlled(TypedDict, total=False):
    """A graph with the edges of control between its jobs."""

    dependencies: Annotated[list[ControlEdge], Field(description="Ours: with `dependencies`.")]


class Graph(Controlled):
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


class ShortGraph(Controlled):
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


class ChangingRun(TypedDict):
    """A run that changed a graph."""

    job: str
    """The node id of its job."""
    run: str | None
    """Null for a JobEvent."""


class ChangedNodes(TypedDict):
    """The ids of jobs and datasets that came and went."""

    added: list[str]
    removed: list[str]


class ChangedEdges(TypedDict):
    """Edges that came and went, in the direction of the data."""

    added: list[Edge]
    removed: list[Edge]


class SchemaColumn(TypedDict):
    """A column in the schema of a dataset."""

    dataset: str
    """The node id of the dataset."""
    name: str
    """A path of names with dots between them."""
    type: str | None


class RetypedColumn(SchemaColumn):
    """A column that got another type."""

    before: str | None


class ChangedColumns(TypedDict):
    """Columns that came and went, or got another type; of a dataset that comes or goes all are listed."""

    added: list[SchemaColumn]
    removed: list[SchemaColumn]
    retyped: list[RetypedColumn]


class GraphChange(TypedDict):
    """A change of a graph by the events of a time."""

    time: Time
    lineageAt: Time
    """The `lineageAt` of the graph just after the change."""
    runs: list[ChangingRun]
    """The runs that changed it; none where no run did, but a deletion or a DatasetEvent."""
    nodes: ChangedNodes
    edges: ChangedEdges
    columns: ChangedColumns


class GraphHistory(TypedDict):
    """The changes of the graph around a node, oldest first."""

    nodeId: str
    start: Time
    end: Time
    until: Time
    """The changes are all those before this time: `end`, or the `start` of a request for more."""
    truncated: bool
    """True if `until` is before `end`."""
    changes: Annotated[list[GraphChange], Field(max_length=100)]


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
