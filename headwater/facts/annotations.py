"""Annotations of jobs and datasets: tags, owners and descriptions, with their reporters, computed from facts.

Tags whose names differ in case alone are the same tag; likewise owners. Of the facets `tags`, `ownership` and
`documentation` the latest of each name counts. A job has the tags of its own latest `tags` facet, and of the latest
`tags` facet of a run. A tag or owner set, or removed, through the API stays so, whatever events report.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeAlias

from headwater.events.event import Facet, is_deleted
from headwater.facts.facts import DatasetFacts, JobFacts, describing_facets
from headwater.facts.lattice import History, latest
from headwater.facts.run_facts import text_in

# A tag's field and its name, both for comparison: names are equal in any case.
TagKey: TypeAlias = tuple[str, str]
# The source of tags set through the API.
API = "API"
# The source of the tags that OpenLineage's client adds to each run: they describe the client (its version).
_OF_CLIENT = "OPENLINEAGE_CLIENT"


@dataclass(frozen=True, slots=True)
class Attribution:
    """The producer of a facet, with the time of the last event that sent it; or the API's caller."""

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
    """An owner, and the kind of owner (MAINTAINER, ...)."""

    name: str
    type: str | None
    reported_by: Attribution


@dataclass(frozen=True, slots=True)
class Text:
    """A description set by the API: of a job or a dataset, or of a field (a path with dots)."""

    field: str | None
    text: str
    reported_by: Attribution


@dataclass(frozen=True, slots=True)
class Annotations:
    """Tags by field and name; owners as sent, then the API's owners, by name; the API's texts, by field.

    `described` is the reporter of the description in force: the API's caller, else the facet's producer.
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
        """Add or remove a tag."""
        tags = {other.key: other for other in self.tags if other.key != tag.key} | ({tag.key: tag} if present else {})
        return replace(self, tags=tuple(tags[key] for key in sorted(tags)))

    def owned(self, owner: Owner, *, present: bool) -> Annotations:
        """Add or remove an owner."""
        others = [other for other in self.owners if owner_key(other.name) != owner_key(owner.name)]
        return replace(self, owners=(*others, owner) if present else tuple(others))

    def described_as(self, text: Text | None, field: str | None) -> Annotations:
        """Replace the API's text of a field; None withdraws it."""
        texts = {other.field or "": other for other in self.texts if other.field != field}
        texts |= {field or "": text} if text is not None else {}
        described = text.reported_by if text is not None and field is None else self.described
        return replace(self, texts=tuple(texts[name] for name in sorted(texts)), described=described)

    def text_of(self, field: str | None) -> str | None:
        """Find the API's description of a field, or of the job or dataset itself."""
        return next((text.text for text in self.texts if text.field == field), None)

    def of_field(self, field: str | None) -> tuple[str, ...]:
        """List the tags of a field."""
        return tuple(tag.name for tag in self.tags if tag.field == field)


@dataclass(frozen=True, slots=True)
class KnownTag:
    """A tag of the list of tags."""

    name: str
    description: str | None = None


NO_ANNOTATIONS = Annotations()


def tag_key(name: str) -> str:
    """Fold a tag's name for comparison.

    >>> tag_key("PII")
    'pii'
    """
    return name.casefold()


def owner_key(name: str) -> str:
    """Fold an owner's name for comparison.

    >>> owner_key("Team:Payments")
    'team:payments'
    """
    return name.casefold()


def tag_name(key: str, value: str | None) -> str:
    """Name the tag of a facet: by its key, and by its value if the value says more.

    >>> tag_name("PII", "true"), tag_name("pii", None), tag_name("sensitivity", "high")
    ('PII', 'pii', 'sensitivity:high')
    """
    return f"{key}:{value}" if value and value.casefold() not in ("true", key.casefold()) else key


def annotations_to_json(annotations: Annotations) -> dict[str, Any] | None:
    """Render the annotations as a row holds them; None if there are none."""
    return asdict(annotations) if annotations != NO_ANNOTATIONS else None


def annotations_from_json(document: Mapping[str, Any] | None) -> Annotations:
    """Parse the annotations of a row, `{"tags": [{"name": "PII", ...}], "owners": [], ...}`."""
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


def annotations_of(facts: JobFacts | DatasetFacts) -> Annotations:
    """Compute the annotations of a job or dataset, `Annotations(tags=(Tag("PII", ...),))`, from its facts."""
    facets = describing_facets(facts)
    documentation, ownership = (_latest(facets.get(name, {})) for name in ("documentation", "ownership"))
    described = documentation and text_in(documentation[0], "description")
    annotations = Annotations(
        tags=_tags(facts),
        owners=tuple(dict.fromkeys(_owners_in(*ownership))) if ownership else (),
        described=documentation[1] if documentation and described else None,
    )
    for _, (stamp, name, kind, present, caller) in sorted(facts.owned.items()):
        annotations = annotations.owned(Owner(name, kind, _by_api(stamp, caller)), present=present)
    for field, (stamp, text, caller) in facts.documented.items():
        if text is not None:
            annotations = annotations.described_as(Text(field or None, text, _by_api(stamp, caller)), field or None)
    return annotations


def tags_ever(facts: JobFacts | DatasetFacts) -> set[str]:
    """List the names of all tags in these facets, of the job or dataset and of fields, now or before."""
    contents = _contents_ever(facts, "tags")
    return {tag.name for _, last, body in contents for tag in _tags_in(body, _attribution(last, body))}


def owners_ever(facts: JobFacts | DatasetFacts) -> set[str]:
    """List the names of all owners in these facets, now or before."""
    contents = _contents_ever(facts, "ownership")
    return {owner.name for _, last, body in contents for owner in _owners_in(body, _attribution(last, body))}


def _contents_ever(facts: JobFacts | DatasetFacts, name: str) -> Iterator[Sequence[Any]]:
    """Yield all contents of a facet in these facts, even if another facet outweighs it now."""
    of_job = (facts.named_facets, facts.run_facets if name == "tags" else {}) if isinstance(facts, JobFacts) else ()
    for histories in (facts.facets, *of_job):
        yield from histories.get(name, {}).values()


def _tags(facts: JobFacts | DatasetFacts) -> tuple[Tag, ...]:
    """List the tags of the latest facets and of the API; the API decides on each tag that it set or removed.

    A job has no fields, so all of its tags are its own.
    """
    # The facet of a job itself, and the facet of its runs.
    described = (describing_facets(facts), *([facts.run_facets] if isinstance(facts, JobFacts) else []))
    facets = (_latest(histories["tags"]) for histories in described if "tags" in histories)
    sent = [tag for facet in facets if facet for tag in _tags_in(*facet)]
    tags = _ordered(sent if isinstance(facts, DatasetFacts) else (replace(tag, field=None) for tag in sent))
    annotations = Annotations(tags)
    for stamp, name, field, present, caller in facts.tagged.values():
        tag = Tag(name, field, None, API, _by_api(stamp, caller))
        annotations = annotations.changed(tag, present=present)
    return annotations.tags


def _ordered(tags: Iterable[Tag]) -> tuple[Tag, ...]:
    """Order the tags by field and name, each once: of several spellings the least, of equal tags the first."""
    once: dict[TagKey, Tag] = {}
    for tag in sorted(tags, key=lambda tag: (tag.key, tag.name, tag.value or "", tag.source or "")):
        once.setdefault(tag.key, tag)
    return tuple(once.values())


def _tags_in(facet: Facet, reported_by: Attribution) -> Iterator[Tag]:
    for sent in _objects(facet, "tags"):
        key, value = text_in(sent, "key"), text_in(sent, "value")
        source = text_in(sent, "source")
        if key is not None and source != _OF_CLIENT:
            yield Tag(tag_name(key, value), text_in(sent, "field"), value, source, reported_by)


def _owners_in(facet: Facet, reported_by: Attribution) -> Iterator[Owner]:
    for sent in _objects(facet, "owners"):
        if name := text_in(sent, "name"):
            yield Owner(name, text_in(sent, "type"), reported_by)


def _latest(history: History) -> tuple[Facet, Attribution] | None:
    """Find the latest facet with its reporter; None without a facet, or if it was deleted."""
    entry = latest(history)
    if entry is None or is_deleted(entry[1]):
        return None
    return entry[1], _attribution(*entry)


def _attribution(stamp: str, facet: Facet) -> Attribution:
    return Attribution(text_in(facet, "_producer"), stamp.partition("#")[0])


def _by_api(stamp: str, caller: str | None) -> Attribution:
    return Attribution(None, stamp.partition("#")[0], caller)


def _objects(facet: Facet, name: str) -> list[Mapping[str, Any]]:
    sent = facet.get(name)
    return [form for form in sent if isinstance(form, dict)] if isinstance(sent, list) else []
