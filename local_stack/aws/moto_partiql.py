"""The local stack's change to moto's PartiQL; see `local_stack.aws.moto_patches`.

moto ignores the condition of an UPDATE, and its INSERT overwrites: two writers would lose updates. It also copies every
item of every table for each statement.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from moto.dynamodb.exceptions import ConditionalCheckFailed, DynamodbException
from moto.dynamodb.models import DynamoDBBackend

from local_stack.aws.partiql import VersionedPut, parse_put

_stock_execute = DynamoDBBackend.batch_execute_statement


def put_versions_in_batches() -> None:
    """Let BatchExecuteStatement put items on condition of their version."""

    def batch_execute_statement(self: DynamoDBBackend, statements: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        puts = [parse_put(statement) for statement in statements]
        known_puts = [put for put in puts if put is not None]
        if len(known_puts) < len(puts):
            return _stock_execute(self, list(statements))
        return [_put(self, put) for put in known_puts]

    DynamoDBBackend.batch_execute_statement = batch_execute_statement  # type: ignore[method-assign]


def _put(backend: DynamoDBBackend, put: VersionedPut) -> dict[str, Any]:
    condition, values = "attribute_not_exists(pk)", None
    if put.version is not None:
        condition, values = "version = :version", {":version": put.version}
    try:
        backend.put_item(put.table, dict(put.item), condition_expression=condition, expression_attribute_values=values)
    except ConditionalCheckFailed as error:
        code = "DuplicateItem" if put.version is None else "ConditionalCheckFailed"
        return {"Error": {"Code": code, "Message": error.message}, "TableName": put.table}
    except DynamodbException as error:
        return {"Error": {"Code": "ValidationError", "Message": error.message}, "TableName": put.table}
    return {"TableName": put.table}
