"""Types of what the API sets beside events: descriptions of namespaces, and sources."""

from pydantic import with_config
from typing_extensions import NotRequired, TypedDict

from headwater.api.marquez.types import Page
from headwater.api.types import AS_REQUEST, Time


@with_config(AS_REQUEST)
class NamespaceDescription(TypedDict):
    """The owner and the description of a namespace."""

    ownerName: NotRequired[str | None]
    description: NotRequired[str | None]


class Source(TypedDict):
    """A source of datasets."""

    type: str
    """As the API set it; else the scheme of the URL in capitals, or `UNKNOWN`."""
    name: str
    createdAt: Time
    updatedAt: Time
    """The time at which it was set, or its URL first reported."""
    connectionUrl: str
    description: str | None


@with_config(AS_REQUEST)
class SourceDescription(TypedDict):
    """The type, the connection URL and the description of a source."""

    type: str
    connectionUrl: str
    description: NotRequired[str | None]


class Sources(Page):
    """A page of sources."""

    sources: list[Source]
