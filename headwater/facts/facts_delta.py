"""The facts that statements add, by the entity that has them; joined, so their order and repetition never matter."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from headwater.events.event import Facets
from headwater.facts.facet_refs import FacetRef, refs_in
from headwater.facts.facts import DatasetFacts, F, JobFacts, NamespaceFacts, RunFacts, SourceFacts, TagFacts, join
from headwater.facts.feed_rows import Sender
from headwater.facts.source_rows import SourceId
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
