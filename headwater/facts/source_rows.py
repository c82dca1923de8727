"""Rows of sources, which datasets name in their `dataSource` facet, and the API describes.

SOURCE#<source>    FACTS#<namespace>    what datasets of the namespace report of it; of no namespace: of the API
SOURCES            SNAPSHOT  PART#…  +<content>   by namespace, the sources that its datasets ever named (`catalogue`)
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import NamedTuple

from headwater.events.deleted_facets import is_deleted
from headwater.events.event import DatasetUse
from headwater.facts.catalogue import SOURCES, added_names_row
from headwater.facts.facts import SourceFacts
from headwater.facts.table import Key, Row

# A longer name or URL is left in its facet alone.
_BYTES_MAX = 2_048


class SourceId(NamedTuple):
    """A source as the datasets of a namespace name it; the empty namespace is the API's."""

    namespace: str
    name: str


def source_facts_key(source: SourceId) -> Key:
    """Return the key of the facts of a source."""
    return f"SOURCE#{_digest(source.name)}", f"FACTS#{_digest(source.namespace)}"


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


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
