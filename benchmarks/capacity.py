"""DynamoDB's units of reading and writing, computed from items: moto counts every call as one.

The rules are of the developer guide, "DynamoDB item sizes and formats" and "on-demand capacity mode".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

_WRITE_BYTES = 1024
_READ_BYTES = 4096

# An item as the client sends and receives it: attribute name -> {type: value}.
Item = Mapping[str, Mapping[str, Any]]


def item_bytes(item: Item) -> int:
    """The size of an item: UTF-8 of names and strings; a number takes a byte for two digits, and one more.

    >>> item_bytes({"node_id": {"S": "n-1"}, "recordedAt": {"N": "1763640000"}})
    26
    """
    return sum(len(name.encode()) + _value_bytes(value) for name, value in item.items())


def _value_bytes(value: Mapping[str, Any]) -> int:
    match dict(value):
        case {"S": str(text)}:
            return len(text.encode())
        case {"N": str(number)}:
            return (len(number) + 1) // 2 + 1
        case {"B": bytes(binary)}:
            return len(binary)
        case {"B": str(encoded)}:  # in base64, as it is on the wire
            return len(encoded) * 3 // 4
        case {"M": dict(inner)}:
            return 3 + sum(1 + len(name.encode()) + _value_bytes(one) for name, one in inner.items())
    raise ValueError(f"the records' tables hold no {value!r}")


def write_units(operation: str, request: Mapping[str, Any], copies: Mapping[str, int]) -> int:
    """What a call writes, in write request units; `copies` says how often a table's items are kept, with its indexes.

    An update's item is not in its request: those of the graph table are below 1 KB.

    >>> write_units("PutItem", {"TableName": "r", "Item": {"a": {"S": "x" * 1500}}}, {"r": 3})
    6
    """
    match operation:
        case "PutItem":
            return _units(request["Item"]) * copies.get(request["TableName"], 1)
        case "UpdateItem" | "DeleteItem":
            return copies.get(request["TableName"], 1)
        case "TransactWriteItems":
            return sum(2 * _units(one.get("Put", {}).get("Item", {})) for one in request["TransactItems"])
        case "BatchWriteItem":
            writes = [write for some in request["RequestItems"].values() for write in some]
            return sum(_units(write.get("PutRequest", {}).get("Item", {})) for write in writes)
    return 0


def read_units(operation: str, request: Mapping[str, Any], answer: Mapping[str, Any]) -> float:
    """What a call reads, in read request units; an item that is not there costs as much as a small one.

    >>> read_units("Query", {"ConsistentRead": True}, {"Items": [{"a": {"S": "x" * 5000}}] * 2})
    3.0
    """
    match operation:
        case "GetItem":
            return _share(request) * max(1, ceil(item_bytes(answer.get("Item", {})) / _READ_BYTES))
        case "Query":
            return _share(request) * max(1, ceil(sum(map(item_bytes, answer["Items"])) / _READ_BYTES))
        case "BatchGetItem":
            return sum(_share(asked) * _units_read(asked, answer) for asked in request["RequestItems"].values())
    return 0.0


def _share(request: Mapping[str, Any]) -> float:
    return 1.0 if request.get("ConsistentRead") else 0.5


def _units(item: Item) -> int:
    return max(1, ceil(item_bytes(item) / _WRITE_BYTES))


def _units_read(asked: Mapping[str, Any], answer: Mapping[str, Any]) -> int:
    found: Sequence[Item] = [item for some in answer["Responses"].values() for item in some]
    missing = len(asked["Keys"]) - len(found)
    return missing + sum(max(1, ceil(item_bytes(item) / _READ_BYTES)) for item in found)
