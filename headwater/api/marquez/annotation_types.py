"""JSON of tags and other annotations, as types. They are written as `headwater.api.types` describes."""

from typing_extensions import TypedDict

from headwater.api.types import Time


class Attribution(TypedDict):
    """The reporter of an annotation."""

    producer: str | None
    """The producer of its facet (`_producer`); null where the facet has none, or the API was used."""
    at: Time
    """The time of the last event that reported it."""
    caller: str | None
    """The caller who set the tag through the API, where known."""


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


class Reported(TypedDict):
    """The reporters of the description, the owners and each tag."""

    description: Attribution | None
    owners: Attribution | None
    tags: list[ReportedTag]
    """Those of fields, too."""


class AnnotatedThing(TypedDict):
    """Our fields of a job or a dataset about its annotations."""

    owners: list[Owner]
    """Ours: from the `ownership` facet."""
    reportedBy: Reported
    """Ours: who reported its description, owners and tags."""
