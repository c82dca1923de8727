"""JSON of tags and other annotations, as types. They are written as `headwater.api.types` describes."""

from pydantic import with_config
from typing_extensions import TypedDict

from headwater.api.types import AS_REQUEST, Time


class Attribution(TypedDict):
    """The reporter of an annotation."""

    producer: str | None
    """The producer of its facet (`_producer`); null where the facet has none, or the API was used."""
    at: Time
    """The time of the last event that reported it."""
    caller: str | None
    """The caller who used the API, where known."""


class ReportedTag(Attribution):
    """A tag and its reporter; tags are equal in any case."""

    name: str
    """The key, and after a colon the value, if that is neither `true` nor the key."""
    field: str | None
    """The field that has the tag, a path of names with dots between them; null for the job or dataset itself."""
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
    """A field whose description the API set, and its reporter."""

    field: str


class Reported(TypedDict):
    """The reporters of the description, of each owner and of each tag."""

    description: Attribution | None
    fieldDescriptions: list[ReportedField]
    """Those that the API set: they outweigh what a schema says."""
    owners: list[ReportedOwner]
    tags: list[ReportedTag]
    """Those of fields, too."""


@with_config(AS_REQUEST)
class DescriptionToPut(TypedDict):
    """The description of a job, a dataset or a field."""

    description: str


class AnnotatedThing(TypedDict):
    """Our fields of a job or a dataset about its annotations."""

    owners: list[Owner]
    """Ours: from the `ownership` facet, and from the API."""
    reportedBy: Reported
    """Ours: who reported its description, owners and tags."""
