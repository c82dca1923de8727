"""Records as the HTTP API prints them."""

from __future__ import annotations

from collections.abc import Sequence

import orjson

from lineage.api.answers import ANSWER_BYTES_MAX, size_of
from lineage.records.live_records import LiveRecord, NodePath
from lineage.records.message_json import render_record
from lineage.records.record import LineageRecord
from lineage.records.search.criteria import SearchRecord


def render_live(live: LiveRecord) -> dict[str, object]:
    """A record in the seed's form, when it expires, and what the load function's enrichers added."""
    return {**render_record(live.record), "ttl_expiry": live.ttl_expiry, **_metadata(live.record)}


def render_found(found: SearchRecord) -> dict[str, object]:
    """A record that a search found: as `render_live`, and the day under which the archive's tables have it."""
    where = {"ttl_expiry": found.ttl_expiry, "archivedOn": found.archived_on}
    return {**render_record(found.record), **where, **_metadata(found.record)}


def _metadata(record: LineageRecord) -> dict[str, object]:
    return {"metadata": dict(record.metadata)} if record.metadata else {}


def render_some(records: Sequence[LiveRecord], room: int = ANSWER_BYTES_MAX) -> tuple[list[dict[str, object]], int]:
    """The first records that fit into `room` bytes, and the room that is left."""
    forms: list[dict[str, object]] = []
    for form in map(render_live, records):
        size = size_of(orjson.dumps(form)) + 1
        if size > room:
            break
        room -= size
        forms.append(form)
    return forms, room


def render_place(place: NodePath, room: int = ANSWER_BYTES_MAX) -> dict[str, object]:
    """`{"record", "path": [root ... node], "descendants", "truncated"}`, in at most about `room` bytes.

    A path that does not start at the root says so as trace lines do: `"complete": false` with `missing` or `cycle`.
    """
    # The node is printed twice; the ancestors nearest to it matter most, then what came of it.
    upward, left = render_some(place.path[::-1], room // 2)
    descendants, _ = render_some(place.descendants, left + room // 2)
    cut = len(upward) < len(place.path) or len(descendants) < len(place.descendants)
    return {
        "record": render_live(place.node),
        "path": upward[::-1],
        "descendants": descendants,
        "truncated": place.truncated or cut,
        **_faults(place),
    }


def _faults(place: NodePath) -> dict[str, object]:
    if place.missing is not None:
        return {"complete": False, "missing": [place.missing]}
    return {"complete": False, "cycle": list(place.cycle)} if place.cycle else {}
