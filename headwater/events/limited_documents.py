"""Events as JSON, limited to what takes effect: for readers of the raw log that apply no facts.

    limit_document(document, ["flights*"])    the JSON whose event is `rights.limit_event(event, ["flights*"])`

Another service does not know the sender's rights: it must get no statement that has no effect here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from headwater.events.deleted_facets import is_deleted
from headwater.events.rights import OF_READING
from headwater.namespaces import EVERYWHERE, covers


def limit_document(event: Mapping[str, Any], writes: Sequence[str] | None) -> Mapping[str, Any]:
    """Return the event without what it says about datasets where its sender may not write (None: in all it may)."""
    if writes is None or EVERYWHERE in writes:
        return event
    limited = dict(event)
    for side in ("inputs", "outputs"):
        if event.get(side):
            limited[side] = [_limited(dataset, writes) for dataset in event[side]]
    if event.get("dataset"):
        limited["dataset"] = _limited(event["dataset"], writes)
    return limited


def _limited(dataset: Mapping[str, Any], writes: Sequence[str]) -> Mapping[str, Any]:
    facets = dataset.get("facets")
    if not facets:
        return dataset
    if not covers(writes, dataset["namespace"]):
        return {**dataset, "facets": {name: facets[name] for name in facets.keys() & OF_READING}}
    links = facets.get("symlinks")
    if not links or is_deleted(links) or not links.get("identifiers"):
        return dataset
    kept = [link for link in links["identifiers"] if covers(writes, link["namespace"])]
    return {**dataset, "facets": {**facets, "symlinks": {**links, "identifiers": kept}}}
