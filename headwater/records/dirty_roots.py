"""Dirty roots in the graph table: roots with new records, by day, and the records that traces have read.

    DIRTY#<day>#<shard>    <sha of root>     root_id, gen, traced_gen, deferred_gen, refused_gen, dirty_since, listed,
                                             expires_at (of a clean root)

Loading counts `gen` up after its records are written; a trace sets `traced_gen` to the `gen` of the moment before its
reads. A root is dirty while `traced_gen < gen`, so compaction finds its work without a scan of the records table. All
marks before `dirty_since` (milliseconds since 1970) are traced. `listed`: the root is among the ids of all roots
(`root_ids.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from headwater.aws.items import batch_get, from_item, query_pages, to_item
from headwater.records.root_ids import RootIds
from headwater_model.ids import sha256_hex

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from headwater.aws.items import Item, Value

# Seconds that a clean root's row stays for searches, until the table's TTL removes it.
_DONE_KEPT_S = 40 * 24 * 3600


@dataclass(frozen=True, slots=True)
class DirtyRoot:
    """A root with new records on a day: `gen` counts the batches, `traced_gen` the batches read by a trace.

    Unread batches were marked at `since` or later (milliseconds since 1970).
    """

    day: str
    root_id: str
    gen: int
    traced_gen: int
    deferred_gen: int
    refused_gen: int
    since: int

    @property
    def is_dirty(self) -> bool:
        """True if some records of the root are in no archive object yet."""
        return self.traced_gen < self.gen

    @property
    def is_pending(self) -> bool:
        """True if a trace can be expected to clean the root: it is neither deferred to Spark nor refused."""
        return self.is_dirty and max(self.deferred_gen, self.refused_gen) < self.gen

    @property
    def is_deferred(self) -> bool:
        """True if the root is left to Spark, as too large for the trace function."""
        return self.is_dirty and not self.is_pending and not self.is_refused

    @property
    def is_refused(self) -> bool:
        """True if no tracer archives the root: its lines have too many steps."""
        return self.is_dirty and self.refused_gen >= self.gen


@dataclass(frozen=True, slots=True)
class DirtyRoots:
    """The dirty roots of every day; `now_ms` returns milliseconds since 1970."""

    dynamodb: DynamoDBClient
    table: str
    now_ms: Callable[[], int]

    def mark(self, root_id: str, day: str) -> None:
        """Mark the root dirty on a day, after new records. Before its first mark of a day, list its id."""
        key = _mark_key(day, sha256_hex(root_id))
        # A read costs a tenth of a write; a late one lists the id again.
        if "listed" not in self.dynamodb.get_item(TableName=self.table, Key=key).get("Item", {}):
            RootIds(self.dynamodb, self.table).add(root_id)
        self.dynamodb.update_item(
            TableName=self.table,
            Key=key,
            UpdateExpression="ADD gen :one SET root_id = :root, listed = :listed, "
            "dirty_since = if_not_exists(dirty_since, :now) REMOVE expires_at",
            ExpressionAttributeValues={
                **to_item({":one": 1, ":root": root_id, ":now": self.now_ms()}),
                ":listed": {"BOOL": True},
            },
        )

    def find_on(self, root_id: str, days: Sequence[str]) -> list[DirtyRoot]:
        """Read the root's rows of up to 100 days, strongly consistent."""
        keys = [_mark_key(day, sha256_hex(root_id)) for day in days]
        return [_mark(item) for item in batch_get(self.dynamodb, self.table, keys)]

    def find(self, day: str, sha: str) -> DirtyRoot | None:
        """Find the row of a root by the SHA-256 of its id, strongly consistent, or None."""
        response = self.dynamodb.get_item(TableName=self.table, Key=_mark_key(day, sha), ConsistentRead=True)
        return _mark(response["Item"]) if "Item" in response else None

    def pages_on(self, day: str, shard: str, *, after: str | None = None) -> Iterator[list[tuple[str, DirtyRoot]]]:
        """Yield pages of a shard's rows, each row with the cursor behind it."""
        for items in query_pages(self.dynamodb, self.table, f"DIRTY#{day}#{shard}", after=after):
            yield [(item["sk"]["S"], _mark(item)) for item in items]

    def mark_traced(self, mark: DirtyRoot, *, read_at: int) -> None:
        """Record a committed trace of everything up to `mark.gen`.

        The mark was read after `read_at`, so batches beyond `mark.gen` were marked later.
        """
        expires = self.now_ms() // 1000 + _DONE_KEPT_S
        clean = "SET traced_gen = :gen, expires_at = :expires REMOVE dirty_since"
        if not self._update(mark, clean, "gen = :gen", {":gen": mark.gen, ":expires": expires}):
            self._update(
                mark,
                "SET traced_gen = :gen, dirty_since = :since",
                "attribute_not_exists(traced_gen) OR traced_gen < :gen",
                {":gen": mark.gen, ":since": read_at},
            )

    def defer(self, mark: DirtyRoot) -> None:
        """Defer the root, as of `mark.gen`, to the Spark tracer: it stays dirty, but compaction does not wait."""
        self._set_aside(mark, "deferred_gen")

    def refuse(self, mark: DirtyRoot) -> None:
        """Refuse the root, as of `mark.gen`: it stays dirty; new records are a new attempt."""
        self._set_aside(mark, "refused_gen")

    def _set_aside(self, mark: DirtyRoot, name: str) -> None:
        later = f"attribute_not_exists({name}) OR {name} < :gen"
        self._update(mark, f"SET {name} = :gen", later, {":gen": mark.gen})

    def _update(self, mark: DirtyRoot, update: str, condition: str, values: Mapping[str, int]) -> bool:
        try:
            self.dynamodb.update_item(
                TableName=self.table,
                Key=_mark_key(mark.day, sha256_hex(mark.root_id)),
                UpdateExpression=update,
                ConditionExpression=condition,
                ExpressionAttributeValues=to_item(values),
            )
        except self.dynamodb.exceptions.ConditionalCheckFailedException:
            return False
        return True


def _mark_key(day: str, sha: str) -> dict[str, Value]:
    return {"pk": {"S": f"DIRTY#{day}#{sha[0]}"}, "sk": {"S": sha}}


def _mark(item: Item) -> DirtyRoot:
    form = from_item(item)
    names = ("gen", "traced_gen", "deferred_gen", "refused_gen", "dirty_since")
    return DirtyRoot(form["pk"].split("#")[1], form["root_id"], *(form.get(name, 0) for name in names))
