"""What the local stack changes in moto: all of it, here.

moto is pinned, and tests/unit/local_test_moto_patches.py compares each change with stock behaviour. There are two.
(Locks around DynamoDB, S3 and SQS, which moto lacks, need no patch: see
`local.moto_server`.)
"""

from __future__ import annotations

import copy
import urllib.request
from collections.abc import MutableMapping
from typing import Any
from urllib.parse import quote

from moto.awslambda_simple.models import LambdaSimpleBackend
from moto.core.config import default_user_config
from moto.dynamodb.models.dynamo_type import DynamoType, Item
from moto.dynamodb.models.table import Table

_stock_query = Table.query


def run_functions_at(url: str) -> None:
    """`lambda.invoke`, from boto3 and from a state machine, runs our function; moto would echo the payload."""

    def invoke(
        self: LambdaSimpleBackend,  # noqa: ARG001 - the signature is moto's
        function_name: str,
        qualifier: str | None,  # noqa: ARG001 - the signature is moto's
        body: bytes | str | None,
        headers: MutableMapping[str, str],
        response_headers: dict[str, Any],
    ) -> bytes | None:
        name = quote(function_name, safe="")
        request = urllib.request.Request(  # noqa: S310 - our own loopback address
            f"{url}/2015-03-31/functions/{name}/invocations",
            data=body.encode() if isinstance(body, str) else body or b"{}",
            headers={"X-Amz-Invocation-Type": headers.get("X-Amz-Invocation-Type") or "RequestResponse"},
            method="POST",
        )
        with urllib.request.urlopen(request) as response:  # noqa: S310 - our own loopback address
            if "X-Amz-Function-Error" in response.headers:
                response_headers["x-amz-function-error"] = response.headers["X-Amz-Function-Error"]
            found: bytes = response.read()
            return found

    LambdaSimpleBackend.invoke = invoke  # type: ignore[method-assign]
    default_user_config["lambda"] = {"use_docker": False}


def query_one_partition() -> None:
    """Query looks at the items of the asked key only.

    moto sorts the whole table for each query: 350 ms at 20,000 items, where this takes 1.
    """

    def query(self: Table, hash_key: DynamoType | None, *args: Any, **kwargs: Any) -> Any:
        conditions = kwargs.get("hash_key_conditions") or []
        if not self.has_range_key or len(conditions) != 1:
            return _stock_query(self, hash_key, *args, **kwargs)
        narrowed = copy.copy(self)
        narrowed.items = _items_with(self, *conditions[0])  # type: ignore[assignment]
        return _stock_query(narrowed, hash_key, *args, **kwargs)

    Table.query = query  # type: ignore[method-assign]


def _items_with(table: Table, attribute: str, value: DynamoType) -> dict[DynamoType, dict[DynamoType, Item]]:
    """The items, by partition and sort key, whose attribute has this value."""
    if attribute == table.hash_key_attr:
        return {value: table.items[value]} if value in table.items else {}
    return {
        partition: {
            sort: item for sort, item in items.items() if attribute in item.attrs and item.attrs[attribute] == value
        }
        for partition, items in table.items.items()
    }
