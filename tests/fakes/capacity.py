"""DynamoDB's units of reading and writing, computed from items: moto counts a unit a call.

Rules: DynamoDB's developer guide, "DynamoDB item sizes and formats" and "on-demand capacity mode".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil
from typing import Any

from local_stack.aws.item_sizes import Item, item_bytes
from local_stack.aws.partiql import parse_put

_WRITE_BYTES = 1024
_READ_BYTES = 4096


def write_units(operation: str, request: Mapping[str, Any], copies: Mapping[str, int]) -> int:
    """Return the write request units of a call; `copies` has the copies of an item by table, indexes included.

    A request to update does not contain the item: counts of the graph table are below 1 KB.

    >>> write_units("PutItem", {"TableName": "r", "Item": {"a": {"S": "x" * 1500}}}, {"r": 3})
    6
    """
    copy = copies.get(request.get("TableName", ""), 1)
    return copy * sum(units for _, units in writes(operation, request))


def writes(operation: str, request: Mapping[str, Any]) -> Iterator[tuple[Item, int]]:
    """Yield the written items, and keys of updates and deletions, with units of a table without indexes."""
    match operation:
        case "PutItem":
            yield request["Item"], _units(request["Item"])
        case "BatchExecuteStatement":
            yield from ((put.item, _units(put.item)) for put in map(parse_put, request["Statements"]) if put)
        case "UpdateItem" | "DeleteItem":
            yield request["Key"], 1
        case "TransactWriteItems":
            for write in (write for action in request["TransactItems"] for write in action.values()):
                yield write.get("Item") or write["Key"], 2 * _units(write.get("Item", {}))
        case "BatchWriteItem":
            for write in (write for several in request["RequestItems"].values() for write in several):
                item = write["PutRequest"]["Item"] if "PutRequest" in write else write["DeleteRequest"]["Key"]
                yield item, _units(item)


def read_units(operation: str, request: Mapping[str, Any], response: Mapping[str, Any]) -> float:
    """Return the read request units of a call; a missing item costs as much as a small one.

    >>> read_units("Query", {"ConsistentRead": True}, {"Items": [{"a": {"S": "x" * 5000}}] * 2})
    3.0
    """
    match operation:
        case "GetItem":
            return _share(request) * max(1, ceil(item_bytes(response.get("Item", {})) / _READ_BYTES))
        case "Query":
            return _share(request) * max(1, ceil(sum(map(item_bytes, response["Items"])) / _READ_BYTES))
        case "BatchGetItem":
            return sum(_share(keys) * _units_read(keys, response) for keys in request["RequestItems"].values())
    return 0.0


def _share(request: Mapping[str, Any]) -> float:
    return 1.0 if request.get("ConsistentRead") else 0.5


def _units(item: Item) -> int:
    return max(1, ceil(item_bytes(item) / _WRITE_BYTES))


def _units_read(keys: Mapping[str, Any], response: Mapping[str, Any]) -> int:
    read: Sequence[Item] = [item for items in response["Responses"].values() for item in items]
    missing = len(keys["Keys"]) - len(read)
    return missing + sum(max(1, ceil(item_bytes(item) / _READ_BYTES)) for item in read)
