"""JSON of results of tests, as types. They are written as `headwater.api.types` describes."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field
from typing_extensions import TypedDict

from headwater.api.types import Count, Id, Time


class TestCounts(TypedDict):
    """The numbers of tests by the outcome of their last results."""

    passed: Count
    warned: Count
    """Failed, with the severity `warn`."""
    failed: Count


Tests: TypeAlias = Annotated[TestCounts, Field(description="Ours: absent where no result of a test was reported.")]


class Tested(TypedDict, total=False):
    """A dataset or a job; `tests` where events reported results of its tests."""

    tests: Tests


class TestResult(TypedDict):
    """A result of a test of a dataset or, where the test names no dataset, of a job; long texts are cut."""

    nodeId: str
    """The dataset or the job that has the test."""
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
    """The job whose run reported it; null for a DatasetEvent, and for a job that the caller may not see."""
    runId: str | None


class TestResults(TypedDict):
    """Results of tests."""

    tests: list[TestResult]
    totalCount: Count
    truncated: bool
    """There are more than a request may read, or an event reported more than are kept."""
