"""Expired records in the graph table that no trace is known to have read.

STAGED#<sha of root>  <sha of record>   the record's item as it was when TTL removed it
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from headwater.aws.items import batch_write, query_pages
from headwater.records.items import parse_item, render_item
from headwater.records.record import LineageRecord
from headwater_model.ids import sha256_hex

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import WriteRequestTypeDef

    from headwater.aws.items import Item, Value


@dataclass(frozen=True, slots=True)
class Staged:
    """The staged records of every root."""

    dynamodb: DynamoDBClient
    table: str

    def stage(self, records: Iterable[LineageRecord]) -> None:
        """Keep records that TTL removed until a trace has archived them."""
        puts = {item["sk"]["S"]: item for item in map(_staged_item, records)}
        batch_write(self.dynamodb, self.table, [{"PutRequest": {"Item": item}} for item in puts.values()])

    def staged(self, root_id: str) -> Iterator[tuple[str, LineageRecord]]:
        """Yield the root's staged records, each with its sort key, strongly consistent."""
        for items in query_pages(self.dynamodb, self.table, f"STAGED#{sha256_hex(root_id)}"):
            for item in items:
                yield item["sk"]["S"], parse_item(item)

    def unstage(self, root_id: str, places: Sequence[str]) -> None:
        """Drop staged items, by sort key, that a committed archive object holds."""
        pk: Value = {"S": f"STAGED#{sha256_hex(root_id)}"}
        deletes: list[WriteRequestTypeDef] = [
            {"DeleteRequest": {"Key": {"pk": pk, "sk": {"S": place}}}} for place in places
        ]
        batch_write(self.dynamodb, self.table, deletes)


def _staged_item(record: LineageRecord) -> Item:
    # Two records of one node may both expire unread: the sort key distinguishes them, the trace decides between them.
    place = sha256_hex(f"{record.root_id}\0{record.node_id}\0{record.recorded_at}\0{record.content_hash}")
    return {"pk": {"S": f"STAGED#{sha256_hex(record.root_id)}"}, "sk": {"S": place}, **render_item(record)}
