"""JSON of the reports, as types. They are written as `headwater.api.types` describes."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field
from typing_extensions import TypedDict

from headwater.api.marquez.annotation_types import ReportedTag
from headwater.api.marquez.types import ShortDataset, ShortJob
from headwater.api.types import Count, Id, Positive, Time, Transformation
from headwater.queries.results.reports import Reason

Direct: TypeAlias = Annotated[
    bool, Field(description="On some path, no step was merely a condition (a join, a filter, a sort).")
]
Masked: TypeAlias = Annotated[bool, Field(description="On every path, some step masked it.")]
Operations: TypeAlias = Annotated[
    list[str], Field(description="What was done, as reported: of operations the names, in their order.")
]
Truncated: TypeAlias = Annotated[bool, Field(description="There was more than a request may read.")]


class ReportedColumn(TypedDict):
    """A column of a dataset."""

    dataset: Id
    field: str | None
    """A path of names with dots between them; null for columns of the dataset that no run reported."""


class Window(TypedDict):
    """The time range of a report."""

    start: Time
    end: Time


class ReportedRun(TypedDict):
    """A run that a report names."""

    id: str
    started: Time
    state: str | None
    """Null for what a Job- or DatasetEvent declared."""


class Use(TypedDict):
    """A use of the field by the runs of one job that reported the same."""

    kind: Literal["CREATE", "READ", "WRITE", "DELETE"]
    """READ: read it, and made `fields` of it. WRITE: wrote it, of `fields`. CREATE: wrote it of nothing. DELETE:
    dropped it, or what was made of it."""
    job: Id | None
    first: Time
    """The start of the first run."""
    last: Time
    """The start of the newest run."""
    count: Positive
    """The number of runs of the job that reported this."""
    states: dict[str, Positive]
    """The number of runs in each state; declared runs have none."""
    runs: list[ReportedRun]
    """The newest ten, newest first."""
    fields: list[ReportedColumn]
    """The derived fields of a READ, the source fields of a WRITE; possible ones if the use is not `known`."""
    operations: Operations
    known: bool
    """True if the run reported which fields it used."""


class Flow(TypedDict):
    """A column that the field flowed into."""

    column: ReportedColumn
    hops: Count
    direct: Direct
    masked: Masked
    certain: bool
    """On some path, every run reported which columns it took and made."""
    failed: bool
    """On every path, some step was reported by runs that failed or were aborted, and by no other."""
    status: Literal["alive", "dropped", "unknown"]
    """Alive if the column is there now; unknown where its dataset's columns are not known."""
    jobs: list[Id]


class TrueSource(TypedDict):
    """A column at which a path upstream ends."""

    column: ReportedColumn
    hops: Count
    """0 for the column of the report itself."""
    direct: Direct
    masked: Masked
    reason: Reason
    """raw: no run that started before the end of the time range wrote it. generated: `runs` made it of nothing.
    unreported: `runs` wrote it, and did not report of which columns of `reads`. before: its last writer, in `runs`,
    started before the time range. elsewhere: it is in a namespace that the caller may not see, where the deployment is
    strict about that."""
    jobs: list[Id]
    runs: list[str]
    """The newest."""
    reads: list[Id]
    """The datasets that the runs without a report read."""


class ProvenanceStep(TypedDict):
    """A column that went into another, and how."""

    source: ReportedColumn
    destination: ReportedColumn
    transformations: list[Transformation]
    operations: Operations
    jobs: list[Id]
    runs: list[str]


class PartRead(TypedDict, total=False):
    """A job that may have read another part of its datasets than was written."""

    readsOtherPart: Annotated[
        Literal[True],
        Field(
            description="Its last run read other partitions or locations of all datasets in `through`, by the facet "
            "`subset`, than the jobs on the way last wrote."
        ),
    ]


class ImpactedJob(PartRead):
    """A job downstream of a node; `data` is null for one whose details the caller may not see."""

    nodeId: str
    type: Literal["JOB"]
    hops: Positive
    """The number of edges of the shortest way."""
    through: list[str]
    """The nodes one hop nearer from which an edge leads to it."""
    data: ShortJob | None


class ImpactedDataset(TypedDict):
    """A dataset downstream of a node; fields as of a job."""

    nodeId: str
    type: Literal["DATASET"]
    hops: Positive
    through: list[str]
    data: ShortDataset | None


class ImpactReport(TypedDict):
    """Everything downstream of a job or dataset, nearest first."""

    nodeId: str
    impacted: list[Annotated[ImpactedJob | ImpactedDataset, Field(discriminator="type")]]
    truncated: bool
    """True if more is downstream than one request may read."""


class DerivedColumnData(TypedDict):
    """A derived column, and the jobs that report what it is derived from."""

    dataset: str
    """The node id of its dataset."""
    field: str
    """A path of names with dots between them."""
    fieldType: str | None
    jobs: list[str]
    """Node ids."""


class OnTheWay(TypedDict):
    """The way to what is derived from a column."""

    hops: Positive
    """The number of columns on the shortest way; of a job or dataset, to the nearest column that it makes or has."""
    through: list[str]
    """The columns one hop nearer from which it is derived."""
    direct: Direct
    masked: Masked
    certain: bool
    """False for a job that read one of the columns `through` and reported no columns of what it made, and for that
    dataset: what is made of it is not in the report."""


class DerivedColumn(OnTheWay):
    """A column derived from another; `data` is null for one whose details the caller may not see."""

    nodeId: str
    type: Literal["DATASET_FIELD"]
    data: DerivedColumnData | None


class DerivingJob(OnTheWay):
    """A job that makes derived columns; `data` as of a column."""

    nodeId: str
    type: Literal["JOB"]
    data: ShortJob | None


class DerivedDataset(OnTheWay):
    """A dataset with derived columns; `data` as of a column."""

    nodeId: str
    type: Literal["DATASET"]
    data: ShortDataset | None


class ColumnImpactReport(TypedDict):
    """Everything derived from a column, nearest first."""

    nodeId: str
    impacted: list[Annotated[DerivedColumn | DerivingJob | DerivedDataset, Field(discriminator="type")]]
    truncated: bool
    """True if more is derived from it than one request may read."""


class UsageReport(TypedDict):
    """The runs that used a field in a time range, and the columns that it flowed into."""

    column: ReportedColumn
    window: Window
    uses: list[Use]
    """The uses of the field; runs of one job that reported the same are one use."""
    flows: list[Flow]
    """The columns that derive from it, directly or through others, nearest first."""
    truncated: Truncated


class TaggedColumn(TypedDict):
    """A column with a tag."""

    column: ReportedColumn
    reportedBy: list[ReportedTag]
    """Its tags of this name, with their reporters; those without a field are its dataset's."""


class TagReport(TypedDict):
    """The columns with a tag, and the columns that runs of a time range made of them without masking."""

    tag: str
    window: Window
    columns: list[TaggedColumn]
    """The columns that have the tag now, or the dataset of which has it."""
    flows: list[Flow]
    """The columns that derive from one of them on some path that does not mask, nearest first."""
    truncated: Truncated


class ProvenanceReport(TypedDict):
    """The true sources of a field in a time range, and the steps from them."""

    column: ReportedColumn
    window: Window
    sources: list[TrueSource]
    """The ends of the paths upstream, each with its reason, nearest first."""
    steps: list[ProvenanceStep]
    """Every step of the way between them."""
    truncated: Truncated
