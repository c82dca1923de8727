"""The facts delta of a change through the API: a deletion, a tag, an owner, a description."""

from __future__ import annotations

from typing import Any

from headwater.events.event import ApiChange, Deletion, Description, Documentation, Ownership, Tagging
from headwater.facts.annotations import owner_key, tag_key
from headwater.facts.facts import DatasetFacts, JobFacts, NamespaceFacts, SourceFacts, TagFacts
from headwater.facts.facts_delta import FactsDelta, add
from headwater.facts.lattice import history_of
from headwater.facts.source_rows import SourceId
from headwater.facts.tag_rows import NO_NAMESPACE, rows_of_ownership, rows_of_tagging


def add_api_change(delta: FactsDelta, change: ApiChange) -> None:
    """Add the facts of a change that was made through the API."""
    if isinstance(change, Deletion):
        _deletion(delta, change)
    elif isinstance(change, Tagging):
        _tagging(delta, change)
    elif isinstance(change, Ownership):
        _own(delta, change)
    elif isinstance(change, Documentation):
        _document(delta, change)
    else:
        _describe(delta, change)


def _deletion(delta: FactsDelta, deletion: Deletion) -> None:
    times = (deletion.time,)
    if deletion.job is not None:
        add(delta.jobs, deletion.job, JobFacts(deleted_at=times))
    elif deletion.dataset is not None:
        add(delta.datasets, deletion.dataset, DatasetFacts(deleted_at=times))
    else:
        add(delta.namespaces, deletion.namespace, NamespaceFacts(deleted_at=times))


def _tagging(delta: FactsDelta, tagging: Tagging) -> None:
    stamp = f"{tagging.time}#{tagging.hash}"
    key = f"{tagging.field or ''}\0{tag_key(tagging.tag)}"
    delta.rows += rows_of_tagging(tagging)
    tagged = {key: [stamp, tagging.tag, tagging.field, tagging.present, tagging.caller]}
    if tagging.job is not None:
        add(delta.jobs, tagging.job, JobFacts(tagged=tagged))
    elif tagging.dataset is not None:
        add(delta.datasets, tagging.dataset, DatasetFacts(tagged=tagged))
    else:
        described = history_of({"name": tagging.tag, "description": tagging.description}, stamp)
        add(delta.tags, tag_key(tagging.tag), TagFacts(described=described))


def _own(delta: FactsDelta, ownership: Ownership) -> None:
    stamp = f"{ownership.time}#{ownership.hash}"
    delta.rows += rows_of_ownership(ownership)
    value = [stamp, ownership.owner, ownership.type, ownership.present, ownership.caller]
    _annotate(delta, ownership, owned={owner_key(ownership.owner): value})


def _document(delta: FactsDelta, documentation: Documentation) -> None:
    stamp = f"{documentation.time}#{documentation.hash}"
    value = [stamp, documentation.description, documentation.caller]
    _annotate(delta, documentation, documented={documentation.field or "": value})


def _annotate(delta: FactsDelta, statement: Ownership | Documentation, **facts: Any) -> None:
    """Add facts of the job or the dataset that a statement annotates; it is no mention."""
    if statement.job is not None:
        add(delta.jobs, statement.job, JobFacts(**facts))
    elif statement.dataset is not None:
        add(delta.datasets, statement.dataset, DatasetFacts(**facts))


def _describe(delta: FactsDelta, described: Description) -> None:
    """Add a description, which mentions its namespace: a namespace may be described before any event names it."""
    history = history_of(described.values, f"{described.time}#{described.hash}")
    if described.namespace is not None:
        delta.mention(described.time, described.namespace)
        add(delta.namespaces, described.namespace, NamespaceFacts(described=history))
    if described.source is not None:
        facts = SourceFacts(first=described.time, described=history)
        add(delta.sources, SourceId(NO_NAMESPACE, described.source), facts)
