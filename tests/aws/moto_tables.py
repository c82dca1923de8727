"""moto's DynamoDB without its request handling, ten times as slow as the tables behind it.

moto makes a request of Flask's of each request, looks for each member of the response under all its spellings, and
lists its own methods: 2 to 20 ms. Here the operations on items read the plain body and render the plain result; their
meaning, and every further operation, is moto's.
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
    """Respond with a status and body; None if the request is no operation on items.

    `target` is the X-Amz-Target header, `DynamoDB_20120810.PutItem`. Call it from a single thread at a time: moto's
    tables know no threads.
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
    """moto's handler of a single request, of its body alone."""

    def __init__(self, body: dict[str, Any]) -> None:
        super().__init__()
        self.body = self.params = body

    @property
    def dynamodb_backend(self) -> DynamoDBBackend:
        """Open the tables of the account."""
        return dynamodb_backends[ACCOUNT][REGION]


@cache
def _members(operation: str) -> frozenset[str]:
    """List the names of a response's members: moto returns more."""
    return frozenset(get_service_model("dynamodb").operation_model(operation).output_shape.members)


def as_base64(binary: bytes) -> str:
    """Render a binary value for JSON."""
    return b2a_base64(binary, newline=False).decode()
