"""Contents of histories that lie apart from the facts, each stored once under its hash.

Every event writes the facts of what it mentions anew, so facts of many or large contents would be written again and
again. In the row of such facts a content has its stamps alone, and the row lists its hash (`apart`). `GraphTable` sets
contents apart in a swap, before it writes the row, and puts them back when it reads the row; nothing else knows of it.
A content is never removed: the facts of the run that reported it refer to it for ever.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from typing import Any, TypeAlias

import orjson

# The contents of a history are set apart if they have more bytes together: facts of common size need no other row.
HISTORY_BYTES_MAX = 4_096
# A smaller content stays with its stamps, which have 120 bytes.
_APART_BYTES_MIN = 256
_FACTS, _APART = "facts", "apart"
# The fields of facts that are histories by facet, and those that are histories by dataset and facet.
_BY_FACET = ("facets", "read_schemas", "written_schemas", "run_facets", "job_facets", "named_facets")
_BY_DATASET = ("input_facets", "output_facets", "read_facets", "written_facets")

_Histories: TypeAlias = Mapping[str, Mapping[str, Sequence[Any]]]


class StoredContent(dict[str, Any]):
    """A content that was read from its row: a loader that swaps the facts again need not write it."""


def content_key(content: str) -> tuple[str, str]:
    """Return the key of a content that is set apart, by its hash."""
    return f"FACET#{content}", "CONTENT"


def set_apart(document: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Return the document of a row of facts as it is written, and the contents set apart from it, by hash."""
    facts = document.get(_FACTS)
    if not facts or len(orjson.dumps(facts)) <= HISTORY_BYTES_MAX:
        return document, {}
    contents: dict[str, Any] = {}
    changed: dict[str, Any] = {name: _strip(facts[name], contents) for name in _BY_FACET if name in facts}
    for name in _BY_DATASET:
        if name in facts:
            changed[name] = {dataset: _strip(histories, contents) for dataset, histories in facts[name].items()}
    if not contents:
        return document, {}
    return {**document, _FACTS: {**facts, **changed}, _APART: sorted(contents)}, contents


def _strip(histories: _Histories, contents: dict[str, Any]) -> _Histories:
    """Return the histories without the contents that are set apart, which are added to `contents`."""
    stripped = {}
    for name, history in histories.items():
        sizes = {content: len(orjson.dumps(value[2])) for content, value in history.items()}
        large = {content for content, size in sizes.items() if size >= _APART_BYTES_MIN}
        if large and sum(sizes.values()) > HISTORY_BYTES_MAX:
            contents.update((content, history[content][2]) for content in large)
            history = {content: value[:2] if content in large else value for content, value in history.items()}
        stripped[name] = history
    return stripped


def apart_from(document: Mapping[str, Any]) -> Sequence[str]:
    """Return the hashes of the contents that are set apart from a document."""
    apart: Sequence[str] = document.get(_APART, ())
    return apart


def put_back(document: MutableMapping[str, Any], contents: Mapping[str, Any]) -> None:
    """Make a document that was read the one that was swapped: put its contents, by hash, back into its histories."""
    del document[_APART]
    stored = {content: StoredContent(body) if isinstance(body, dict) else body for content, body in contents.items()}
    for history in _histories(document[_FACTS]):
        for content, value in history.items():
            if len(value) == 2:
                value.append(stored[content])


def _histories(facts: Mapping[str, Any]) -> Iterator[Mapping[str, list[Any]]]:
    for name in _BY_FACET:
        yield from facts.get(name, {}).values()
    for name in _BY_DATASET:
        for histories in facts.get(name, {}).values():
            yield from histories.values()
