"""JSON of the reports, as types, written by the rules of `headwater.api.types`."""

from typing import Annotated, Literal, TypeAlias

from typing_extensions import TypedDict

from headwater.api.marquez.annotation_types import ReportedTag
from headwater.api.marquez.types import ShortDataset, ShortJob
from headwater.api.schema import BY_TYPE, Schema
from headwater.api.types import Count, Id, Positive, Time, Transformation
from headwater.queries.results.reports import Reason

Direct: TypeAlias = Annotated[
    bool, Schema(description="On some path, no step was merely a condition (a join, a filter, a sort).")
]
Masked: TypeAlias = Annotated[bool, Schema(description="On every path, some step masked it.")]
Operations: TypeAlias = Annotated[
    list[str], Schema(description="What was done, as reported: of operations the names, in their order.")
]
Truncated: TypeAlias = Annotated[bool, Schema(description="There was more than a request may read.")]


class ReportedColumn(TypedDict):
    """A column of a dataset."""

    dataset: Id
    field: str | None
    """A path of names with dots between them; null for the dataset as a whole: its columns were not reported."""


class Window(TypedDict):
    """The time range of a report."""

    start: Time
    end: Time


class ReportedRun(TypedDict):
    """A run in a report."""

    id: str
    started: Time
    state: str | None
    """Null for a Job- or DatasetEvent."""


class Use(TypedDict):
    """A use of the field by runs of a job with equal reports."""

    kind: Literal["CREATE", "READ", "WRITE", "DELETE"]
    """READ: read it, and made `fields` of it. WRITE: wrote it, of `fields`. CREATE: wrote it of nothing. DELETE:
    dropped it, or the fields made of it."""
    job: Id | None
    first: Time
    """The start of the first run."""
    last: Time
    """The start of the newest run."""
    count: Positive
    """The number of these runs."""
    states: dict[str, Positive]
    """The number of runs in each state; declared runs have none."""
    runs: list[ReportedRun]
    """The newest ten, newest first."""
    fields: list[ReportedColumn]
    """The derived fields of a READ, the source fields of a WRITE; if the use is not `known`, all possible fields."""
    operations: Operations
    known: bool
    """True if the run reported its fields."""


class Flow(TypedDict):
    """A column made of the field."""

    column: ReportedColumn
    hops: Count
    direct: Direct
    masked: Masked
    certain: bool
    """On some path, every run reported its source columns and their derived columns."""
    failed: bool
    """On every path, some step was reported only by runs that failed or were aborted."""
    status: Literal["alive", "dropped", "unknown"]
    """Alive if the column exists now; unknown if its dataset's columns are unknown."""
    jobs: list[Id]


class TrueSource(TypedDict):
    """A column at the end of a path upstream."""

    column: ReportedColumn
    hops: Count
    """0 for the column of the report itself."""
    direct: Direct
    masked: Masked
    reason: Reason
    """raw: no run with a start before the end of the time range wrote it. generated: `runs` made it of nothing.
    unreported: `runs` wrote it without a report of its source columns in `reads`. before: its last writer, in `runs`,
    started before the time range. elsewhere: a strict deployment hides its namespace from the caller."""
    jobs: list[Id]
    runs: list[str]
    """The newest."""
    reads: list[Id]
    """The datasets read by the runs without a report of columns."""


class ProvenanceStep(TypedDict):
    """A step from a source column to a derived column."""

    source: ReportedColumn
    destination: ReportedColumn
    transformations: list[Transformation]
    operations: Operations
    jobs: list[Id]
    runs: list[str]


class PartRead(TypedDict, total=False):
    """A job, marked if its last run read other parts of its datasets than were written."""

    readsOtherPart: Annotated[
        Literal[True],
        Schema(
            description="Its last run read other partitions or locations of all datasets in `through`, by the facet "
            "`subset`, than the jobs on the way last wrote."
        ),
    ]


class ImpactedJob(PartRead):
    """A job downstream of a node; `data` is null if its details are hidden from the caller."""

    nodeId: str
    type: Literal["JOB"]
    hops: Positive
    """The number of edges of the shortest way."""
    through: list[str]
    """The nodes a hop nearer with an edge to it."""
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
    impacted: list[Annotated[ImpactedJob | ImpactedDataset, BY_TYPE]]
    truncated: bool
    """True if the report is cut: more is downstream than a request may read."""


class DerivedColumnData(TypedDict):
    """A derived column, and the jobs that report its sources."""

    dataset: str
    """The node id of its dataset."""
    field: str
    """A path of names with dots between them."""
    fieldType: str | None
    jobs: list[str]
    """Node ids."""


class OnTheWay(TypedDict):
    """The way from a column to a derived column, its job or its dataset."""

    hops: Positive
    """The number of columns on the shortest way; for a job or dataset, to its nearest derived column."""
    through: list[str]
    """The columns a hop nearer from which it is derived."""
    direct: Direct
    masked: Masked
    certain: bool
    """False for a job that read a column of `through` and reported no columns of its output, and for the output. The
    report goes no further from there."""


class DerivedColumn(OnTheWay):
    """A derived column; `data` is null if its details are hidden from the caller."""

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
    impacted: list[Annotated[DerivedColumn | DerivingJob | DerivedDataset, BY_TYPE]]
    truncated: bool
    """True if the report is cut: more is derived from it than a request may read."""


class UsageReport(TypedDict):
    """The runs that used a field in a time range, and the columns made of it."""

    column: ReportedColumn
    window: Window
    uses: list[Use]
    """The uses of the field; runs of a job with equal reports are a single use."""
    flows: list[Flow]
    """The columns that derive from it, directly or through further columns, nearest first."""
    truncated: Truncated


class TaggedColumn(TypedDict):
    """A column with a tag."""

    column: ReportedColumn
    reportedBy: list[ReportedTag]
    """Its tags of this name, with their reporters; a tag without a field is its dataset's."""


class TagReport(TypedDict):
    """The columns with a tag, and the columns made of them in a time range without masking."""

    tag: str
    window: Window
    columns: list[TaggedColumn]
    """The columns that have the tag now, or whose dataset has it."""
    flows: list[Flow]
    """The columns that derive from them on a path without masking, nearest first."""
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
