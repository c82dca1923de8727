"""Facts of changes through the API: a deletion, tag, owner or description; and the facts of a renaming."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from headwater.events.event import Deletion, Description, Documentation, Ownership, Renaming, Tagging
from headwater.facts.annotations import owner_key, tag_key
from headwater.facts.catalogue import TAGS, added_names_row
from headwater.facts.delta_jobs import namespace_mention
from headwater.facts.facts import DatasetFacts, NamespaceFacts, SourceFacts, TagFacts, text_of
from headwater.facts.facts_delta import Added, about
from headwater.facts.lattice import history_of
from headwater.facts.list_rows import NO_NAMESPACE, SourceId, owner_pk, row_in_list, rows_of_tag


def deletions(deletion: Deletion) -> Iterator[Added]:
    """Yield the deletion of a job, a dataset, or a namespace."""
    times = (deletion.time,)
    if deletion.thing is None:
        yield deletion.namespace, NamespaceFacts(deleted_at=times)
    else:
        yield about(deletion.thing, deleted_at=times)


def tags(tagging: Tagging) -> Iterator[Added]:
    """Yield a tag of a job, a dataset or a field, or the description of a tag."""
    if tagging.thing is None:
        # Without a thing, a tag is in no namespace.
        yield added_names_row(TAGS, NO_NAMESPACE, [tagging.tag])
        described = history_of({"name": tagging.tag, "description": tagging.description}, tagging.stamp)
        yield tag_key(tagging.tag), TagFacts(described=described)
    else:
        if tagging.present:
            yield from rows_of_tag(tagging.thing, tagging.tag)
        tag = [tagging.stamp, tagging.tag, tagging.field, tagging.present, tagging.caller]
        yield about(tagging.thing, tagged={f"{tagging.field or ''}\0{tag_key(tagging.tag)}": tag})


def owners(change: Ownership) -> Iterator[Added]:
    """Yield an owner of a job or a dataset."""
    if change.thing is not None:
        if change.present:
            yield row_in_list(owner_pk(change.owner), change.thing)
        owner = [change.stamp, change.owner, change.type, change.present, change.caller]
        yield about(change.thing, owned={owner_key(change.owner): owner})


def texts(change: Documentation) -> Iterator[Added]:
    """Yield the description of a job, a dataset or a field."""
    if change.thing is not None:
        text = [change.stamp, change.description, change.caller]
        yield about(change.thing, documented={change.field or "": text})


def descriptions(change: Description) -> Iterator[Added]:
    """Yield the description of a source or a namespace; it mentions a namespace without events, too."""
    history = history_of(change.values, change.stamp)
    if change.namespace is not None:
        yield namespace_mention(change.namespace, change.time)
        yield change.namespace, NamespaceFacts(described=history)
    if change.source is not None:
        yield SourceId(NO_NAMESPACE, change.source), SourceFacts(first=change.time, described=history)


def renamings(renaming: Renaming) -> Iterator[Added]:
    """Yield a mention of a dataset with its other names."""
    time, stamp, dataset = renaming.time, renaming.stamp, renaming.dataset
    others = {text_of(other): stamp for other in renaming.others}
    facts = DatasetFacts(first=time, last=time, mentioned_at=(time,), mentioned_undropped_at=(time,))
    yield dataset, replace(facts, other_names=others)
    for other in renaming.others:
        yield other, DatasetFacts(aliases={text_of(dataset): (stamp,)})
    yield namespace_mention(dataset.namespace, time)
