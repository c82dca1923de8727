"""Calls of DynamoDB to their end: unprocessed items are sent again, pages are followed; puts under a condition."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from headwater.attempts import attempts
from headwater_model.errors import Unavailable

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import (
        AttributeValueTypeDef,
        PutItemInputTypeDef,
        QueryInputTypeDef,
        WriteRequestTypeDef,
    )

    Value: TypeAlias = AttributeValueTypeDef
    Item: TypeAlias = Mapping[str, Value]

# DynamoDB quotas: keys of a BatchGetItem, writes of a BatchWriteItem.
GET_KEYS_MAX = 100
WRITES_MAX = 25
_TRIES = 10

T = TypeVar("T")


def put_if(
    dynamodb: DynamoDBClient,
    table: str,
    item: Item,
    condition: str,
    values: Item | None = None,
    names: Mapping[str, str] | None = None,
) -> bool:
    """Put the item if the condition, `attribute_not_exists(pk)`, holds for the stored item; True if it was put."""
    request: PutItemInputTypeDef = {"TableName": table, "Item": item, "ConditionExpression": condition}
    if values:
        request["ExpressionAttributeValues"] = values
    if names:
        request["ExpressionAttributeNames"] = names
    try:
        dynamodb.put_item(**request)
    except dynamodb.exceptions.ConditionalCheckFailedException:
        return False
    return True


def to_item(values: Mapping[str, str | int | None]) -> dict[str, Value]:
    """Render texts and numbers, without None.

    >>> to_item({"day": "2026-11-20", "lines": 3, "base": None})
    {'day': {'S': '2026-11-20'}, 'lines': {'N': '3'}}
    """
    given = {name: value for name, value in values.items() if value is not None}
    return {name: {"S": value} if isinstance(value, str) else {"N": str(value)} for name, value in given.items()}


def from_item(item: Item) -> dict[str, Any]:
    """Parse the texts and whole numbers of an item of `to_item`."""
    return {name: int(value["N"]) if "N" in value else value.get("S") for name, value in item.items()}


def chunks(values: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield the values in runs of at most `size`.

    >>> list(chunks("abcde", 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    pending = iter(values)
    while chunk := list(islice(pending, size)):
        yield chunk


def batch_get(
    dynamodb: DynamoDBClient,
    table: str,
    keys: Sequence[Item],
    sleep: Callable[[float], None] = time.sleep,
    *,
    consistent: bool = True,
) -> list[Item]:
    """Read the existing items of the keys in any order; `Unavailable` if some stay unread.

    A read is strongly consistent, or else costs half and may miss the last writes.
    """
    items: list[Item] = []
    for batch in chunks(keys, GET_KEYS_MAX):
        left: Sequence[Item] = batch
        for _ in attempts(_TRIES, sleep):
            response = dynamodb.batch_get_item(RequestItems={table: {"Keys": left, "ConsistentRead": consistent}})
            items += response["Responses"].get(table, [])
            unprocessed = response.get("UnprocessedKeys", {}).get(table)
            left = unprocessed["Keys"] if unprocessed else []
            if not left:
                break
        else:
            raise Unavailable(f"{len(left)} items of {table} could not be read")
    return items


def batch_write(
    dynamodb: DynamoDBClient,
    table: str,
    writes: Sequence[WriteRequestTypeDef],
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Do every put and delete, each key once. Raises `Unavailable` if some stay unwritten."""
    for batch in chunks(writes, WRITES_MAX):
        left: Sequence[WriteRequestTypeDef] = batch
        for _ in attempts(_TRIES, sleep):
            response = dynamodb.batch_write_item(RequestItems={table: left})
            left = cast("Sequence[WriteRequestTypeDef]", response.get("UnprocessedItems", {}).get(table, []))
            if not left:
                break
        else:
            raise Unavailable(f"{len(left)} items of {table} could not be written")


def query_pages(dynamodb: DynamoDBClient, table: str, pk: str, *, after: str | None = None) -> Iterator[Sequence[Item]]:
    """Yield the pages (1 MB each) of a graph table's partition, `JOB#<hash>`, by sort key, strongly consistent."""
    query: QueryInputTypeDef = {
        "TableName": table,
        "KeyConditionExpression": "pk = :pk",
        "ExpressionAttributeValues": {":pk": {"S": pk}},
        "ConsistentRead": True,
    }
    if after is not None:
        query["ExclusiveStartKey"] = {"pk": {"S": pk}, "sk": {"S": after}}
    while True:
        response = dynamodb.query(**query)
        yield response["Items"]
        last = response.get("LastEvaluatedKey")
        if last is None:
            return
        query["ExclusiveStartKey"] = last
