"""JSON of Marquez's dialect, as types; a description marks our own fields."""

from typing import Annotated, Any, Literal, TypeAlias

from typing_extensions import NotRequired, TypeAliasType, TypedDict

from headwater.api.marquez.annotation_types import AnnotatedThing, Owner, Tests
from headwater.api.marquez.column_types import ColumnLineage
from headwater.api.schema import Schema
from headwater.api.types import Count, Edge, Facets, Id, LastWriter, Time, VersionId
from headwater.events.event import State
from headwater.facts.run_facts import ResolvedBy

DatasetType: TypeAlias = Literal["DB_TABLE", "STREAM"]
JobType: TypeAlias = Literal["BATCH", "STREAM", "SERVICE"]
Stale: TypeAlias = Annotated[bool, Schema(description="Ours: it has versions, but no job writes it any more.")]
StaleWriter: TypeAlias = Annotated[
    LastWriter | None, Schema(description="Ours: the run that last wrote it, if it is stale.")
]
Temporary: TypeAlias = Annotated[bool, Schema(description="Ours: private storage of one job, by its name or its life.")]
LineageUnknown: TypeAlias = Annotated[
    bool,
    Schema(
        description="Ours: its code has changed since its inputs and outputs were last reported; these are from before."
    ),
]
Resolved: TypeAlias = Annotated[ResolvedBy | None, Schema(description="Ours: how the read version is known.")]
NodeVersion: TypeAlias = Annotated[str, Schema(description="Ours: where the graph is of versions.")]
Truncated: TypeAlias = Annotated[
    bool,
    Schema(description="Ours: true if it was cut to fit into a response, or is more than a request may read."),
]


class SchemaField(TypedDict):
    """A column of a schema facet."""

    name: str
    type: str | None
    tags: list[str]
    description: str | None


class UsedVersion(TypedDict):
    """A dataset version that a run wrote."""

    datasetVersionId: VersionId
    facets: Facets


class InputVersion(UsedVersion):
    """A dataset version that a run read."""

    resolvedBy: Resolved


class Incomplete(TypedDict, total=False):
    """A run with lineage that its producer could not read whole, or a job by its run with inputs and outputs."""

    lineageIncomplete: Annotated[
        bool, Schema(description="Ours: true where `extractionError` or `headwater_capture` says so, else absent.")
    ]


class RunSummary(Incomplete):
    """A run in short: its state and its times."""

    id: str
    createdAt: Time
    updatedAt: Time
    nominalStartTime: Time | None
    nominalEndTime: Time | None
    state: State
    startedAt: Time | None
    endedAt: Time | None
    durationMs: int | None
    """Of the attempt that decides the state."""


class Attempt(TypedDict):
    """An attempt of a run: its state and its times."""

    state: State
    startedAt: Time
    endedAt: Time | None


class Attempts(TypedDict, total=False):
    """The attempts of a run."""

    attempts: list[Attempt]
    """Ours: of a run that started again after its end, in order. The last finished attempt decides its state."""
    attemptsTruncated: bool
    """Ours: true with a hundred STARTs or more: attempts between the first and the last fifty may show as one."""


class Run(RunSummary, Attempts):
    """A run.

    Ours are `attempts`, `job`, `otherJobs`, `otherJobsTruncated`, `truncated` and `resolvedBy`. In graphs and lists of
    versions it is without its own versions, attempts and facets.
    """

    args: dict[str, Any]
    """As Marquez's clients sent them; else the nominal times and the parent, as texts."""
    jobVersion: VersionId | None
    inputDatasetVersions: list[InputVersion]
    outputDatasetVersions: list[UsedVersion]
    facets: Facets
    job: Id
    otherJobs: list[Id]
    """Ours: for a run looked up by its id, the jobs of further runs of the id within the caller's rights."""
    otherJobsTruncated: bool
    """Ours: more runs have its id than were read."""
    truncated: bool
    """Ours: it read more datasets than a response has versions for."""


class Location(TypedDict):
    """The location of a stream's schema."""

    # Only streams have it in Marquez, and OpenLineage has no facet for it.
    schemaLocation: NotRequired[Annotated[None, Schema(description="Of streams, as in Marquez.")]]


class DatasetIdentity(TypedDict):
    """The names and times of a dataset."""

    id: Id
    type: DatasetType
    name: str
    physicalName: str
    createdAt: Time
    updatedAt: Time
    namespace: str
    sourceName: str


class DatasetSummary(DatasetIdentity, Location):
    """A dataset, without its columns' lineage."""

    fields: list[SchemaField]
    tags: list[str]
    lastModifiedAt: Time | None
    """In graphs null, and with our `direction` as `writtenAt` of short nodes."""
    description: str | None
    lastLifecycleState: str | None


class DatasetState(TypedDict):
    """Our fields of a dataset."""

    stale: Stale
    lastWrittenBy: StaleWriter
    temporary: Temporary
    tests: NotRequired[Tests]


class DatasetNodeVersion(TypedDict, total=False):
    """The version of a dataset's node."""

    version: NodeVersion


class DatasetData(DatasetSummary, DatasetState, DatasetNodeVersion):
    """The `data` of a dataset's node."""


class Dataset(DatasetSummary, DatasetState, AnnotatedThing):
    """A dataset."""

    currentVersion: str | None
    columnLineage: list[ColumnLineage] | None
    columnLineageTruncated: bool
    """Ours: it has more columns, or they more sources, than a response holds."""
    facets: Facets
    deleted: bool


class Times(TypedDict):
    """The times of a dataset: in lists both; elsewhere the end of its writers' last runs, if completed."""

    writtenAt: NotRequired[Time | None]
    """The last write by a run that did not fail; null without such a write."""
    lastReadAt: NotRequired[Time | None]
    """The start of the last run to read it; null without a read."""


class ShortDataset(DatasetIdentity, DatasetState, DatasetNodeVersion, Times):
    """A dataset in short (`form=summary`)."""

    description: str | None
    lastLifecycleState: str | None
    tags: list[str]
    owners: list[Owner]
    fieldCount: Count
    """The number of columns in its schema."""


class DatasetVersion(Location):
    """A version of a dataset."""

    id: Id
    type: DatasetType
    name: str
    physicalName: str
    createdAt: Time
    version: str
    namespace: str
    sourceName: str
    fields: list[SchemaField]
    tags: list[str]
    lifecycleState: str | None
    description: str | None
    currentSchemaVersion: str | None
    createdByRun: Run | None
    facets: Facets
    failed: bool
    """Ours: the run that wrote it did not complete; it was never the current version."""
    branch: str | None
    """Ours: the written branch of the table; it was never the current version."""


class JobSummary(TypedDict):
    """A job, without its runs."""

    id: Id
    type: JobType
    name: str
    simpleName: str
    parentJobName: str | None
    parentJobUuid: str | None
    createdAt: Time
    updatedAt: Time
    namespace: str
    inputs: list[Id]
    outputs: list[Id]
    location: str | None
    description: str | None
    latestRun: Run | None
    tests: NotRequired[Tests]


class JobNodeVersion(TypedDict, total=False):
    """The version of a job's node, and its runs in the graph."""

    version: NodeVersion
    runs: list[str]


class JobFlows(Incomplete):
    """The flows in a job's `lineage` facet; without it, each output is made of all inputs."""

    flows: NotRequired[list[Edge]]
    """Ours: edges from an input to each output made of it."""


class JobData(JobSummary, JobNodeVersion, JobFlows):
    """The `data` of a job's node."""

    currentRunUuid: str | None
    lineageUnknown: LineageUnknown


class ShortJob(JobNodeVersion):
    """A job in short (`form=summary`)."""

    id: Id
    type: JobType
    name: str
    simpleName: str
    parentJobName: str | None
    createdAt: Time
    updatedAt: Time
    namespace: str
    location: str | None
    description: str | None
    tags: list[str]
    owners: list[Owner]
    latestRun: RunSummary | None
    tests: NotRequired[Tests]


class Job(JobSummary, AnnotatedThing):
    """A job."""

    latestRuns: list[Run] | None
    """The last ten, the last started first. In lists, the first 100 jobs of a page have them, without their own
    versions and facets."""
    facets: Facets
    currentVersion: str | None
    labels: list[str]
    tags: list[str]
    lineageUnknown: LineageUnknown
    deleted: bool
    """Ours: hidden until a later event mentions it again."""


class JobVersion(TypedDict):
    """A version of a job."""

    id: VersionId
    name: str
    createdAt: Time
    updatedAt: Time
    """Ours: when it last ran."""
    version: str
    namespace: str
    location: str | None
    inputs: list[Id]
    outputs: list[Id]
    latestRun: Run | None
    codeVersion: str | None
    """Ours: the version in its sourceCodeLocation."""
    lineageUnknown: LineageUnknown


def page_of(name: str, description: str, **items: object) -> Any:
    """Make the type of a page of a list: `page_of("Jobs", "A page of jobs.", jobs=list[Job])`."""
    page = TypedDict(name, {"totalCount": Count, "truncated": Truncated, **items})  # type: ignore[misc]
    page.__doc__ = description
    return page


Datasets = page_of("Datasets", "A page of datasets.", datasets=list[Dataset])
DatasetVersions = page_of("DatasetVersions", "A page of a dataset's versions.", versions=list[DatasetVersion])
Jobs = page_of("Jobs", "A page of jobs.", jobs=list[Job])
JobVersions = page_of("JobVersions", "A page of a job's versions.", versions=list[JobVersion])
Runs = page_of("Runs", "A page of runs.", runs=list[Run])
ShortDatasets = page_of("ShortDatasets", "A page of datasets in short (`form=summary`).", datasets=list[ShortDataset])
ShortJobs = page_of("ShortJobs", "A page of jobs in short (`form=summary`).", jobs=list[ShortJob])
ShortRuns = page_of("ShortRuns", "A page of runs in short (`form=summary`).", runs=list[RunSummary])


class ShortChildRun(RunSummary):
    """A run in short, with its job."""

    job: Id


ShortChildRuns = page_of(
    "ShortChildRuns", "A page of runs in short, each with its job (`form=summary`).", runs=list[ShortChildRun]
)


class RunFacets(TypedDict):
    """A run's facets, or its job's."""

    runId: str
    facets: Facets


RawEvent = TypeAliasType(
    "RawEvent", Annotated[dict[str, Any], Schema(description="An OpenLineage event as it was sent.")]
)


RawEvents = page_of("RawEvents", "A page of events.", events=list[RawEvent])
