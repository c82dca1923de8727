"""The rows of the lists of tags, owners, failed tests and sources: what is in a list, by the name of the list.

    TAG#<tag>        FACTS                                   what the API gave it: its name and description
                     JOB#<namespace>:<name>#<job>            a job that ever had the tag
                     DATASET#<namespace>:<name>#<dataset>    a dataset that ever had it, or a field of which did
    OWNER#<owner>    JOB#...    DATASET#...                  a job or a dataset that ever had the owner
    TESTS            JOB#...    DATASET#...                  a job or a dataset that ever failed a test
    SOURCE#<source>  FACTS#<namespace>                       what datasets of the namespace report of it, in their
                                                             `dataSource` facets; of no namespace: of the API

`<tag>`, `<owner>` and `<source>` are hashes of the names, of tags and owners for comparison. The `catalogue` lists the
tags and the sources of each namespace. A reader checks each row against the facts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from headwater.events.event import DatasetUse, Ownership, Tagging, is_deleted
from headwater.facts.annotations import owner_key, owners_ever, tag_key, tags_ever
from headwater.facts.assertions import TESTS, Assertions, has_failed
from headwater.facts.catalogue import SOURCES, TAGS, added_names_row
from headwater.facts.facts import DatasetFacts, JobFacts, SourceFacts, text_of
from headwater.facts.keys import FACTS, sortable
from headwater.facts.table import Key, Row
from headwater_model.ids import DatasetId, JobId, sha256_hex

# The set of tags that were described, whatever has them.
NO_NAMESPACE = ""
_PREFIX_BYTES_MAX = 800
# A longer name or URL is left in its facet alone.
_BYTES_MAX = 2_048


def tag_pk(name: str) -> str:
    """Return the partition of a tag."""
    return f"TAG#{sha256_hex(tag_key(name))}"


def owner_pk(name: str) -> str:
    """Return the partition of an owner."""
    return f"OWNER#{sha256_hex(owner_key(name))}"


def tag_facts_key(name: str) -> Key:
    """Return the key of the facts of a tag."""
    return tag_pk(name), FACTS


def rows_of_tagging(tagging: Tagging) -> Iterator[Row]:
    """Yield the rows of a tag that was set, or described: a tag that is only described is in no namespace."""
    thing = tagging.job or tagging.dataset
    if thing is None:
        yield added_names_row(TAGS, NO_NAMESPACE, [tagging.tag])
    elif tagging.present:
        yield from _rows(thing, [tagging.tag])


def rows_of_ownership(ownership: Ownership) -> Iterator[Row]:
    """Yield the row of an owner that was set."""
    thing = ownership.job or ownership.dataset
    if thing is not None and ownership.present:
        yield _row_of(thing, owner_pk(ownership.owner))


def tag_rows(thing: JobId | DatasetId, facts: JobFacts | DatasetFacts) -> Iterator[Row]:
    """Yield the rows of every tag that the facets of these facts have or had."""
    yield from _rows(thing, sorted(tags_ever(facts)))


def owner_rows(thing: JobId | DatasetId, facts: JobFacts | DatasetFacts) -> Iterator[Row]:
    """Yield the rows of every owner that the facets of these facts have or had."""
    yield from (_row_of(thing, owner_pk(name)) for name in sorted(owners_ever(facts)))


def failure_rows(thing: JobId | DatasetId, assertions: Assertions) -> Iterator[Row]:
    """Yield the row of what failed a test, by the results of an event."""
    if has_failed(assertions):
        yield _row_of(thing, TESTS)


def _rows(thing: JobId | DatasetId, names: Iterable[str]) -> Iterator[Row]:
    for name in names:
        yield added_names_row(TAGS, thing.namespace, [name])
        yield _row_of(thing, tag_pk(name))


def _row_of(thing: JobId | DatasetId, pk: str) -> Row:
    kind = "JOB" if isinstance(thing, JobId) else "DATASET"
    return Row(
        pk, f"{kind}#{sortable(f'{thing.namespace}:{thing.name}')}#{thing.digest[:16]}", {"name": text_of(thing)}
    )


def namespace_prefix(kind: Literal["JOB", "DATASET"], namespace: str) -> str:
    """Return a prefix of the rows of a namespace's jobs or datasets; `*` at its end stands for the rest of its name.

    >>> namespace_prefix("JOB", "emissions"), namespace_prefix("JOB", "team-*"), namespace_prefix("DATASET", "*")
    ('JOB#emissions:', 'JOB#team-', 'DATASET#')
    """
    beginning = namespace[:-1] if namespace.endswith("*") else f"{namespace}:"
    # Long names are cut in the rows, further on.
    return f"{kind}#{beginning.encode()[:_PREFIX_BYTES_MAX].decode(errors='ignore')}"


class SourceId(NamedTuple):
    """A source as the datasets of a namespace name it; the empty namespace is the API's."""

    namespace: str
    name: str


def source_facts_key(source: SourceId) -> Key:
    """Return the key of the facts of a source."""
    return f"SOURCE#{sha256_hex(source.name)}", f"FACTS#{sha256_hex(source.namespace)}"


def source_text(source: SourceId) -> str:
    """Return the source as its row holds it."""
    return "\0".join(source)


def source_listing(text: str) -> Row:
    """Return the row that lists a source, by `source_text`."""
    namespace, name = text.split("\0", 1)
    return added_names_row(SOURCES, namespace, [name])


def sources_in(use: DatasetUse, time: str) -> Iterator[tuple[SourceId, SourceFacts]]:
    """Yield the source that an event names for a dataset, with its facts."""
    facet = use.facets.get("dataSource", {})
    name, url = _short(facet.get("name")), _short(facet.get("uri"))
    if name.strip() and not is_deleted(facet):
        yield SourceId(use.dataset.namespace, name), SourceFacts(first=time, urls={url: time} if url else {})


def _short(text: object) -> str:
    return text if isinstance(text, str) and len(text.encode()) <= _BYTES_MAX else ""
