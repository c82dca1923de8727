"""Types of the bodies of Marquez's deprecated write routes."""

from typing import Any, Literal

from typing_extensions import NotRequired, TypedDict

from headwater.api.schema import as_request
from headwater.api.types import Id


@as_request
class FieldToPut(TypedDict):
    """A field of a dataset."""

    name: str
    type: NotRequired[str | None]
    description: NotRequired[str | None]
    tags: NotRequired[list[str] | None]


@as_request
class DatasetToPut(TypedDict):
    """A dataset as Marquez's clients describe it."""

    type: NotRequired[Literal["DB_TABLE", "STREAM"]]
    physicalName: NotRequired[str | None]
    """Not kept: the name is the dataset's."""
    sourceName: NotRequired[str | None]
    fields: NotRequired[list[FieldToPut] | None]
    tags: NotRequired[list[str] | None]
    description: NotRequired[str | None]
    runId: NotRequired[str | None]
    """The run that wrote it."""
    schemaLocation: NotRequired[str | None]
    """Not kept."""


@as_request
class JobToPut(TypedDict):
    """A job as Marquez's clients describe it."""

    type: NotRequired[Literal["BATCH", "STREAM", "SERVICE"]]
    inputs: NotRequired[list[Id] | None]
    outputs: NotRequired[list[Id] | None]
    location: NotRequired[str | None]
    description: NotRequired[str | None]
    runId: NotRequired[str | None]
    """The run that read and wrote the datasets; without it the job declares them."""
    context: NotRequired[dict[str, Any] | None]
    """Not kept."""
    tags: NotRequired[list[str] | None]


@as_request
class RunToCreate(TypedDict):
    """A run as Marquez's clients create it."""

    id: NotRequired[str | None]
    nominalStartTime: NotRequired[str | None]
    nominalEndTime: NotRequired[str | None]
    args: NotRequired[dict[str, Any] | None]
    """Kept as the run's facet `marquez_args`."""
