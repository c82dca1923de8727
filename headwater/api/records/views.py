"""Records as the HTTP API prints them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import orjson

from headwater.api.http.responses import RESPONSE_BYTES_MAX, size_of
from headwater.api.records import types
from headwater.records.forest import Group
from headwater.records.live_records import LiveRecord, NodePath
from headwater.records.pointers import LastArchive
from headwater.records.record import LineageRecord, render_record
from headwater.records.search.criteria import SearchRecord


def render_live(live: LiveRecord) -> types.Record:
    """Render a record as Carbonlake has it, with its expiry and the additions of the load function's enrichers."""
    rendered: types.Record = {**_render_sent(live.record), "ttl_expiry": live.ttl_expiry}
    if live.record.metadata:
        rendered["metadata"] = dict(live.record.metadata)
    return rendered


def render_root(root_id: str, archive: LastArchive | None) -> types.Root:
    """Render a root with its last object in the archive."""
    return {
        "root_id": root_id,
        "archivedOn": archive.day if archive else None,
        "archivedRecords": archive.object.records if archive else 0,
    }


def render_found(hit: SearchRecord) -> types.SearchRecord:
    """Render a found record: as `render_live`, with its day in the archive's tables."""
    rendered: types.SearchRecord = {
        **_render_sent(hit.record),
        "ttl_expiry": hit.ttl_expiry,
        "archivedOn": hit.archived_on,
    }
    if hit.record.metadata:
        rendered["metadata"] = dict(hit.record.metadata)
    return rendered


def render_group(number: int, group: Group) -> types.OutlineGroup:
    """Render a group of an outline."""
    return {
        "id": number,
        "parent": group.parent,
        "action_taken": group.action,
        "records": group.records,
        "leaves": group.leaves,
        "firstRecordedAt": group.first,
        "lastRecordedAt": group.last,
        "complete": group.complete,
        "examples": [{"node_id": node, "storage_location": location} for node, location in group.examples],
    }


def _render_sent(record: LineageRecord) -> types.Sent:
    # Messages of the queues have the same fields; the jobs that write them know nothing of the API.
    return cast(types.Sent, render_record(record))


def render_live_within(
    records: Sequence[LiveRecord], budget: int = RESPONSE_BYTES_MAX
) -> tuple[list[types.Record], int]:
    """Render the first records that fit into `budget` bytes; return the rest of the budget, too."""
    rendered: list[types.Record] = []
    for record in map(render_live, records):
        size = size_of(orjson.dumps(record)) + 1
        if size > budget:
            break
        budget -= size
        rendered.append(record)
    return rendered, budget


def render_path(place: NodePath, budget: int = RESPONSE_BYTES_MAX) -> types.NodePath:
    """Render `{"record", "path": [root ... node], "descendants", "truncated"}`, in at most about `budget` bytes.

    A path from elsewhere than the root is marked as in a trace: `"complete": false` with `missing` or `cycle`.
    """
    # The node is printed twice; its nearest ancestors matter most, then its descendants.
    upward, left = render_live_within(place.path[::-1], budget // 2)
    descendants, _ = render_live_within(place.descendants, left + budget // 2)
    cut = len(upward) < len(place.path) or len(descendants) < len(place.descendants)
    return {
        "record": render_live(place.node),
        "path": upward[::-1],
        "descendants": descendants,
        "truncated": place.truncated or cut,
        **_faults(place),
    }


def _faults(place: NodePath) -> types.Unsure:
    if place.missing is not None:
        return {"complete": False, "missing": [place.missing]}
    return {"complete": False, "cycle": list(place.cycle)} if place.cycle else {}
