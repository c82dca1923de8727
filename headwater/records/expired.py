"""Records that expire before a trace is known to have read them: they are staged, and their roots marked dirty.

STAGED#<sha of root>    <sha of record>    the record's item as it was when TTL removed it, until a trace archived it
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from headwater.aws.items import batch_write, query_pages
from headwater.records.dirty_roots import DirtyRoots
from headwater.records.pointers import LastArchive, Pointers
from headwater.records.record import LineageRecord
from headwater.records.table import parse_item, render_item
from headwater_model.ids import sha256_hex

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import WriteRequestTypeDef

    from headwater.aws.items import Item, Value

# Between the functions' clocks, and from a load's start (`loaded_at`) to its last write: its time-out, doubled.
MARGIN_S = 15 * 60


@dataclass(frozen=True, slots=True)
class Staged:
    """The staged records of every root."""

    dynamodb: DynamoDBClient
    table: str

    def stage(self, records: Iterable[LineageRecord]) -> None:
        """Keep records removed by TTL until a trace has archived them."""
        puts = {item["sk"]["S"]: item for item in map(_staged_item, records)}
        batch_write(self.dynamodb, self.table, [{"PutRequest": {"Item": item}} for item in puts.values()])

    def read(self, root_id: str) -> Iterator[tuple[str, LineageRecord]]:
        """Yield the root's staged records, each with its sort key, strongly consistent."""
        for items in query_pages(self.dynamodb, self.table, f"STAGED#{sha256_hex(root_id)}"):
            for item in items:
                yield item["sk"]["S"], parse_item(item)

    def unstage(self, root_id: str, places: Sequence[str]) -> None:
        """Drop staged items, by sort key, once a committed archive object holds them."""
        pk: Value = {"S": f"STAGED#{sha256_hex(root_id)}"}
        deletes: list[WriteRequestTypeDef] = [
            {"DeleteRequest": {"Key": {"pk": pk, "sk": {"S": place}}}} for place in places
        ]
        batch_write(self.dynamodb, self.table, deletes)


def _staged_item(record: LineageRecord) -> Item:
    # Two records of a node may both expire unread: the sort key distinguishes them, the trace decides between them.
    place = sha256_hex(f"{record.root_id}\0{record.node_id}\0{record.recorded_at}\0{record.content_hash}")
    return {"pk": {"S": f"STAGED#{sha256_hex(record.root_id)}"}, "sk": {"S": place}, **render_item(record)}


@dataclass(frozen=True, slots=True)
class ExpiredRecord:
    """A record removed by TTL; the times of its load's start and of its removal, in seconds since 1970."""

    record: LineageRecord
    loaded_at: int
    removed_at: int


@dataclass(frozen=True, slots=True)
class ExpiredRecords:
    """The staging of expired records until a trace has archived them."""

    staged: Staged
    dirty_roots: DirtyRoots
    pointers: Pointers

    def stage(self, expired: Sequence[ExpiredRecord], *, day: str) -> int:
        """Stage the records without a known, committed trace, and mark their roots dirty on the day.

        Returns the number staged. Repeating the call changes nothing but the roots' counters.
        """
        pointers = self.pointers.find_many({removal.record.root_id for removal in expired})
        unread = [removal.record for removal in expired if not _was_read(removal, pointers.get(removal.record.root_id))]
        self.staged.stage(unread)
        for root_id in dict.fromkeys(record.root_id for record in unread):
            self.dirty_roots.mark(root_id, day)
        return len(unread)


def _was_read(removal: ExpiredRecord, pointer: LastArchive | None) -> bool:
    """True if the root's last trace certainly read the record: the table held it during the whole read."""
    if pointer is None:
        return False
    return surely_loaded_before(removal.loaded_at, pointer) and removal.removed_at > pointer.read_to + MARGIN_S


def surely_loaded_before(loaded_at: int, pointer: LastArchive) -> bool:
    """True if a record with a load from `loaded_at` on was in the table before the trace began to read."""
    return loaded_at + MARGIN_S < pointer.read_from
