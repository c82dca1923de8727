"""Limits of AWS that moto does not check: AWS's refusals come here, before deployment.

Requests are checked before moto sees them. DynamoDB: 25 writes a batch, 100 actions and 4 MB a transaction, type and
size of a local index's key, no BETWEEN with bounds the wrong way round. SQS: no empty message, no
character outside XML 1.0, 1 MiB a batch in bytes. S3: 1,024 bytes a key.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import unquote_to_bytes

import orjson
from moto.dynamodb.models import dynamodb_backends
from moto.dynamodb.models.table import Table

from local_stack.aws.endpoint import ACCOUNT, REGION
from local_stack.aws.item_sizes import transaction_refusal_of
from local_stack.aws.tables.expressions import sort_key

Refusal = tuple[str, str]
"""An error's code and message, both as AWS gives them."""

_WRITES_MAX = 25
_SORT_KEY_BYTES_MAX = 1024
_BATCH_BYTES_MAX = 1024 * 1024
_S3_KEY_BYTES_MAX = 1024
# SQS API reference, SendMessage: "#x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF".
_NOT_IN_A_MESSAGE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BETWEEN = re.compile(r"\bBETWEEN\s+(:\w+)\s+AND\s+(:\w+)", re.IGNORECASE)


def refusal_of(target: str, body: bytes) -> Refusal | None:
    """Find AWS's refusal of a request of DynamoDB or SQS; None for a valid request.

    `target` is the X-Amz-Target header: `DynamoDB_20120810.PutItem`, `AmazonSQS.SendMessage`.
    """
    guard = _GUARDS.get(target.partition(".")[2])
    return next(guard(_parse(body or b"{}")), None) if guard else None


def _parse(body: bytes) -> Mapping[str, Any]:
    try:
        request: Mapping[str, Any] = orjson.loads(body)
    except orjson.JSONDecodeError:  # A lone surrogate: SQS refuses it by name
        request = json.loads(body)
    return request


def s3_refusal_of(path: str) -> Refusal | None:
    """Find S3's refusal of a path, `/bucket/key` as sent; None for a valid path."""
    key = unquote_to_bytes(path).partition(b"?")[0].lstrip(b"/").partition(b"/")[2]
    return ("KeyTooLongError", "Your key is too long") if len(key) > _S3_KEY_BYTES_MAX else None


def _batch_write(request: Mapping[str, Any]) -> Iterator[Refusal]:
    tables = request.get("RequestItems", {})
    if sum(map(len, tables.values())) > _WRITES_MAX:
        rule = f"Map value must satisfy constraint: [Member must have length less than or equal to {_WRITES_MAX}"
        yield "ValidationException", f"1 validation error detected: Value at 'requestItems' failed: {rule}]"
    for name, writes in tables.items():
        for write in writes:
            if "PutRequest" in write:
                yield from _put({"TableName": name, **write["PutRequest"]})


def _transact_write(request: Mapping[str, Any]) -> Iterator[Refusal]:
    if refusal := transaction_refusal_of(request.get("TransactItems", [])):
        yield refusal
    for action in request.get("TransactItems", []):
        for name, operation in action.items():
            yield from _put(operation) if name == "Put" else _bounds(operation)


def _put(request: Mapping[str, Any]) -> Iterator[Refusal]:
    item, table = request.get("Item", {}), dynamodb_backends[ACCOUNT][REGION].tables.get(request.get("TableName", ""))
    if table is not None:
        for attribute, key_type in _local_index_keys(table).items():
            yield from _index_key(attribute, key_type, item.get(attribute))
    yield from _bounds(request)


def _bounds(request: Mapping[str, Any]) -> Iterator[Refusal]:
    """Check the bounds of BETWEEN in every expression of a request."""
    if not (values := request.get("ExpressionAttributeValues")):
        return
    for expression in ("KeyConditionExpression", "FilterExpression", "ConditionExpression"):
        for operands in _BETWEEN.findall(request.get(expression, "")):
            low, high = (values.get(operand, {}) for operand in operands)
            if sort_key(low) > sort_key(high):
                shown = ", ".join(
                    f"{side} bound operand: AttributeValue: {{{':'.join(*value.items())}}}"
                    for side, value in (("lower", low), ("upper", high))
                )
                rule = "The BETWEEN operator requires upper bound to be greater than or equal to lower bound"
                yield "ValidationException", f"Invalid {expression}: {rule}; {shown}"


@lru_cache
def _local_index_keys(table: Table) -> dict[str, str]:
    """List the sort keys of the table's local indexes, and their types."""
    types = {attribute["AttributeName"]: attribute["AttributeType"] for attribute in table.attr}
    named = {key["AttributeName"] for index in table.indexes for key in index.schema if key["KeyType"] == "RANGE"}
    return {attribute: types[attribute] for attribute in named}


def _index_key(attribute: str, key_type: str, value: Mapping[str, str] | None) -> Iterator[Refusal]:
    if value is None:
        return
    if key_type not in value:
        rule = f"Type mismatch for Index Key {attribute} Expected: {key_type} Actual: {next(iter(value), '')}"
        yield "ValidationException", f"One or more parameter values were invalid: {rule}"
    elif key_type == "S" and len(value["S"].encode()) > _SORT_KEY_BYTES_MAX:
        rule = f"Aggregated size of all range keys has exceeded the size limit of {_SORT_KEY_BYTES_MAX} bytes"
        yield "ValidationException", f"One or more parameter values were invalid: {rule}"


def _send(request: Mapping[str, Any]) -> Iterator[Refusal]:
    body = request.get("MessageBody", "")
    if not body:
        yield "MissingParameter", "The request must contain the parameter MessageBody."
    if _NOT_IN_A_MESSAGE.search(body):
        yield "InvalidMessageContents", "The message contains characters outside the allowed set."


def _send_batch(request: Mapping[str, Any]) -> Iterator[Refusal]:
    entries = request.get("Entries", [])
    size_bytes = sum(len(entry.get("MessageBody", "").encode("utf-8", "surrogatepass")) for entry in entries)
    if size_bytes > _BATCH_BYTES_MAX:
        rule = f"Batch requests cannot be longer than {_BATCH_BYTES_MAX} bytes. You have sent {size_bytes} bytes."
        yield "AWS.SimpleQueueService.BatchRequestTooLong", rule
    for entry in entries:
        yield from _send(entry)


_GUARDS: Mapping[str, Callable[[Mapping[str, Any]], Iterator[Refusal]]] = {
    "BatchWriteItem": _batch_write,
    "DeleteItem": _bounds,
    "PutItem": _put,
    "Query": _bounds,
    "Scan": _bounds,
    "SendMessage": _send,
    "SendMessageBatch": _send_batch,
    "TransactWriteItems": _transact_write,
    "UpdateItem": _bounds,
}
