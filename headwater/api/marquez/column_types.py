"""JSON of columns, as types in the form of `headwater.api.types`; a description marks our own fields."""

from typing import Annotated, Literal, TypeAlias

from typing_extensions import TypedDict

from headwater.api.schema import Schema
from headwater.api.types import OUTLINE, BriefRun, Edge, Id, LastWriter, Transformation

FieldName: TypeAlias = Annotated[str, Schema(description="A path of names with dots between them.")]
Path: TypeAlias = Annotated[str | None, Schema(description="A path of this API.")]
MoreThanHolds: TypeAlias = Annotated[
    bool, Schema(description="Ours: true if there was more than a response holds or a request may read.")
]


class SourceField(TypedDict):
    """A source of a column."""

    namespace: str
    name: str
    """The dataset, as Marquez's column-endpoint proposal calls it."""
    dataset: str
    """The same, as Marquez calls it."""
    datasetVersion: str | None
    """Of a graph of versions, else the version read by the source's reporters; null for several versions."""
    field: str | None
    """A path of names with dots between them."""
    transformationDescription: Annotated[str | None, Schema(deprecated=True)]
    transformationType: Annotated[str | None, Schema(deprecated=True)]
    """IDENTITY, MASKED, or a producer's own word; null if `transformations` say more."""
    transformations: list[Transformation]
    """Ours: as OpenLineage has them."""


class Deprecated(TypedDict):
    """The transformation of a column as a word and a text."""

    transformationDescription: Annotated[str | None, Schema(deprecated=True)]
    transformationType: Annotated[
        str | None,
        Schema(
            deprecated=True,
            description="IDENTITY, MASKED, or a producer's own word; null where `transformations` say more than that.",
        ),
    ]


class ColumnLineage(Deprecated):
    """A column and its sources."""

    name: str
    """A path of names with dots between them."""
    inputFields: list[SourceField]


class ReporterLinks(TypedDict):
    """Paths to a run's version, and to the run."""

    version: Path
    run: Path


class Reporter(TypedDict):
    """A run that reported a column."""

    run: str
    job: Id | None
    version: str | None
    declared: bool
    """By a Job- or DatasetEvent: `run` is a derived id, without a run."""
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
    """Of a graph of versions, else the version of the column's single reporter."""
    field: FieldName
    fieldType: str
    """`unknown` without a type by a schema or an operation."""
    type: str
    """The same, as Marquez's column-endpoint proposal calls it."""
    inputFields: list[SourceField]
    datasetDependencies: list[SourceField]
    """Ours: source datasets of this column without a known column: `field` is null. Dependencies of the dataset as a
    whole stand once, in `datasets` beside `graph`."""
    schemaKnown: bool
    """Ours: a schema facet names the dataset's columns."""
    schemaPlace: int | None
    """Ours: the place of the column in the schema, from 1; of a field in a struct, of the struct."""
    stale: bool
    """Ours: no job writes the dataset any more."""
    lastWrittenBy: LastWriter | None
    """Ours: the last run to write the dataset, if it is stale."""
    reportedBy: list[Reporter]
    """Ours: the runs that reported the column."""
    links: ColumnLinks
    """Ours: paths to continue; to a run, if a single run reported the column."""


class ColumnNode(TypedDict):
    """A column in a graph."""

    id: str
    type: Literal["DATASET_FIELD"]
    data: Annotated[ColumnData | None, Schema(description=OUTLINE)]
    inEdges: list[Edge]
    """From this node to its sources."""
    outEdges: list[Edge]
    """From its dependants to this node; with `withDownstream`."""


class DependentDataset(TypedDict):
    """A dataset with sources of all its rows."""

    id: str
    namespace: str
    name: str
    datasetVersion: str | None
    datasetDependencies: list[SourceField]
    """The columns that decide its rows (joins, filters); `field` is null for an unknown column."""


class ColumnGraph(TypedDict):
    """Nodes by id; each has its inputs and edges in full. Edges begin at their node."""

    graph: list[ColumnNode]
    datasets: list[DependentDataset]
    """Ours: the nodes' datasets with sources of all their rows."""
    truncated: MoreThanHolds


class OriginField(TypedDict):
    """The requested column."""

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
    """A version of the column's dataset, its run, and the run's record roots."""

    version: str
    run: BriefRun | None
    links: ReporterLinks
    roots: list[RecordRoot]
    rootsReportedBy: str | None


class Origins(TypedDict):
    """Versions of a column's dataset, down to record roots.

    `roots` are the record roots of the run or, without any, of its parent run (a captured write's application);
    `rootsReportedBy` is the run that reported them.
    """

    field: OriginField
    versions: list[Origin]
    truncated: MoreThanHolds
