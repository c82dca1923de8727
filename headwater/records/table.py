"""The records table: conditional writes that keep the first of each node, and bounded reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from botocore.exceptions import ClientError

from headwater.records.items import parse_item, render_item, render_life
from headwater.records.record import LineageRecord, keep_first
from headwater.settings import ACTION_INDEX, NODE_INDEX

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import PutItemInputTypeDef, QueryInputTypeDef

    from headwater.aws.items import Item


@dataclass(frozen=True, slots=True)
class Page:
    """A page of records' items, and the key that the next page begins after."""

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

        A displaced record goes to `save` before it is overwritten. Raises the `ClientError` of a write that DynamoDB
        refused.
        """
        item = {**render_item(record), **render_life(record, ttl_s=ttl_s, loaded_at=loaded_at)}
        existing = self._put_if(item, None)
        while existing is not None:
            known = parse_item(existing)
            kept = keep_first(known, record)
            if kept.displaced:
                save(kept.displaced)
            if kept.record == known:
                return
            # Each round means that another writer put a still earlier record in between, so the loop ends.
            existing = self._put_if(item, existing)

    def _put_if(self, item: Item, seen: Item | None) -> Item | None:
        """Put the item if the table holds exactly `seen`; return None if it was put, else the table's item."""
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
        """Yield every item of the root by node id, expired ones too, strongly consistent; one request for each 1 MB."""
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
        """Return one page of a root's items by node id, or of those with one action (in no order within it).

        `prefix`: only those whose node id begins so, by node id with an action, too.
        """
        query: QueryInputTypeDef = {
            "TableName": self.name,
            "KeyConditionExpression": "root_id = :root",
            "ExpressionAttributeValues": {":root": {"S": root_id}},
            "ConsistentRead": consistent,
        }
        if prefix is not None:
            query["KeyConditionExpression"] += " AND begins_with(node_id, :prefix)"
            query["ExpressionAttributeValues"] = {":root": {"S": root_id}, ":prefix": {"S": prefix}}
        if action is not None and prefix is not None:
            query["FilterExpression"] = "action_taken = :action"
            query["ExpressionAttributeValues"] = {**query["ExpressionAttributeValues"], ":action": {"S": action}}
        elif action is not None:
            query["IndexName"] = ACTION_INDEX
            query["KeyConditionExpression"] += " AND action_taken = :action"
            query["ExpressionAttributeValues"] = {":root": {"S": root_id}, ":action": {"S": action}}
        return self._page(query, start, limit)

    def page_of_node(self, node_id: str, *, start: Item | None = None, limit: int | None = None) -> Page:
        """Return one page of the items with this node id, of any root; eventually consistent, as the index is."""
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
        """Return the item of one node, strongly consistent, or None."""
        key = {"root_id": {"S": root_id}, "node_id": {"S": node_id}}
        return self.dynamodb.get_item(TableName=self.name, Key=key, ConsistentRead=True).get("Item")


def is_refused(error: ClientError) -> bool:
    """True if DynamoDB refused the item for good.

    The item breaks a rule of DynamoDB, or its root holds 10 GB, the most for one key of a table with a local index.
    """
    return error.response["Error"]["Code"] in {"ValidationException", "ItemCollectionSizeLimitExceededException"}
