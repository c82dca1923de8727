"""Limits of AWS that moto does not check: AWS's refusals come here, before deployment.

DynamoDB: 25 writes a batch, 100 actions and 4 MB a transaction, no BETWEEN with bounds the wrong way round. SQS: no
empty message, no character outside XML 1.0, 1 MiB a batch in bytes. S3: 1,024 bytes a key.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Any
from urllib.parse import unquote_to_bytes

import orjson

from local_stack.aws.item_sizes import transaction_refusal_of

Refusal = tuple[str, str]
"""An error's code and message, both as AWS gives them."""

_WRITES_MAX = 25
_BATCH_BYTES_MAX = 1024 * 1024
_S3_KEY_BYTES_MAX = 1024
# SQS API reference, SendMessage: "#x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF".
_NOT_IN_A_MESSAGE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BETWEEN = re.compile(r"\bBETWEEN\s+(:\w+)\s+AND\s+(:\w+)", re.IGNORECASE)


def parse_request(body: bytes) -> Any:
    """Parse the JSON of a request, a lone surrogate, too: SQS refuses it by name."""
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return json.loads(body)


def refusal_of(operation: str, request: Mapping[str, Any]) -> Refusal | None:
    """Find AWS's refusal of an operation of DynamoDB or SQS, `PutItem`, `SendMessage`; None for a valid request."""
    guard = _GUARDS.get(operation)
    return next(guard(request), None) if guard else None


def render_refusal(refusal: Refusal) -> tuple[int, bytes, Mapping[str, str]]:
    """Render a refusal as a response: its status, body and headers."""
    return 400, json.dumps({"__type": refusal[0], "message": refusal[1]}).encode(), {}


def s3_refusal_of(path: str) -> Refusal | None:
    """Find S3's refusal of a path, `/bucket/key` as sent; None for a valid path."""
    key = unquote_to_bytes(path).partition(b"?")[0].lstrip(b"/").partition(b"/")[2]
    return ("KeyTooLongError", "Your key is too long") if len(key) > _S3_KEY_BYTES_MAX else None


def _batch_write(request: Mapping[str, Any]) -> Iterator[Refusal]:
    tables = request.get("RequestItems", {})
    if sum(map(len, tables.values())) > _WRITES_MAX:
        rule = f"Map value must satisfy constraint: [Member must have length less than or equal to {_WRITES_MAX}"
        yield "ValidationException", f"1 validation error detected: Value at 'requestItems' failed: {rule}]"


def _transact_write(request: Mapping[str, Any]) -> Iterator[Refusal]:
    if refusal := transaction_refusal_of(request.get("TransactItems", [])):
        yield refusal
    for action in request.get("TransactItems", []):
        for operation in action.values():
            yield from _bounds(operation)


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


def sort_key(value: Mapping[str, str]) -> Any:
    """Make the key by which DynamoDB orders values of a type: numbers, bytes, or strings in UTF-8."""
    [(kind, content)] = value.items()
    return Decimal(content) if kind == "N" else b64decode(content) if kind == "B" else str(content).encode()


def _send(request: Mapping[str, Any]) -> Iterator[Refusal]:
    body = request.get("MessageBody", "")
    if not body:
        yield "MissingParameter", "The request must contain the parameter MessageBody."
    if not (body.isascii() and body.isprintable()) and _NOT_IN_A_MESSAGE.search(body):
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
    "PutItem": _bounds,
    "Query": _bounds,
    "Scan": _bounds,
    "SendMessage": _send,
    "SendMessageBatch": _send_batch,
    "TransactWriteItems": _transact_write,
    "UpdateItem": _bounds,
}
