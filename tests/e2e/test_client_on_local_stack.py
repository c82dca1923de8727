"""The client of a job against the whole stack: what it says was delivered is in the records table."""

from __future__ import annotations

from typing import Any

import boto3
import pytest

from local_stack.stack import LocalStack
from spark_client import LineageClient

NOW = 1_357_016_400


def rows_of(stack: LocalStack, root_id: str) -> list[dict[str, Any]]:
    """Every item of the root, by node id."""
    stack.drain()
    pages = (
        boto3.client("dynamodb", **stack.client_settings)
        .get_paginator("query")
        .paginate(
            TableName=stack.outputs["RecordsTableName"],
            KeyConditionExpression="root_id = :root",
            ExpressionAttributeValues={":root": {"S": root_id}},
            ConsistentRead=True,
        )
    )
    return [item for page in pages for item in page["Items"]]


@pytest.fixture
def root(request: pytest.FixtureRequest) -> str:
    return request.node.name


def test_a_record_is_loaded_under_the_node_id_of_its_response(
    local_stack: LocalStack, lineage: LineageClient, root: str
) -> None:
    response = lineage.record(root, root, "READ", "s3://raw", run_id="run-7", requested_at=NOW)

    (row,) = rows_of(local_stack, root)
    assert (row["node_id"]["S"], row["storage_location"]["S"], row["recordedAt"]["N"], row["run_id"]["S"]) == (
        response.node_id,
        "s3://raw",
        str(NOW),
        "run-7",
    )
    assert response.recorded_at == NOW
    assert row["ttl_expiry"]["N"] == str(response.ttl_expiry)
