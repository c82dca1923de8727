"""JSON of annotations and of tests of data, as types in the form of `headwater.api.types`."""

from typing import Annotated, Literal, TypeAlias

from typing_extensions import TypedDict

from headwater.api.schema import Schema, as_request
from headwater.api.types import Count, Id, Time


class Attribution(TypedDict):
    """The reporter of an annotation."""

    producer: str | None
    """The producer of its facet (`_producer`); null for a facet without it, and for the API."""
    at: Time
    """The time of the last event that reported it."""
    caller: str | None
    """The caller of the API, if known."""


class ReportedTag(Attribution):
    """A tag and its reporter; tags are equal in any case."""

    name: str
    """The key, and after a colon the value, if that is neither `true` nor the key."""
    field: str | None
    """The field with the tag, a path of names with dots between them; null for the job or dataset itself."""
    value: str | None
    source: str | None
    """As its facet has it."""


class Owner(TypedDict):
    """An owner."""

    name: str
    type: str | None


class ReportedOwner(Attribution):
    """An owner and its reporter; owners are equal in any case."""

    name: str
    type: str | None


class ReportedField(Attribution):
    """A field with a description by the API, and its reporter."""

    field: str


class Reported(TypedDict):
    """The reporters of the description, of each owner and of each tag."""

    description: Attribution | None
    fieldDescriptions: list[ReportedField]
    """Descriptions by the API: they outweigh the schema's."""
    owners: list[ReportedOwner]
    tags: list[ReportedTag]
    """The tags, with tags of fields."""


@as_request
class DescriptionToPut(TypedDict):
    """The description of a job, a dataset or a field."""

    description: str


class AnnotatedThing(TypedDict):
    """Our fields of a job or a dataset about its annotations."""

    owners: list[Owner]
    """Ours: from the `ownership` facet, and from the API."""
    reportedBy: Reported
    """Ours: the reporters of its description, owners and tags."""


class TestCounts(TypedDict):
    """The numbers of tests by the outcome of their last results."""

    passed: Count
    warned: Count
    """Failed, with the severity `warn`."""
    failed: Count


Tests: TypeAlias = Annotated[TestCounts, Schema(description="Ours: absent where no result of a test was reported.")]


class Tested(TypedDict, total=False):
    """A dataset or a job; `tests` if events reported results of its tests."""

    tests: Tests


class TestResult(TypedDict):
    """A result of a test of a dataset or, for a test without a dataset, of a job; long texts are cut."""

    nodeId: str
    """The dataset or the job of the test."""
    outcome: Literal["PASSED", "WARNED", "FAILED"]
    """WARNED is a failure of the severity `warn`."""
    at: Time
    """The time of the event that reported it."""
    type: str | None
    """As sent: `not_null`, `unique`."""
    column: str | None
    """Null for a test of the whole dataset."""
    name: str | None
    severity: str | None
    expected: str | None
    actual: str | None
    description: str | None
    job: Id | None
    """The job whose run reported it; null for a DatasetEvent, and for a job hidden from the caller."""
    runId: str | None


class TestResults(TypedDict):
    """Results of tests."""

    tests: list[TestResult]
    totalCount: Count
    truncated: bool
    """There are more, beyond the bounds of a request, or of the stored results."""
