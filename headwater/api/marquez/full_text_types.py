"""Types of the search that Marquez builds on OpenSearch."""

from typing import Any

from typing_extensions import TypedDict

from headwater.api.types import Facets


class JobTextHit(TypedDict):
    """A job, and the run that started last; facets are left out."""

    run_id: str | None
    name: str
    namespace: str
    eventType: str | None
    """The type of event that says in which state the run is."""
    type: str
    facets: Facets
    runFacets: Facets


class JobTextHits(TypedDict):
    """Jobs, and in the same order what was found in each: texts with marks, by where they stand."""

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
    """Datasets, and in the same order what was found in each: texts with marks, by where they stand."""

    hits: list[DatasetTextHit]
    highlights: list[dict[str, list[str]]]
