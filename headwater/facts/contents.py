"""Contents of histories, stored outside of the facts: a row for each content, by its hash.

Each event writes the facts of its things anew, so many or large contents would be written again and again. A row of
such facts keeps a content's stamps alone, and lists its hash under `apart`. `GraphTable` sets contents apart in a swap,
before it writes the row, and puts them back when it reads the row; nothing else knows of it. A content is
never removed: the facts of the reporting run refer to it for ever.

    {"facts": {"facets": {"schema": {"<hash>": [stamp, stamp]}}}, "apart": ["<hash>"]}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from typing import Any, TypeAlias

import orjson

# The least size of a history whose contents are set apart, together: facts of common size need a single row.
HISTORY_BYTES_MAX = 4_096
# A smaller content stays with its stamps, which have 120 bytes.
_APART_BYTES_MIN = 256
_FACTS, _APART = "facts", "apart"
# The fields of facts with histories by facet, and the fields with histories by dataset and facet.
_BY_FACET = ("facets", "read_schemas", "written_schemas", "run_facets", "job_facets", "named_facets")
_BY_DATASET = ("input_facets", "output_facets", "read_facets", "written_facets")

_Histories: TypeAlias = Mapping[str, Mapping[str, Sequence[Any]]]


class StoredContent(dict[str, Any]):
    """A content read from its row: the next swap of the facts need not write it."""


def content_key(content: str) -> tuple[str, str]:
    """Name the row of a content set apart, by its hash."""
    return f"FACET#{content}", "CONTENT"


def split_contents(document: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Split the document of a row of facts: the document to write, and the contents set apart, by hash."""
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
    """Remove the large contents from the histories, and add them to `contents`."""
    stripped = {}
    for name, history in histories.items():
        sizes = {content: len(orjson.dumps(value[2])) for content, value in history.items()}
        large = {content for content, size in sizes.items() if size >= _APART_BYTES_MIN}
        if large and sum(sizes.values()) > HISTORY_BYTES_MAX:
            contents.update((content, history[content][2]) for content in large)
            history = {content: value[:2] if content in large else value for content, value in history.items()}
        stripped[name] = history
    return stripped


def content_hashes(document: Mapping[str, Any]) -> Sequence[str]:
    """List the hashes of a document's contents set apart."""
    hashes: Sequence[str] = document.get(_APART, ())
    return hashes


def put_back(document: MutableMapping[str, Any], contents: Mapping[str, Any]) -> None:
    """Put the contents, by hash, back into the histories of a document: it equals the swapped document again."""
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
