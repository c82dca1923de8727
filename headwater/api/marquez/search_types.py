"""JSON of searches, ours and Marquez's with OpenSearch, as types."""

from typing import Any, Literal

from typing_extensions import NotRequired, TypedDict

from headwater.api.marquez.types import RunSummary, page_of
from headwater.api.types import Count, Facets, Time


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
    """A column with its type, null without a report."""

    fieldType: str | None


ShortSearchResults = page_of(
    "ShortSearchResults",
    "A page of search hits with their short jobs and datasets (`form=summary`).",
    results=list[ShortJobHit | ShortDatasetHit | ShortColumnHit],
)
SearchResults = page_of("SearchResults", "A page of search hits.", results=list[SearchHit])


class JobTextHit(TypedDict):
    """A job, and the run that started last; facets are left out."""

    run_id: str | None
    name: str
    namespace: str
    eventType: str | None
    """The type of event for the run's state."""
    type: str
    facets: Facets
    runFacets: Facets


class JobTextHits(TypedDict):
    """Jobs, and in the same order the matches of each: texts with marks, by their place."""

    hits: list[JobTextHit]
    highlights: list[dict[str, list[str]]]


class DatasetTextHit(TypedDict):
    """A dataset with the fields of its schema."""

    run_id: None
    name: str
    namespace: str
    eventType: None
    facets: dict[str, dict[str, list[dict[str, Any]]]]


class DatasetTextHits(TypedDict):
    """Datasets, and in the same order the matches of each: texts with marks, by their place."""

    hits: list[DatasetTextHit]
    highlights: list[dict[str, list[str]]]
