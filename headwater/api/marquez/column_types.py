"""JSON of columns in Marquez's dialect, as types: its fields, and ours where the description says so.

They are written as `headwater.api.types` describes.
"""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field
from typing_extensions import TypedDict

from headwater.api.types import OUTLINE, BriefRun, Edge, Id, LastWriter, Transformation

FieldName: TypeAlias = Annotated[str, Field(description="A path of names with dots between them.")]
Path: TypeAlias = Annotated[str | None, Field(description="A path of this API.")]
MoreThanHolds: TypeAlias = Annotated[
    bool, Field(description="Ours: true if there was more than a response holds or a request may read.")
]


class SourceField(TypedDict):
    """A column that another comes from."""

    namespace: str
    name: str
    """The dataset, as Marquez's column-endpoint proposal calls it."""
    dataset: str
    """The same, as Marquez calls it."""
    datasetVersion: str | None
    """Of a graph of versions, else that which the runs read that reported this source; null if they read several."""
    field: str | None
    """A path of names with dots between them."""
    transformationDescription: Annotated[str | None, Field(deprecated=True)]
    transformationType: Annotated[str | None, Field(deprecated=True)]
    """IDENTITY, MASKED, or a producer's own word; null where `transformations` say more than that."""
    transformations: list[Transformation]
    """Ours: as OpenLineage has them."""


class Deprecated(TypedDict):
    """The transformation of a column as one word and one text."""

    transformationDescription: Annotated[str | None, Field(deprecated=True)]
    transformationType: Annotated[
        str | None,
        Field(
            deprecated=True,
            description="IDENTITY, MASKED, or a producer's own word; null where `transformations` say more than that.",
        ),
    ]


class ColumnLineage(Deprecated):
    """A column and the columns that it comes from."""

    name: str
    """A path of names with dots between them."""
    inputFields: list[SourceField]


class ReporterLinks(TypedDict):
    """Paths to the version that a run made, and to the run."""

    version: Path
    run: Path


class Reporter(TypedDict):
    """A run that reported a column."""

    run: str
    job: Id | None
    version: str | None
    declared: bool
    """By a Job- or DatasetEvent: `run` is an id derived from it, no run has it."""
    links: ReporterLinks


class ColumnLinks(TypedDict):
    """Paths from a column to its dataset, version, run and origins."""

    dataset: Path
    version: Path
    run: Path
    origins: Path


class ColumnData(Deprecated):
    """The `data` of a column's node."""

    namespace: str
    name: str
    """The dataset, as Marquez's column-endpoint proposal calls it."""
    dataset: str
    """The same, as Marquez calls it."""
    datasetVersion: str | None
    """Of a graph of versions, else that which the one run made that reported the column."""
    field: FieldName
    fieldType: str
    """`unknown` where no schema and no operation has it."""
    type: str
    """The same, as Marquez's column-endpoint proposal calls it."""
    inputFields: list[SourceField]
    datasetDependencies: list[SourceField]
    """Ours: datasets that this column comes from, of which no column was reported: `field` is null.
    What the dataset as a whole depends on stands once, in `datasets` beside `graph`."""
    schemaKnown: bool
    """Ours: a schema facet names the dataset's columns."""
    stale: bool
    """Ours: no job writes the dataset any more."""
    lastWrittenBy: LastWriter | None
    """Ours: the run that last wrote the dataset, where it is stale."""
    reportedBy: list[Reporter]
    """Ours: the runs that reported the column."""
    links: ColumnLinks
    """Ours: where to go on; a run where one alone reported the column."""


class ColumnNode(TypedDict):
    """A column in a graph."""

    id: str
    type: Literal["DATASET_FIELD"]
    data: Annotated[ColumnData | None, Field(description=OUTLINE)]
    inEdges: list[Edge]
    """From this node to what it is made of."""
    outEdges: list[Edge]
    """To what is made of it; with `withDownstream`."""


class DependentDataset(TypedDict):
    """A dataset that depends on something as a whole."""

    id: str
    namespace: str
    name: str
    datasetVersion: str | None
    datasetDependencies: list[SourceField]
    """The columns that all of its columns depend on (joins, filters); `field` is null where no column was reported."""


class ColumnGraph(TypedDict):
    """Nodes by id; each has its inputs and edges in full. Edges begin at the node that has them."""

    graph: list[ColumnNode]
    datasets: list[DependentDataset]
    """Ours: the datasets of these nodes that depend on something as a whole."""
    truncated: MoreThanHolds


class OriginField(TypedDict):
    """The column that a request is about."""

    id: str
    namespace: str
    name: str
    """The dataset, as Marquez's column-endpoint proposal calls it."""
    dataset: str
    """The same, as Marquez calls it."""
    field: FieldName


class RecordRoot(TypedDict):
    """A root of records, and the path to it."""

    rootId: str
    href: Path


class Origin(TypedDict):
    """A version of the column's dataset, its run, and the record roots that the run reported."""

    version: str
    run: BriefRun | None
    links: ReporterLinks
    roots: list[RecordRoot]
    rootsReportedBy: str | None


class Origins(TypedDict):
    """Versions of a column's dataset, down to record roots.

    `roots` are the record roots that the run reported or, where it reported none, the run that started it (a captured
    write's application); `rootsReportedBy` is the run that they are of.
    """

    field: OriginField
    versions: list[Origin]
    truncated: MoreThanHolds
