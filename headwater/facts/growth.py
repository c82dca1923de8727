"""Rows beside the facts of a thing: written or moved as the facts grow. A table, with a row for each kind of thing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import import_module
from typing import Any, TypeAlias

from headwater.facts.added_rows import added_rows
from headwater.facts.catalogue import NameSet, named
from headwater.facts.created import Created, count_of
from headwater.facts.facts import (
    DatasetFacts,
    Facts,
    JobFacts,
    NamespaceFacts,
    RunFacts,
    SourceFacts,
    TagFacts,
    dataset_of,
    text_of,
)
from headwater.facts.facts_delta import Sender
from headwater.facts.index_rows import child_job_rows
from headwater.facts.keys import FACTS, dataset_pk, facts_key, namespace_pk
from headwater.facts.list_rows import lately_rows, owner_rows, source_facts_key, source_listing, tag_facts_key, tag_rows
from headwater.facts.run_reports import changed_reports, late_reports, left_out_rows, transactional_rows
from headwater.facts.table import Increment, Key, Row
from headwater.facts.words import name_rows, schema_columns
from headwater.features import FEATURES
from headwater_model.ids import DatasetId, RunKey

Senders: TypeAlias = Mapping[str, Sender]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of thing with facts: its key, its id as text, and the rows of its facts.

    New rows are written before the facts:

        rows      functions of a thing and its facts
        added     functions of a thing, its old and its new facts; features' functions also get the senders of events

    Counts move with the facts, `created` among them: the count of new things. So do the `moving` rows. A `listing`, the
    row of a thing in a catalogue, is written after the facts. `left_out` are rows in place of facts without room.
    """

    key: Callable[[Any], Key]
    text: Callable[[Any], str]
    rows: Sequence[Callable[[Any, Any], Iterable[Row]]] = ()
    added: Sequence[Callable[[Any, Any, Any], Iterable[Row]]] = ()
    listing: Callable[[Any], Row] | None = None
    created: Created | None = None
    moving: Callable[[Any, Any, Any], Iterable[Row]] = lambda *_: ()
    left_out: Callable[[Any, Any, Any, Any], Iterable[Row]] = lambda *_: ()

    def is_listed(self, facts: Any) -> bool:
        """True if the catalogue lists a thing with these facts."""
        is_temporary = isinstance(facts, DatasetFacts) and facts.temporary
        return self.listing is not None and facts.first is not None and not is_temporary

    def new_rows(self, thing: Any, old: Facts, new: Facts, senders: Senders) -> Iterator[Row]:
        """Yield the new facts' index rows, without the rows of the old facts."""
        for of in self.added:
            yield from of(thing, old, new)
        for functions in _rows_of_features():
            if type(new) in functions:
                yield from functions[type(new)](thing, old, new, senders)
        if self.rows:
            known = {row.key: row for of in self.rows for row in of(thing, old)}
            yield from (row for of in self.rows for row in of(thing, new) if known.get(row.key) != row)

    def late(self, thing: Any, old: Facts, new: Facts, delta: Facts) -> Iterator[Row]:
        """Yield the rows to write after the facts: a loader that died before them gets its events again.

        So they are yielded, too, for a delta with an event that the old facts may have already.
        """
        if isinstance(old, RunFacts) and isinstance(new, RunFacts) and isinstance(delta, RunFacts):
            yield from late_reports(thing, old, new, delta)
        elif self.listing and self.is_listed(new) and (not self.is_listed(old) or _is_first(old, delta)):
            yield self.listing(thing)

    def counted(self, thing: Any, old: Facts, new: Facts) -> Iterator[Increment]:
        """Yield the changes of the counts of new jobs, datasets and sources by hour."""
        before, after = self._count_of(thing, old), self._count_of(thing, new)
        if before != after:
            yield from (Increment(key, "count", by) for key, by in ((before, -1), (after, 1)) if key)

    def _count_of(self, thing: Any, facts: Any) -> Key | None:
        return count_of(self.created, self.text(thing), facts.first) if self.created and self.is_listed(facts) else None


@cache
def _rows_of_features() -> Sequence[Mapping[type[Facts], Callable[[Any, Any, Any, Senders], Iterable[Row]]]]:
    """Import the features' functions of rows, by the kind of facts, at the first merge."""
    return [import_module(feature.rows).ROWS for feature in FEATURES if feature.rows]


def _run_rows(run: RunKey, old: RunFacts, new: RunFacts) -> Iterator[Row]:
    """Yield the index rows; an unverified row in place of a report has a version, which keeps late rows away."""
    counted = transactional_rows(run, old)
    return (replace(row, version=1) if row.key in counted else row for row in added_rows(run, old, new))


def _is_first(old: Any, delta: Any) -> bool:
    """True if the delta has the first mention of a thing, or an earlier mention."""
    return delta.first is not None and delta.first <= old.first


def _derivation_rows(dataset: DatasetId, facts: DatasetFacts) -> Iterator[Row]:
    """Yield the rows from sources to the dataset, as DatasetEvents declare it."""
    text = text_of(dataset)
    for reference in facts.declarations.values():
        for source in reference["outputs"].get(text, ()):
            yield Row(dataset_pk(dataset_of(source)), f"NOW#DERIVED#{dataset.digest[:32]}", {"name": text})


def _deletion_marks(names: NameSet, thing: Any, facts: JobFacts | NamespaceFacts) -> Iterator[Row]:
    """Yield the mark of a deleted thing: readers of lists check its facts."""
    if facts.deleted_at:
        yield named(names, thing)


def _hiding_marks(dataset: DatasetId, facts: DatasetFacts) -> Iterator[Row]:
    """Yield the marks of datasets hidden, perhaps, by these facts: readers of lists check them."""
    if KINDS[DatasetFacts].is_listed(facts) and (facts.deleted_at or facts.dropped_at or facts.aliases):
        yield named("datasets_to_check", dataset)
    if facts.deleted_at or facts.dropped_at or facts.temporary:
        # A hidden alias may also hide the datasets behind the alias.
        yield from (named("datasets_to_check", dataset_of(primary)) for primary in facts.aliases)


def _name_words(thing: Any, old: Facts, new: Facts) -> Iterator[Row]:
    """Yield the rows of a thing's words when the catalogue first lists the thing."""
    kind = KINDS[type(new)]
    if kind.is_listed(new) and not kind.is_listed(old):
        yield from name_rows(thing)


def _temporary_marks(dataset: DatasetId, old: DatasetFacts, new: DatasetFacts) -> Iterator[Row]:
    """Yield the mark of a listed dataset when a late event calls it temporary: the catalogue loses no name."""
    kind = KINDS[DatasetFacts]
    if kind.is_listed(old) and not kind.is_listed(new):
        yield named("datasets_to_check", dataset)


KINDS: Mapping[type[Facts], Kind] = {
    RunFacts: Kind(facts_key, str, added=(_run_rows,), moving=changed_reports),
    JobFacts: Kind(
        facts_key,
        text_of,
        rows=(partial(_deletion_marks, "jobs_to_check"), tag_rows, owner_rows, child_job_rows),
        added=(_name_words, lately_rows),
        listing=partial(named, "jobs"),
        created="jobs",
    ),
    DatasetFacts: Kind(
        facts_key,
        text_of,
        rows=(_hiding_marks, tag_rows, owner_rows, _derivation_rows),
        added=(_temporary_marks, _name_words, schema_columns),
        listing=partial(named, "datasets"),
        created="datasets",
        left_out=left_out_rows,
    ),
    TagFacts: Kind(tag_facts_key, str),
    SourceFacts: Kind(source_facts_key, "\0".join, listing=source_listing, created="sources"),
    NamespaceFacts: Kind(
        lambda namespace: (namespace_pk(namespace), FACTS),
        str,
        rows=(partial(_deletion_marks, "namespaces_to_check"),),
        listing=partial(named, "namespaces"),
    ),
}
