"""Sizes of DynamoDB's items and transactions, unchecked by moto ("DynamoDB item sizes and formats")."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

# DynamoDB API reference, TransactWriteItems: actions, and "the aggregate size of the items in the transaction".
ACTIONS_MAX = 100
TRANSACTION_BYTES_MAX = 4 * 1024 * 1024
# An item on the wire: attribute name -> {type: value}.
Item = Mapping[str, Mapping[str, Any]]


def item_bytes(item: Item) -> int:
    """Compute the size of an item: names and strings in UTF-8, a number by a byte for two digits, and a byte more.

    >>> item_bytes({"node_id": {"S": "n-1"}, "recordedAt": {"N": "1763640000"}})
    26
    """
    return sum([len(name.encode()) + _value_bytes(value) for name, value in item.items()])


def _value_bytes(value: Mapping[str, Any]) -> int:
    """Compute the size of an attribute; a map or list adds three bytes, and a byte for each of its entries.

    >>> _value_bytes({"L": [{"N": "1.50"}, {"BOOL": True}, {"SS": ["ab", "c"]}]})
    13
    """
    ((kind, content),) = value.items()
    if kind == "S":
        return len(content) if content.isascii() else len(content.encode(errors="surrogatepass"))
    if kind == "N":
        return (len(content) + 1) // 2 + 1
    if kind == "B":
        # In base64, as on the wire, or decoded by boto3.
        return len(content) * 3 // 4 if isinstance(content, str) else len(content)
    if kind == "M":
        return 3 + sum(1 + len(name.encode()) + _value_bytes(part) for name, part in content.items())
    if kind == "L":
        return 3 + sum(1 + _value_bytes(part) for part in content)
    if kind in {"SS", "NS", "BS"}:
        return sum(_value_bytes({kind[0]: part}) for part in content)
    return 1  # BOOL and NULL


def transaction_refusal_of(actions: Sequence[Mapping[str, Any]]) -> tuple[str, str] | None:
    """Find DynamoDB's refusal of these actions as a transaction, a code and a message; None for valid actions.

    In AWS the previous item counts as well; here its key alone does.
    """
    if len(actions) > ACTIONS_MAX:
        rule = f"Member must have length less than or equal to {ACTIONS_MAX}"
        return "ValidationException", f"1 validation error detected: Value at 'transactItems' failed: {rule}"
    items = (action.get("Item") or action.get("Key", {}) for each in actions for action in each.values())
    size_bytes = sum(map(item_bytes, items))
    if size_bytes > TRANSACTION_BYTES_MAX:
        rule = f"cannot exceed {TRANSACTION_BYTES_MAX} bytes, got {size_bytes}"
        return "ValidationException", f"The aggregate size of the items in the transaction {rule}"
    return None
