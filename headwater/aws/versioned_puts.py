"""Puts on condition of a version, 25 a request: BatchWriteItem has no conditions, PartiQL's batches have.

A statement costs as much as its PutItem, half as much as in a transaction, and takes effect alone ("Running batch
operations with PartiQL for DynamoDB", "BatchStatementError").
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from headwater.attempts import attempts
from headwater_model.errors import Unavailable

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import BatchStatementRequestTypeDef

    from headwater.aws.items import Item, Value

# DynamoDB's quota of statements in a batch.
STATEMENTS_MAX = 25
# Far below every quota of a request; 25 rows of common size take a twentieth.
_BODY_BYTES_MAX = 1_000_000
_TRIES = 10
# The codes of a statement with a failed condition: of an UPDATE, and of an INSERT.
_REFUSED = frozenset({"ConditionalCheckFailed", "DuplicateItem"})
_PASSING = frozenset(
    {
        "InternalServerError",
        "ProvisionedThroughputExceeded",
        "RequestLimitExceeded",
        "ThrottlingError",
        "TransactionConflict",
    }
)
_KEY = ("pk", "sk")
_VERSION = "version"
# Attributes that a row may lack: it has a single body (`headwater.facts.table`).
_OPTIONAL = ("json", "body", "s3", "noted")


def put_versions(
    dynamodb: DynamoDBClient,
    table: str,
    items: Sequence[Item],
    sleep: Callable[[float], None] = time.sleep,
) -> list[bool]:
    """Put items of different keys; False if `version` is not the stored version plus one (1: no stored item).

    Raises `Unavailable` if DynamoDB keeps refusing for now, and `ClientError` for an item refused for good.
    """
    return _execute(dynamodb, table, items, [_statement(table, item) for item in items], sleep)


def put_unversioned(
    dynamodb: DynamoDBClient,
    table: str,
    items: Sequence[Item],
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Put items of different keys, but over no item with a `version`.

    `"version": {"N": "1"}` is tried as a new item first, a greater version first over an item without a version.
    """
    over = [item[_VERSION]["N"] != "1" for item in items]
    for _ in range(2):
        statements = [_statement(table, item, over=old) for item, old in zip(items, over, strict=True)]
        done = _execute(dynamodb, table, items, statements, sleep)
        # The other form, for the refused.
        left = [number for number, written in enumerate(done) if not written]
        items, over = [items[number] for number in left], [not over[number] for number in left]


def _execute(
    dynamodb: DynamoDBClient,
    table: str,
    items: Sequence[Item],
    statements: Sequence[BatchStatementRequestTypeDef],
    sleep: Callable[[float], None],
) -> list[bool]:
    written: dict[int, bool] = {}
    for group in _groups(items):
        left = group
        for _ in attempts(_TRIES, sleep):
            responses = dynamodb.batch_execute_statement(Statements=[statements[index] for index in left])
            results = [_outcome_of(response) for response in responses["Responses"]]
            written |= {index: done for index, done in zip(left, results, strict=True) if done is not None}
            left = [index for index in left if index not in written]
            if not left:
                break
        else:
            raise Unavailable(f"{len(left)} items of {table} could not be written")
    return [written[index] for index in range(len(items))]


def _groups(items: Sequence[Item]) -> Iterator[list[int]]:
    """Yield the positions of the items of each request."""
    group, size = list[int](), 0
    for position, item in enumerate(items):
        more = sum(len(str(content)) for value in item.values() for content in value.values())
        if group and (len(group) == STATEMENTS_MAX or size + more > _BODY_BYTES_MAX):
            yield group
            group, size = [], 0
        group.append(position)
        size += more
    if group:
        yield group


def _statement(table: str, item: Item, *, over: bool | None = None) -> BatchStatementRequestTypeDef:
    """Build the INSERT of a first version, or the UPDATE with the effect of a put; `over` an item without a version."""
    version = int(item[_VERSION]["N"])
    if over is False or (over is None and version == 1):
        names = ", ".join(f"'{name}': ?" for name in item)
        return {"Statement": f'INSERT INTO "{table}" VALUE {{{names}}}', "Parameters": list(item.values())}
    values = {name: value for name, value in item.items() if name not in _KEY}
    changes = [f'SET "{name}" = ?' for name in values] + [f'REMOVE "{name}"' for name in _OPTIONAL if name not in item]
    condition = f'"pk" = ? AND "sk" = ? AND "{_VERSION}" {"IS MISSING" if over else "= ?"}'
    stored: Sequence[Value] = () if over else ({"N": str(version - 1)},)
    return {
        "Statement": f'UPDATE "{table}" {" ".join(changes)} WHERE {condition}',
        "Parameters": [*values.values(), *(item[name] for name in _KEY), *stored],
    }


def _outcome_of(response: Mapping[str, Any]) -> bool | None:
    """Read the outcome: True for an effect, False for a failed condition, None for a passing failure."""
    error = response.get("Error")
    if error is None:
        return True
    if error["Code"] in _REFUSED:
        return False
    if error["Code"] in _PASSING:
        return None
    raise ClientError({"Error": error}, "BatchExecuteStatement")
