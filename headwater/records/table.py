"""The records table: conditional writes keep each node's first record; reads are bounded.

An item has Carbonlake's attributes, and `run_id`, `metadata` and `loaded_at`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from sys import intern
from typing import TYPE_CHECKING, cast

from botocore.exceptions import ClientError

from headwater.records.record import LineageRecord, keep_first
from headwater.settings import ACTION_INDEX, NODE_INDEX
from headwater_model.errors import Unavailable

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import PutItemInputTypeDef, QueryInputTypeDef

    from headwater.aws.items import Item, Value

# The attribute of an item with the version of its form.
ATTRIBUTE = "schema"
VERSION = 1


def render_item(record: LineageRecord) -> dict[str, Value]:
    """Render the record's own attributes."""
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
    """Render the times of the item's expiry and of the start of its load, in seconds since 1970."""
    return {"ttl_expiry": {"N": str(record.recorded_at + ttl_s)}, "loaded_at": {"N": str(loaded_at)}}


def parse_item(item: Item) -> LineageRecord:
    """Parse an item of `render_item`.

    Repeated texts of a root's records share a string: a trace holds a million records.
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
    """Read the time of the item's expiry, in seconds since 1970."""
    return int(item["ttl_expiry"]["N"])


def loaded_at_of(item: Item) -> int:
    """Read the start of the item's load, `{"loaded_at": {"N": "17"}}`; without it the far future, so never early."""
    loaded_at = item.get("loaded_at")
    return int(loaded_at["N"]) if loaded_at else 2**62


def check_version(item: Item) -> None:
    """Refuse an item of a later release with `Unavailable`, until a roll-back is over.

    >>> check_version({"node_id": {"S": "n"}, "schema": {"N": "2"}})
    Traceback (most recent call last):
    ...
    headwater_model.errors.Unavailable: an item is of version 2: this release reads up to 1
    """
    written = item.get(ATTRIBUTE)
    if written is not None and int(written["N"]) > VERSION:
        raise Unavailable(f"an item is of version {written['N']}: this release reads up to {VERSION}")


@dataclass(frozen=True, slots=True)
class Page:
    """A page of records' items, and the key before the next page."""

    items: Sequence[Item]
    last_key: Item | None


@dataclass(frozen=True, slots=True)
class RecordsTable:
    """The records of the last day, by root and node."""

    dynamodb: DynamoDBClient
    name: str

    def put(
        self, record: LineageRecord, *, ttl_s: int, loaded_at: int, save: Callable[[Iterable[LineageRecord]], None]
    ) -> None:
        """Write the record, unless an earlier one of its node stays (`keep_first`).

        A displaced record goes to `save` before it is overwritten. Raises the `ClientError` of a refused write.
        """
        item = {**render_item(record), **render_life(record, ttl_s=ttl_s, loaded_at=loaded_at)}
        existing = self._put_if(item, None)
        while existing is not None:
            known = parse_item(existing)
            kept, displaced = keep_first(known, record)
            if displaced:
                save(displaced)
            if kept == known:
                return
            # Each round means that another writer put a still earlier record in between, so the loop ends.
            existing = self._put_if(item, existing)

    def _put_if(self, item: Item, seen: Item | None) -> Item | None:
        """Put the item if the table holds exactly `seen`; return None after the write, else the table's item."""
        request: PutItemInputTypeDef = {
            "TableName": self.name,
            "Item": item,
            "ConditionExpression": "attribute_not_exists(node_id)",
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }
        if seen is not None:
            names = {f"#{number}": name for number, name in enumerate(sorted(seen))}
            request["ConditionExpression"] = " AND ".join(f"{short} = :{short[1:]}" for short in names)
            request["ExpressionAttributeNames"] = names
            request["ExpressionAttributeValues"] = {f":{short[1:]}": seen[name] for short, name in names.items()}
        try:
            self.dynamodb.put_item(**request)
        except self.dynamodb.exceptions.ConditionalCheckFailedException as error:
            stored = cast("Item | None", error.response.get("Item"))
            # Expired in between: the earlier record is gone.
            return self._put_if(item, None) if stored is None else stored
        return None

    def read_root(self, root_id: str) -> Iterator[Item]:
        """Yield every item of the root by node id, expired items too, strongly consistent; a request for each 1 MB."""
        start: Item | None = None
        while True:
            page = self.page_of_root(root_id, start=start, consistent=True)
            yield from page.items
            if page.last_key is None:
                return
            start = page.last_key

    def page_of_root(
        self,
        root_id: str,
        *,
        action: str | None = None,
        prefix: str | None = None,
        start: Item | None = None,
        limit: int | None = None,
        consistent: bool = False,
    ) -> Page:
        """Read a page of a root's items by node id, or of the items with one action (in no order).

        `prefix` is the beginning of node ids; then the items of an action come by node id, too.
        """
        values: dict[str, Value] = {":root": {"S": root_id}}
        query: QueryInputTypeDef = {
            "TableName": self.name,
            "KeyConditionExpression": "root_id = :root",
            "ExpressionAttributeValues": values,
            "ConsistentRead": consistent,
        }
        if prefix is not None:
            values[":prefix"] = {"S": prefix}
            query["KeyConditionExpression"] += " AND begins_with(node_id, :prefix)"
        if action is not None:
            values[":action"] = {"S": action}
            if prefix is not None:
                query["FilterExpression"] = "action_taken = :action"
            else:
                query["IndexName"] = ACTION_INDEX
                query["KeyConditionExpression"] += " AND action_taken = :action"
        return self._page(query, start, limit)

    def page_of_node(self, node_id: str, *, start: Item | None = None, limit: int | None = None) -> Page:
        """Read a page of the items with a node id, of any root; eventually consistent, as the index is."""
        query: QueryInputTypeDef = {
            "TableName": self.name,
            "IndexName": NODE_INDEX,
            "KeyConditionExpression": "node_id = :node",
            "ExpressionAttributeValues": {":node": {"S": node_id}},
        }
        return self._page(query, start, limit)

    def _page(self, query: QueryInputTypeDef, start: Item | None, limit: int | None) -> Page:
        if start is not None:
            query["ExclusiveStartKey"] = start
        if limit is not None:
            query["Limit"] = limit
        response = self.dynamodb.query(**query)
        return Page(response["Items"], response.get("LastEvaluatedKey"))

    def find(self, root_id: str, node_id: str) -> Item | None:
        """Find the item of a node, strongly consistent, or None."""
        key = {"root_id": {"S": root_id}, "node_id": {"S": node_id}}
        return self.dynamodb.get_item(TableName=self.name, Key=key, ConsistentRead=True).get("Item")


def is_refused(error: ClientError) -> bool:
    """True if DynamoDB refused the item for good.

    The item breaks a rule of DynamoDB, or its root holds 10 GB, the most for one key of a table with a local index.
    """
    return error.response["Error"]["Code"] in {"ValidationException", "ItemCollectionSizeLimitExceededException"}
