"""Records as items of DynamoDB: Carbonlake's attributes, and those with which the service decides and proves."""

from __future__ import annotations

from sys import intern
from typing import TYPE_CHECKING

from headwater.records.record import LineageRecord
from headwater_model.errors import Unavailable

if TYPE_CHECKING:
    from headwater.aws.items import Item, Value


def render_item(record: LineageRecord) -> dict[str, Value]:
    """Return the record's own attributes."""
    item: dict[str, Value] = {
        "root_id": {"S": record.root_id},
        "node_id": {"S": record.node_id},
        "parent_id": {"S": record.parent_id},
        "action_taken": {"S": record.action_taken},
        "storage_location": {"S": record.storage_location},
        "recordedAt": {"N": str(record.recorded_at)},
    }
    if record.run_id is not None:
        item["run_id"] = {"S": record.run_id}
    if record.metadata:
        item["metadata"] = {"M": {name: {"S": text} for name, text in record.metadata}}
    return item


def render_life(record: LineageRecord, *, ttl_s: int, loaded_at: int) -> dict[str, Value]:
    """Return the times when the item expires and when the load function began to write it, in seconds since 1970."""
    return {"ttl_expiry": {"N": str(record.recorded_at + ttl_s)}, "loaded_at": {"N": str(loaded_at)}}


def parse_item(item: Item) -> LineageRecord:
    """Return the record of an item that `render_item` wrote.

    Texts that many records of a root repeat become one string each: a trace holds a million records.
    """
    check_version(item)
    run_id = item.get("run_id")
    metadata = item.get("metadata")
    return LineageRecord(
        root_id=intern(item["root_id"]["S"]),
        node_id=item["node_id"]["S"],
        parent_id=intern(item["parent_id"]["S"]),
        action_taken=intern(item["action_taken"]["S"]),
        storage_location=item["storage_location"]["S"],
        recorded_at=int(item["recordedAt"]["N"]),
        run_id=run_id["S"] if run_id else None,
        metadata=tuple(sorted((name, text["S"]) for name, text in metadata["M"].items())) if metadata else (),
    )


def expiry_of(item: Item) -> int:
    """Return the time when the item expires, in seconds since 1970."""
    return int(item["ttl_expiry"]["N"])


def loaded_at_of(item: Item) -> int:
    """Return the time when the load function began to write the item; without it the far future, so never early."""
    loaded_at = item.get("loaded_at")
    return int(loaded_at["N"]) if loaded_at else 2**62


ATTRIBUTE = "schema"
VERSION = 1


def check_version(item: Item) -> None:
    """Refuse an item of a later release with `Unavailable`: it cannot be read until a roll-back is over.

    >>> check_version({"node_id": {"S": "n"}, "schema": {"N": "2"}})
    Traceback (most recent call last):
    ...
    headwater_model.errors.Unavailable: an item is of version 2: this release reads up to 1
    """
    written = item.get(ATTRIBUTE)
    if written is not None and int(written["N"]) > VERSION:
        raise Unavailable(f"an item is of version {written['N']}: this release reads up to {VERSION}")
