"""moto's DynamoDB without its request handling, which takes ten times as long as the tables behind it.

moto makes a request of Flask's of each request, looks for each member of the response under all its spellings, and
lists its own methods: 2 to 20 ms. Here the operations on items take the body as it is and render the result as it is;
all that they mean is moto's, and so is every other operation.
"""

from __future__ import annotations

from binascii import b2a_base64
from functools import cache
from typing import Any

import orjson
from moto.core.utils import camelcase_to_underscores, get_service_model
from moto.dynamodb.models import DynamoDBBackend, dynamodb_backends
from moto.dynamodb.responses import DynamoHandler
from werkzeug.exceptions import HTTPException

from local_stack.aws.endpoint import ACCOUNT, REGION

# Operations on items, and moto's names for them.
_OPERATIONS = {
    name: camelcase_to_underscores(name)
    for name in (
        "BatchExecuteStatement",
        "BatchGetItem",
        "BatchWriteItem",
        "DeleteItem",
        "GetItem",
        "PutItem",
        "Query",
        "Scan",
        "TransactGetItems",
        "TransactWriteItems",
        "UpdateItem",
    )
}
_SERVICE = "DynamoDB_20120810"


def respond(target: str, body: bytes) -> tuple[int, bytes] | None:
    """Return the status and body of a response; None if the request is no operation on items.

    `target` is the X-Amz-Target header, `DynamoDB_20120810.PutItem`. Call it from one thread at a time: moto's tables
    know no threads.
    """
    service, _, operation = target.partition(".")
    if service != _SERVICE or operation not in _OPERATIONS:
        return None
    try:
        result = getattr(_Handler(orjson.loads(body)), _OPERATIONS[operation])().result
    except HTTPException as error:
        return error.code or 500, (error.description or "").encode()
    members = _members(operation)
    kept = {name: value for name, value in (result or {}).items() if name in members and value is not None}
    return 200, orjson.dumps(kept, default=as_base64)


class _Handler(DynamoHandler):
    """moto's handler of one request, which knows its body alone."""

    def __init__(self, body: dict[str, Any]) -> None:
        super().__init__()
        self.body = self.params = body

    @property
    def dynamodb_backend(self) -> DynamoDBBackend:
        """Return the tables of the account."""
        return dynamodb_backends[ACCOUNT][REGION]


@cache
def _members(operation: str) -> frozenset[str]:
    """Return the names of a response's members: moto returns more."""
    return frozenset(get_service_model("dynamodb").operation_model(operation).output_shape.members)


def as_base64(binary: bytes) -> str:
    """Return a binary value as JSON has it."""
    return b2a_base64(binary, newline=False).decode()
