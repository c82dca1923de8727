"""JSON of graphs, as types in the form of `headwater.api.types`; a description marks our own fields."""

from typing import Annotated, Literal, TypeAlias

from typing_extensions import TypedDict

from headwater.api.marquez.types import DatasetData, JobData, Resolved, ShortDataset, ShortJob, Truncated
from headwater.api.schema import BY_TYPE, Schema
from headwater.api.types import OUTLINE, Count, Edge, Time
from headwater.events.event import State


class More(TypedDict):
    """Ours: numbers of neighbours outside the response, on each side of a node."""

    up: Count
    down: Count
    exact: bool
    """False if more than 100 on a side were counted in the index: at most 3,000, deleted neighbours too."""


class Foldable(TypedDict, total=False):
    """A node in a graph, perhaps folded."""

    more: Annotated[More | None, Schema(description="With `fold`; null where `data` is.")]
    tasks: Annotated[
        dict[State, Count],
        Schema(description="With `fold`, of the job in question: its tasks, shown or not, by state."),
    ]


class PartsRead(TypedDict, total=False):
    """A node of a job that perhaps read a different part of a dataset than was written."""

    readsOtherPartOf: Annotated[
        list[str],
        Schema(
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
    data: Annotated[JobData | None, Schema(description=OUTLINE)]


class DatasetNode(NodeOfGraph):
    """A dataset in a graph."""

    type: Literal["DATASET"]
    data: Annotated[DatasetData | None, Schema(description=OUTLINE)]


Node: TypeAlias = Annotated[JobNode | DatasetNode, BY_TYPE]


class ControlEdge(TypedDict):
    """An edge of control between two jobs, with the rules in the producer's words."""

    origin: str
    destination: str
    dependencyType: str | None
    sequenceTriggerRule: str | None
    statusTriggerRule: str | None


class Controlled(TypedDict, total=False):
    """A graph with the edges of control between its jobs."""

    dependencies: Annotated[list[ControlEdge], Schema(description="Ours: with `dependencies`.")]


class Graph(Controlled):
    """Nodes by id; each edge stands at both of its ends, in the direction of the data."""

    graph: list[Node]
    truncated: Truncated


class ShortJobNode(NodeOfGraph):
    """A job in a graph, in short."""

    type: Literal["JOB"]
    data: Annotated[ShortJob | None, Schema(description=OUTLINE)]


class ShortDatasetNode(NodeOfGraph):
    """A dataset in a graph, in short."""

    type: Literal["DATASET"]
    data: Annotated[ShortDataset | None, Schema(description=OUTLINE)]


ShortNode: TypeAlias = Annotated[ShortJobNode | ShortDatasetNode, BY_TYPE]


class ShortGraph(Controlled):
    """A graph with short nodes (`form=summary`)."""

    graph: list[ShortNode]
    truncated: Truncated


class JobNeighbour(TypedDict):
    """A job next to a dataset."""

    id: str
    type: Literal["JOB"]
    data: Annotated[ShortJob | None, Schema(description=OUTLINE)]


class DatasetNeighbour(TypedDict):
    """A dataset next to a job."""

    id: str
    type: Literal["DATASET"]
    data: Annotated[ShortDataset | None, Schema(description=OUTLINE)]


Neighbour: TypeAlias = Annotated[JobNeighbour | DatasetNeighbour, BY_TYPE]


class Neighbours(TypedDict):
    """A page of the neighbours on a side of a node."""

    neighbours: list[Neighbour]
    cursor: str | None
    """Of the next page; null after the last page."""


class ChangingRun(TypedDict):
    """A run that changed a graph."""

    job: str
    """The node id of its job."""
    run: str | None
    """Null for a JobEvent."""


class ChangedNodes(TypedDict):
    """The ids of jobs and datasets, new or gone."""

    added: list[str]
    removed: list[str]


class ChangedEdges(TypedDict):
    """Edges, new or gone, in the direction of the data."""

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
    """A column with a new type."""

    before: str | None


class ChangedColumns(TypedDict):
    """Columns, new, gone or with a new type; of a new or gone dataset all are listed."""

    added: list[SchemaColumn]
    removed: list[SchemaColumn]
    retyped: list[RetypedColumn]


class GraphChange(TypedDict):
    """A change of a graph by the events of a time."""

    time: Time
    lineageAt: Time
    """The `lineageAt` of the graph just after the change."""
    runs: list[ChangingRun]
    """The runs that changed it; empty for a deletion or a DatasetEvent."""
    nodes: ChangedNodes
    edges: ChangedEdges
    columns: ChangedColumns


class GraphHistory(TypedDict):
    """The changes of the graph around a node, oldest first."""

    nodeId: str
    start: Time
    end: Time
    until: Time
    """The changes are complete before this time: `end`, or the `start` of a request for more."""
    truncated: bool
    """True if `until` is before `end`."""
    changes: Annotated[list[GraphChange], Schema(maxItems=100)]


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
    """A dataset version read by an upstream run, and the run that wrote it."""

    namespace: str
    name: str
    version: str
    producedByRunId: str | None
    resolvedBy: Resolved


class UpstreamRun(TypedDict):
    """A run upstream of the requested run."""

    job: UpstreamJob
    run: UpstreamState
    inputs: list[UpstreamInput]


class UpstreamRuns(TypedDict):
    """Runs upstream of a run."""

    runs: list[UpstreamRun]
    truncated: Truncated
