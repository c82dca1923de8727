"""JSON of searches, as types; they are written as `headwater.api.types` describes."""

from typing import Literal

from typing_extensions import NotRequired, TypedDict

from headwater.api.marquez.types import Page, RunSummary
from headwater.api.types import Count, Time


class SearchHit(TypedDict):
    """A job, dataset or column; a column (`DATASET_FIELD`) has its dataset's name, and its own as `field`."""

    type: Literal["JOB", "DATASET", "DATASET_FIELD"]
    name: str
    field: NotRequired[str]
    updatedAt: Time
    namespace: str
    nodeId: str


class ShortJobHit(SearchHit):
    """A job with its last run, in short."""

    latestRun: RunSummary | None


class ShortDatasetHit(SearchHit):
    """A dataset with the number of columns in its schema."""

    fieldCount: Count


class ShortColumnHit(SearchHit):
    """A column with its type, null if nobody reported it."""

    fieldType: str | None


class ShortSearchResults(Page):
    """A page of search hits with what they are about, in short (`form=summary`)."""

    results: list[ShortJobHit | ShortDatasetHit | ShortColumnHit]


class SearchResults(Page):
    """A page of search hits."""

    results: list[SearchHit]
