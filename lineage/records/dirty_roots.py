"""Marks in the graph table: which roots got new records, by day, and what a trace has read of them.

    DIRTY#<day>#<shard>    <sha of root>     root_id, gen, traced_gen, deferred_gen

Loading counts `gen` up after its records are written; a trace sets `traced_gen` to the `gen` that it saw before it read
them. A root is dirty while `traced_gen < gen`, so compaction finds its work without a scan of the records table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lineage.aws.items import batch_get, query_pages
from lineage_model.ids import sha_of

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from lineage.aws.items import Item, Value

# A mark that is done, kept for those who look back, then dropped by the table's TTL.
_DONE_KEPT_S = 40 * 24 * 3600


@dataclass(frozen=True, slots=True)
class Mark:
    """That a root got new records on a day: `gen` counts the batches, `traced_gen` those a trace has read."""

    day: str
    root_id: str
    gen: int
    traced_gen: int
    deferred_gen: int

    @property
    def dirty(self) -> bool:
        """Whether some records of the root are in no archive object yet."""
        return self.traced_gen < self.gen

    @property
    def waiting(self) -> bool:
        """Whether a trace can be expected to clean it: not when it was left as too large."""
        return self.dirty and self.deferred_gen < self.gen


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks of every root."""

    dynamodb: DynamoDBClient
    table: str

    def mark(self, root_id: str, day: str) -> None:
        """Say that the root got new records; afterwards it is dirty on that day."""
        self.dynamodb.update_item(
            TableName=self.table,
            Key=_mark_key(day, sha_of(root_id)),
            UpdateExpression="ADD gen :one SET root_id = :root REMOVE expires_at",
            ExpressionAttributeValues={":one": {"N": "1"}, ":root": {"S": root_id}},
        )

    def marks_of(self, root_id: str, days: Sequence[str]) -> list[Mark]:
        """The root's marks on those days (100 at most), strongly consistent."""
        keys = [_mark_key(day, sha_of(root_id)) for day in days]
        return [_mark(item) for item in batch_get(self.dynamodb, self.table, keys)]

    def find(self, day: str, sha: str) -> Mark | None:
        """The mark of a root by the SHA-256 of its id, strongly consistent, or None."""
        answer = self.dynamodb.get_item(TableName=self.table, Key=_mark_key(day, sha), ConsistentRead=True)
        return _mark(answer["Item"]) if "Item" in answer else None

    def marks_on(self, day: str, shard: str, *, after: str | None = None) -> Iterator[list[tuple[str, Mark]]]:
        """Pages of a shard's marks, each with the place to go on after it."""
        for items in query_pages(self.dynamodb, self.table, f"DIRTY#{day}#{shard}", after=after):
            yield [(item["sk"]["S"], _mark(item)) for item in items]

    def finish(self, mark: Mark, *, now_s: int) -> None:
        """Say that a committed trace has read everything up to `mark.gen`."""
        values: dict[str, Value] = {":gen": {"N": str(mark.gen)}}
        expires: dict[str, Value] = {":expires": {"N": str(now_s + _DONE_KEPT_S)}}
        if not self._update(mark, "SET traced_gen = :gen, expires_at = :expires", "gen = :gen", {**values, **expires}):
            self._update(mark, "SET traced_gen = :gen", "attribute_not_exists(traced_gen) OR traced_gen < :gen", values)

    def leave(self, mark: Mark) -> None:
        """Say that the root, as of `mark.gen`, is left to the Spark tracer: it stays dirty, but nobody waits."""
        values: dict[str, Value] = {":gen": {"N": str(mark.gen)}}
        self._update(
            mark, "SET deferred_gen = :gen", "attribute_not_exists(deferred_gen) OR deferred_gen < :gen", values
        )

    def _update(self, mark: Mark, update: str, condition: str, values: Mapping[str, Value]) -> bool:
        try:
            self.dynamodb.update_item(
                TableName=self.table,
                Key=_mark_key(mark.day, sha_of(mark.root_id)),
                UpdateExpression=update,
                ConditionExpression=condition,
                ExpressionAttributeValues=values,
            )
        except self.dynamodb.exceptions.ConditionalCheckFailedException:
            return False
        return True


def _mark_key(day: str, sha: str) -> dict[str, Value]:
    return {"pk": {"S": f"DIRTY#{day}#{sha[0]}"}, "sk": {"S": sha}}


def _mark(item: Item) -> Mark:
    numbers = {name: int(item[name]["N"]) if name in item else 0 for name in ("gen", "traced_gen", "deferred_gen")}
    return Mark(day=item["pk"]["S"].split("#")[1], root_id=item["root_id"]["S"], **numbers)
