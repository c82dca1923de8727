"""JSON of namespaces, sources and tags, as types in the form of `headwater.api.types`."""

from typing_extensions import NotRequired, TypedDict

from headwater.api.marquez.types import page_of
from headwater.api.schema import as_request
from headwater.api.types import Time


class Namespace(TypedDict):
    """A namespace."""

    name: str
    createdAt: Time
    updatedAt: Time
    ownerName: str
    description: str | None
    isHidden: bool


Namespaces = page_of("Namespaces", "A page of namespaces.", namespaces=list[Namespace])


@as_request
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
    """The time of its description, or of the first event with its URL."""
    connectionUrl: str
    description: str | None


@as_request
class SourceDescription(TypedDict):
    """The type, the connection URL and the description of a source."""

    type: str
    connectionUrl: str
    description: NotRequired[str | None]


Sources = page_of("Sources", "A page of sources.", sources=list[Source])


class Tag(TypedDict):
    """A tag of the list of tags."""

    name: str
    description: str | None


@as_request
class TagDescription(TypedDict):
    """A description of a tag."""

    description: NotRequired[str | None]


Tags = page_of("Tags", "A page of tags.", tags=list[Tag])
