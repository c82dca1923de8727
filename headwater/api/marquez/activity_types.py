"""JSON of news and counts, as types in the form of `headwater.api.types`."""

from typing import Literal

from typing_extensions import TypedDict

from headwater.api.types import Count, Id, Time
from headwater.facts.run_attempts import State


class TypedField(TypedDict):
    """A field with its type by the schema facet; null without a type."""

    name: str
    type: str | None


class RetypedField(TypedDict):
    """A field with different types in both schemas."""

    name: str
    before: str
    after: str


class SchemaChange(TypedDict):
    """The difference from the previous schema: of each kind up to 100 fields, by name."""

    added: list[TypedField]
    dropped: list[TypedField]
    retyped: list[RetypedField]
    leftOut: Count
    """The number of further changed fields."""


class News(TypedDict):
    """News of a dataset or a job."""

    kind: Literal["DATASET_NEW", "DATASET_DROPPED", "SCHEMA_CHANGED", "JOB_FAILS"]
    """DATASET_DROPPED: and no event mentions it since. JOB_FAILS: since its last good run, if it has one."""
    at: Time
    """The time of the event; of a failing job, the end of the first failed run."""
    nodeId: str
    owners: list[str]
    job: Id | None
    """The job that sent the event; null for a DatasetEvent, and for a job hidden from the caller."""
    runId: str | None
    """Its run; of a failing job, the last failed run."""
    runState: State | None
    """The state of the run now: the schema of a failed run may never have been written."""
    failedRuns: Count | None
    """Of a failing job: the number of failed runs since its last good run, among its last 100."""
    change: SchemaChange | None
    """Of a changed schema."""


class Feed(TypedDict):
    """News of some days."""

    news: list[News]
    totalCount: Count
    truncated: bool
    """There is more, beyond the bounds of a request."""


class _Interval(TypedDict):
    startInterval: Time
    endInterval: Time


class EventCounts(_Interval):
    """The numbers of run events of an hour or a day by type."""

    fail: Count
    start: Count
    complete: Count
    abort: Count


class ThingCount(_Interval):
    """The number of things at the end of an hour or a day."""

    count: Count
