"""The facts that statements add, by the entity that has them; joined, so their order and repetition never matter.

`add_api_change` adds those of a change through the API: a deletion, a tag, an owner, a description. `delta` adds
those of events.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from headwater.events.event import ApiChange, Deletion, Description, Documentation, Facets, Ownership, Tagging
from headwater.facts.annotations import owner_key, tag_key
from headwater.facts.facet_refs import FacetRef, refs_in
from headwater.facts.facts import DatasetFacts, F, JobFacts, NamespaceFacts, RunFacts, SourceFacts, TagFacts, join
from headwater.facts.feed_rows import Sender
from headwater.facts.lattice import history_of
from headwater.facts.list_rows import NO_NAMESPACE, SourceId, rows_of_ownership, rows_of_tagging
from headwater.facts.table import Key, Row
from headwater_model.ids import DatasetId, JobId, RunKey


@dataclass(slots=True)
class FactsDelta:
    """Facts by what they are of, rows that DatasetEvents, streams and tags add, and facet refs by `complete_key`.

    `senders` are the jobs and runs of the events, by stamp.
    """

    runs: dict[RunKey, RunFacts] = field(default_factory=dict)
    jobs: dict[JobId, JobFacts] = field(default_factory=dict)
    datasets: dict[DatasetId, DatasetFacts] = field(default_factory=dict)
    namespaces: dict[str, NamespaceFacts] = field(default_factory=dict)
    tags: dict[str, TagFacts] = field(default_factory=dict)
    sources: dict[SourceId, SourceFacts] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    refs: dict[Key, FacetRef] = field(default_factory=dict)
    senders: dict[str, Sender] = field(default_factory=dict)

    def mention(self, time: str, *namespaces: str) -> None:
        """Add a mention of these namespaces."""
        for namespace in namespaces:
            add(self.namespaces, namespace, NamespaceFacts(first=time, last=time, mentioned_at=(time,)))

    def replace_facets(
        self, facets: Facets, names: Iterable[str], named: frozenset[DatasetId], dataset: DatasetId | None = None
    ) -> Facets:
        """Return the facets with references in place of those that are stored by content; `named` is the event's."""
        replaced = dict(facets)
        for name, ref in refs_in(facets, names, dataset):
            limited = ref.limited(named)
            self.refs[limited.complete_key] = limited
            replaced[name] = ref.reference
        return replaced


def add(known: dict[Any, F], entity: Any, facts: F) -> None:
    """Join facts to those that are known of an entity."""
    known[entity] = join(known[entity], facts) if entity in known else facts


def add_api_change(delta: FactsDelta, change: ApiChange) -> None:
    """Add the facts of a change that was made through the API."""
    stamp = f"{change.time}#{change.hash}"
    if isinstance(change, Deletion):
        _deletion(delta, change)
    elif isinstance(change, Tagging):
        _tagging(delta, change, stamp)
    elif isinstance(change, Ownership):
        delta.rows += rows_of_ownership(change)
        owner = [stamp, change.owner, change.type, change.present, change.caller]
        _annotate(delta, change, owned={owner_key(change.owner): owner})
    elif isinstance(change, Documentation):
        text = [stamp, change.description, change.caller]
        _annotate(delta, change, documented={change.field or "": text})
    else:
        _describe(delta, change, stamp)


def _deletion(delta: FactsDelta, deletion: Deletion) -> None:
    times = (deletion.time,)
    if deletion.job is not None:
        add(delta.jobs, deletion.job, JobFacts(deleted_at=times))
    elif deletion.dataset is not None:
        add(delta.datasets, deletion.dataset, DatasetFacts(deleted_at=times))
    else:
        add(delta.namespaces, deletion.namespace, NamespaceFacts(deleted_at=times))


def _tagging(delta: FactsDelta, tagging: Tagging, stamp: str) -> None:
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


def _annotate(delta: FactsDelta, statement: Ownership | Documentation, **facts: Any) -> None:
    """Add facts of the job or the dataset that a statement annotates; it is no mention."""
    if statement.job is not None:
        add(delta.jobs, statement.job, JobFacts(**facts))
    elif statement.dataset is not None:
        add(delta.datasets, statement.dataset, DatasetFacts(**facts))


def _describe(delta: FactsDelta, described: Description, stamp: str) -> None:
    """Add a description, which mentions its namespace: a namespace may be described before any event names it."""
    history = history_of(described.values, stamp)
    if described.namespace is not None:
        delta.mention(described.time, described.namespace)
        add(delta.namespaces, described.namespace, NamespaceFacts(described=history))
    if described.source is not None:
        facts = SourceFacts(first=described.time, described=history)
        add(delta.sources, SourceId(NO_NAMESPACE, described.source), facts)
