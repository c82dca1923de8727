"""JSON of requests and responses shared by several dialects, as types: the document and the tests are made of them.

Annotations are values here, not text: text would be compiled at every cold start. A field's docstring is its
description in the OpenAPI document; a description of several fields belongs to their type.
"""

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any, Literal, TypeAlias

from typing_extensions import NotRequired, TypeAliasType, TypedDict

from headwater.api.schema import Schema, as_request
from headwater.events.event import EVENTS_MAX, State
from headwater_model.operation_checks import NAME_MAX_BYTES, NAMESPACE_MAX_CHARS

Time: TypeAlias = Annotated[str, Schema(format="date-time")]
Count: TypeAlias = Annotated[int, Schema(minimum=0)]
Positive: TypeAlias = Annotated[int, Schema(minimum=1)]
Link: TypeAlias = Annotated[str, Schema(format="uri")]

# A node's `data`.
OUTLINE = (
    "Ours: null for a neighbour in a namespace that the caller may not see, where the deployment is strict about that."
)


class Id(TypedDict):
    """A dataset or a job by name."""

    namespace: str
    name: str


class VersionId(Id):
    """A version of a dataset or of a job."""

    version: str


class LastWriter(TypedDict):
    """The run that last wrote a dataset."""

    job: Id
    runId: str
    endedAt: Time


class Transformation(TypedDict):
    """The derivation of a column from a source column, in OpenLineage's words."""

    type: str
    subtype: str | None
    description: str | None
    masking: bool | None


class Edge(TypedDict):
    """An edge of a graph, by the ids of its nodes."""

    origin: str
    destination: str


class BriefRun(TypedDict):
    """A run, its job, its state and its times."""

    id: str
    job: Id
    state: State
    startedAt: Time | None
    endedAt: Time | None


class ApiInfo(TypedDict):
    """The API's name, its version, and the path of its OpenAPI document."""

    name: str
    version: str
    openapi: str


class Redirect(TypedDict):
    """A link to the response, too large to be sent."""

    location: Link


class Error(TypedDict):
    """A refusal."""

    code: int
    """The HTTP status."""
    message: str
    """The field, the rule, and the value as it was sent."""


class TooLarge(TypedDict):
    """A refusal of a request that is too large."""

    code: NotRequired[int]
    """The HTTP status; missing where API Gateway itself refused."""
    message: str
    """The field, the rule, and the value as it was sent."""


_Name: TypeAlias = Annotated[
    str,
    Schema(
        minLength=1,
        maxLength=NAME_MAX_BYTES,
        description=f"Not blank, at most {NAME_MAX_BYTES} bytes of UTF-8.",
    ),
]
_Namespace: TypeAlias = Annotated[
    str, Schema(minLength=1, maxLength=NAMESPACE_MAX_CHARS, description="Not blank, without control characters.")
]
_Facets: TypeAlias = dict[str, dict[str, Any]]


@as_request
class EventRun(TypedDict):
    """`runId`: any text."""

    runId: _Name
    facets: NotRequired[_Facets]


@as_request
class EventJob(TypedDict):
    """A job of an event."""

    namespace: _Namespace
    name: _Name
    facets: NotRequired[_Facets]


@as_request
class EventDataset(TypedDict):
    """A dataset of an event."""

    namespace: _Namespace
    name: _Name
    facets: NotRequired[_Facets]
    inputFacets: NotRequired[_Facets]
    outputFacets: NotRequired[_Facets]


@partial(
    as_request,
    json_schema_extra={"anyOf": [{"required": ["run", "job"]}, {"required": ["job"]}, {"required": ["dataset"]}]},
)
class LineageEvent(TypedDict):
    """An OpenLineage event of any version.

    It is of a run if it has `run` and `job`, of a job if it has only `job`, of a dataset if it has only `dataset`.
    Unknown fields and facets are kept.
    """

    eventType: NotRequired[Annotated[str, Schema(examples=["START", "RUNNING", "COMPLETE", "FAIL", "ABORT", "OTHER"])]]
    eventTime: Time
    """At most 24 hours ahead."""
    producer: _Name
    schemaURL: NotRequired[Any]
    """Not needed, and not trusted."""
    run: NotRequired[EventRun]
    job: NotRequired[EventJob]
    dataset: NotRequired[EventDataset]
    inputs: NotRequired[list[EventDataset]]
    outputs: NotRequired[list[EventDataset]]


EventBatch: TypeAlias = Annotated[list[LineageEvent], Schema(maxItems=EVENTS_MAX)]


class FailedEvent(TypedDict):
    """A refused event of a batch."""

    index: Count
    """Its place in the batch."""
    reason: str
    retriable: bool
    """AWS refused for now; send it again."""


class BatchSummary(TypedDict):
    """Numbers of a batch's events."""

    received: Count
    successful: Count
    failed: Count
    retriable: Count
    non_retriable: Count


class BatchResult(TypedDict):
    """The accepted and the refused events of a batch, in the form of OpenLineage's specification."""

    status: Literal["success", "partial_success"]
    summary: BatchSummary
    failed_events: list[FailedEvent]


Facets = TypeAliasType(
    "Facets",
    Annotated[
        Mapping[str, Mapping[str, Any]],
        Schema(description="By name, as their producers sent them; the latest of each name."),
    ],
)
