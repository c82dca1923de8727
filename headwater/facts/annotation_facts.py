"""Annotations from the facts of a job or a dataset: from OpenLineage's facets `tags`, `ownership` and `documentation`.

The latest facet of each name counts. The tags of a job are those of its latest `tags` facet and those of the latest
`tags` facet of a run. What the API set, or took away, stays so, whatever events report.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from headwater.events.deleted_facets import is_deleted
from headwater.facts.annotations import API, Annotations, Attribution, Owner, Tag, TagKey, Text, tag_name
from headwater.facts.facts import DatasetFacts, JobFacts, describing_facets
from headwater.facts.lattice import History, latest
from headwater.facts.run_facts import text_in

# The source of tags that OpenLineage's client adds to each run: they describe the client (its version).
_OF_CLIENT = "OPENLINEAGE_CLIENT"


def annotations_of(facts: JobFacts | DatasetFacts) -> Annotations:
    """Return the annotations in these facts."""
    documentation = _latest(describing_facets(facts).get("documentation", {}))
    described = documentation and text_in(documentation[0], "description")
    annotations = Annotations(
        tags=_tags(facts),
        owners=_owners(describing_facets(facts).get("ownership", {})),
        described=documentation[1] if documentation and described else None,
    )
    for _, (stamp, name, kind, present, caller) in sorted(facts.owned.items()):
        annotations = annotations.owned(Owner(name, kind, _by_api(stamp, caller)), present=present)
    for field, (stamp, text, caller) in facts.documented.items():
        if text is not None:
            annotations = annotations.described_as(Text(field or None, text, _by_api(stamp, caller)), field or None)
    return annotations


def tags_ever(facts: JobFacts | DatasetFacts) -> set[str]:
    """Return the names of every tag of these facets, of the job or dataset and of fields, now or before."""
    contents = _contents_ever(facts, "tags")
    return {tag.name for _, last, body in contents for tag in _tags_in(body, _attribution(last, body))}


def owners_ever(facts: JobFacts | DatasetFacts) -> set[str]:
    """Return the names of every owner in the facets of these facts, now or before."""
    contents = _contents_ever(facts, "ownership")
    return {owner.name for _, last, body in contents for owner in _owners_in(body, _attribution(last, body))}


def _contents_ever(facts: JobFacts | DatasetFacts, name: str) -> Iterator[Sequence[Any]]:
    """Yield every content of a facet that these facts hold, whether or not another facet outweighs it now."""
    of_job = (facts.named_facets, facts.run_facets if name == "tags" else {}) if isinstance(facts, JobFacts) else ()
    for histories in (facts.facets, *of_job):
        yield from histories.get(name, {}).values()


def _tag_histories(facts: JobFacts | DatasetFacts) -> tuple[History, ...]:
    """Return the histories of the facets `tags`: its own and, of a job, that of its runs."""
    described = describing_facets(facts)
    sent = (described, facts.run_facets) if isinstance(facts, JobFacts) else (described,)
    return tuple(histories["tags"] for histories in sent if "tags" in histories)


def _tags(facts: JobFacts | DatasetFacts) -> tuple[Tag, ...]:
    """Return the tags of the latest facets, and those of the API, which decides on each tag that it set or took away.

    A job has no fields, so that all of its tags are its own.
    """
    facets = filter(None, map(_latest, _tag_histories(facts)))
    sent = [tag for facet in facets for tag in _tags_in(*facet)]
    tags = _ordered(sent if isinstance(facts, DatasetFacts) else (replace(tag, field=None) for tag in sent))
    annotations = Annotations(tags)
    for stamp, name, field, present, caller in facts.tagged.values():
        tag = Tag(name, field, None, API, _by_api(stamp, caller))
        annotations = annotations.changed(tag, present=present)
    return annotations.tags


def _ordered(tags: Iterable[Tag]) -> tuple[Tag, ...]:
    """Return the tags by field and name, each once: of several spellings the least, of equal ones the first."""
    once: dict[TagKey, Tag] = {}
    for tag in sorted(tags, key=lambda tag: (tag.key, tag.name, tag.value or "", tag.source or "")):
        once.setdefault(tag.key, tag)
    return tuple(once.values())


def _tags_in(facet: Mapping[str, Any], reported_by: Attribution) -> Iterator[Tag]:
    for sent in _objects(facet, "tags"):
        key, value = text_in(sent, "key"), text_in(sent, "value")
        source = text_in(sent, "source")
        if key is not None and source != _OF_CLIENT:
            yield Tag(tag_name(key, value), text_in(sent, "field"), value, source, reported_by)


def _owners(history: History) -> tuple[Owner, ...]:
    owners = _latest(history)
    return () if owners is None else tuple(dict.fromkeys(_owners_in(*owners)))


def _owners_in(facet: Mapping[str, Any], reported_by: Attribution) -> Iterator[Owner]:
    for sent in _objects(facet, "owners"):
        if name := text_in(sent, "name"):
            yield Owner(name, text_in(sent, "type"), reported_by)


def _latest(history: History) -> tuple[Mapping[str, Any], Attribution] | None:
    """Return the latest facet and who reported it; None without one, or if it was deleted."""
    entry = latest(history)
    if entry is None or is_deleted(entry[1]):
        return None
    return entry[1], _attribution(*entry)


def _attribution(stamp: str, facet: Mapping[str, Any]) -> Attribution:
    return Attribution(text_in(facet, "_producer"), stamp.partition("#")[0])


def _by_api(stamp: str, caller: str | None) -> Attribution:
    return Attribution(None, stamp.partition("#")[0], caller)


def _objects(facet: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    sent = facet.get(name)
    return [form for form in sent if isinstance(form, dict)] if isinstance(sent, list) else []
