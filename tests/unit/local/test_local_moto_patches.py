"""What we change in moto, beside the stock behaviour: a new moto that changes either is noticed here."""

from __future__ import annotations

import itertools
import json
import uuid

import boto3
import moto
import pytest
from moto import mock_aws
from moto.awslambda_simple.models import LambdaSimpleBackend
from moto.core.config import default_user_config
from moto.dynamodb.models.table import Table

from local import moto_patches
from local.http_api import Reply, Server

REGION = "us-east-1"
STOCK_QUERY, STOCK_INVOKE = Table.query, LambdaSimpleBackend.invoke


@pytest.fixture(autouse=True)
def stock(monkeypatch):
    """Every test ends with moto as it was."""
    monkeypatch.setattr(Table, "query", STOCK_QUERY)
    monkeypatch.setattr(LambdaSimpleBackend, "invoke", STOCK_INVOKE)
    monkeypatch.setitem(default_user_config, "lambda", {"use_docker": True})


@pytest.fixture
def aws(monkeypatch):
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    with mock_aws(config={"lambda": {"use_docker": False}}):
        yield


def test_moto_is_the_version_that_the_patches_were_written_for():
    assert moto.__version__ == "5.2.5"


@pytest.fixture
def table(aws):
    """Three roots of four nodes; `twin` and `action` are shared across roots; two items lack them."""
    client = boto3.client("dynamodb", region_name=REGION)
    client.create_table(
        TableName="records",
        KeySchema=[{"AttributeName": "root", "KeyType": "HASH"}, {"AttributeName": "node", "KeyType": "RANGE"}],
        AttributeDefinitions=[
            {"AttributeName": name, "AttributeType": "S"} for name in ("root", "node", "action", "twin")
        ],
        BillingMode="PAY_PER_REQUEST",
        LocalSecondaryIndexes=[
            {
                "IndexName": "local",
                "KeySchema": [
                    {"AttributeName": "root", "KeyType": "HASH"},
                    {"AttributeName": "action", "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": "ALL"},
            }
        ],
        GlobalSecondaryIndexes=[
            {
                "IndexName": "global",
                "KeySchema": [{"AttributeName": "twin", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "ALL"},
            }
        ],
    )
    for root, node in itertools.product("abc", range(4)):
        item = {"root": root, "node": f"n{node}", "twin": f"t{node % 2}", "action": f"A{node // 2}"}
        if (root, node) in {("a", 0), ("b", 3)}:
            item = {"root": root, "node": f"n{node}"}
        client.put_item(TableName="records", Item={name: {"S": value} for name, value in item.items()})
    return client


QUERIES = [
    {"KeyConditionExpression": "root = :v", "v": "a"},
    {"KeyConditionExpression": "root = :v", "v": "unknown"},
    {"KeyConditionExpression": "root = :v AND node >= :n", "v": "b", "n": "n1"},
    {"KeyConditionExpression": "root = :v AND begins_with(node, :n)", "v": "b", "n": "n", "ScanIndexForward": False},
    {"KeyConditionExpression": "root = :v", "v": "a", "IndexName": "local"},
    {"KeyConditionExpression": "root = :v AND #a = :n", "v": "b", "n": "A0", "IndexName": "local"},
    {"KeyConditionExpression": "twin = :v", "v": "t1", "IndexName": "global"},
    {"KeyConditionExpression": "twin = :v", "v": "t1", "IndexName": "global", "ScanIndexForward": False},
    {"KeyConditionExpression": "root = :v", "v": "c", "FilterExpression": "twin = :n", "n": "t0"},
    {"KeyConditionExpression": "root = :v", "v": "c", "ConsistentRead": True, "ProjectionExpression": "node"},
]


def pages(client, query, size):
    """Every page of the answer, with its counts and its last key."""
    given = {name: value for name, value in query.items() if name not in {"v", "n"}}
    values = {f":{name}": {"S": query[name]} for name in ("v", "n") if name in query}
    if "#a" in query["KeyConditionExpression"]:
        given["ExpressionAttributeNames"] = {"#a": "action"}
    found, start = [], {}
    while True:
        page = client.query(TableName="records", Limit=size, ExpressionAttributeValues=values, **given, **start)
        found.append((page["Items"], page["Count"], page["ScannedCount"], page.get("LastEvaluatedKey")))
        if "LastEvaluatedKey" not in page:
            return found
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


@pytest.mark.parametrize("query", QUERIES, ids=str)
@pytest.mark.parametrize("size", [1, 2, 100])
def test_a_query_of_one_partition_answers_what_the_stock_query_does(table, query, size):
    stock = pages(table, query, size)
    moto_patches.query_one_partition()
    assert pages(table, query, size) == stock


def test_a_query_of_one_partition_looks_at_no_other_item(table, monkeypatch):
    moto_patches.query_one_partition()
    looked_at = []
    stock_items = Table.all_items
    monkeypatch.setattr(Table, "all_items", lambda self: looked_at.append(len(stock_items(self))) or stock_items(self))
    pages(table, QUERIES[0], 100)
    pages(table, QUERIES[6], 100)
    assert looked_at == [4, 5]


@pytest.fixture
def function(aws):
    trust = {"Statement": [{"Effect": "Allow", "Principal": {"Service": "lambda.amazonaws.com"}}]}
    iam = boto3.client("iam", region_name=REGION)
    role = iam.create_role(RoleName="r", AssumeRolePolicyDocument=json.dumps(trust))["Role"]["Arn"]
    client = boto3.client("lambda", region_name=REGION)
    name = f"f-{uuid.uuid4()}"
    client.create_function(
        FunctionName=name, Runtime="python3.13", Role=role, Handler="h.h", Code={"ZipFile": b"nothing"}
    )
    return client, name


def test_stock_moto_echoes_the_payload_and_ours_asks_the_given_address(function):
    client, name = function
    assert client.invoke(FunctionName=name, Payload=b'{"a": 1}')["Payload"].read() == b'{"a": 1}'

    asked = []

    def reply_to(request):
        asked.append((request.method, request.target, request.header("x-amz-invocation-type"), request.body))
        return Reply(200, [("X-Amz-Function-Error", "Unhandled")], b'{"errorType": "Refused"}')

    server = Server(0, reply_to)
    try:
        moto_patches.run_functions_at(server.url)
        said = client.invoke(FunctionName=name, Payload=b'{"a": 1}')
    finally:
        server.stop()
    assert (said["FunctionError"], said["Payload"].read()) == ("Unhandled", b'{"errorType": "Refused"}')
    assert asked == [("POST", f"/2015-03-31/functions/{name}/invocations", "RequestResponse", b'{"a": 1}')]
