"""Annotations of jobs and datasets: tags, owners and descriptions, and who reported each.

Tags of one name in any case are one tag, and owners likewise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeAlias

# A tag's field and its name, both for comparison: names are equal in any case.
TagKey: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Attribution:
    """The producer of a facet, and the time of the last event that sent it; or the caller who used the API."""

    producer: str | None
    time: str
    caller: str | None = None


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag of a job or a dataset, or of the field of a dataset (a path with dots); `value` and `source` as sent."""

    name: str
    field: str | None
    value: str | None
    source: str | None
    reported_by: Attribution

    @property
    def key(self) -> TagKey:
        """Its field and name, for comparison."""
        return self.field or "", tag_key(self.name)


@dataclass(frozen=True, slots=True)
class Owner:
    """An owner, and what kind of owner (MAINTAINER, ...)."""

    name: str
    type: str | None
    reported_by: Attribution


@dataclass(frozen=True, slots=True)
class Text:
    """A description that the API set: of a job or a dataset, or of a field (a path with dots)."""

    field: str | None
    text: str
    reported_by: Attribution


@dataclass(frozen=True, slots=True)
class Annotations:
    """Tags by field and name; owners as sent, then those that the API set, by name; the API's texts, by field.

    `described` is the reporter of the description in force: the API's, else that of the facet.
    """

    tags: tuple[Tag, ...] = ()
    owners: tuple[Owner, ...] = ()
    texts: tuple[Text, ...] = ()
    described: Attribution | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The tags of the job or dataset itself."""
        return self.of_field(None)

    def changed(self, tag: Tag, *, present: bool) -> Annotations:
        """Return the annotations with this tag, or without it."""
        tags = {other.key: other for other in self.tags if other.key != tag.key} | ({tag.key: tag} if present else {})
        return replace(self, tags=tuple(tags[key] for key in sorted(tags)))

    def owned(self, owner: Owner, *, present: bool) -> Annotations:
        """Return the annotations with this owner, or without it."""
        others = [other for other in self.owners if owner_key(other.name) != owner_key(owner.name)]
        return replace(self, owners=(*others, owner) if present else tuple(others))

    def described_as(self, text: Text | None, field: str | None) -> Annotations:
        """Return the annotations with this text in place of the field's; None withdraws it."""
        texts = {other.field or "": other for other in self.texts if other.field != field}
        texts |= {field or "": text} if text is not None else {}
        described = text.reported_by if text is not None and field is None else self.described
        return replace(self, texts=tuple(texts[name] for name in sorted(texts)), described=described)

    def text_of(self, field: str | None) -> str | None:
        """Return the description that the API set, of a field or of the job or dataset itself."""
        return next((text.text for text in self.texts if text.field == field), None)

    def of_field(self, field: str | None) -> tuple[str, ...]:
        """Return the tags of a field."""
        return tuple(tag.name for tag in self.tags if tag.field == field)


@dataclass(frozen=True, slots=True)
class KnownTag:
    """A tag of the list of tags."""

    name: str
    description: str | None = None


NO_ANNOTATIONS = Annotations()
# The source of tags that were set through the API.
API = "API"


def tag_key(name: str) -> str:
    """Return a tag's name for comparison.

    >>> tag_key("PII")
    'pii'
    """
    return name.casefold()


def owner_key(name: str) -> str:
    """Return an owner's name for comparison.

    >>> owner_key("Team:Payments")
    'team:payments'
    """
    return name.casefold()


def tag_name(key: str, value: str | None) -> str:
    """Return the name of a tag of a facet: its key, and its value if that says more.

    >>> tag_name("PII", "true"), tag_name("pii", None), tag_name("sensitivity", "high")
    ('PII', 'pii', 'sensitivity:high')
    """
    return f"{key}:{value}" if value and value.casefold() not in ("true", key.casefold()) else key


def annotations_to_json(annotations: Annotations) -> dict[str, Any] | None:
    """Return the annotations as a row holds them; None if there are none."""
    return asdict(annotations) if annotations != NO_ANNOTATIONS else None


def annotations_from_json(document: Mapping[str, Any] | None) -> Annotations:
    """Return the annotations of a row."""
    if document is None:
        return NO_ANNOTATIONS
    described = document["described"]
    return Annotations(
        tags=tuple(Tag(**_attributed(tag)) for tag in document["tags"]),
        owners=tuple(Owner(**_attributed(owner)) for owner in document["owners"]),
        texts=tuple(Text(**_attributed(text)) for text in document["texts"]),
        described=Attribution(**described) if described else None,
    )


def _attributed(document: Mapping[str, Any]) -> dict[str, Any]:
    return {**document, "reported_by": Attribution(**document["reported_by"])}
