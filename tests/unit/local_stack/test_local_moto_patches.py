"""Our changes of moto, beside the stock behaviour: the tests notice a new moto with a change of either."""

from __future__ import annotations

import itertools
import json
import uuid

import boto3
import moto
import pytest
from moto import mock_aws
from moto.awslambda_simple.models import LambdaSimpleBackend
from moto.cloudformation.models import Stack
from moto.core.config import default_user_config
from moto.core.serialize import BaseJSONSerializer
from moto.dynamodb.models import DynamoDBBackend
from moto.dynamodb.models.table import Table
from moto.stepfunctions.parser.asl.component.state.wait.wait_function.wait_function import WaitFunction
from moto.stepfunctions.parser.models import StepFunctionsParserBackend

from headwater.aws.versioned_puts import put_versions
from local_stack.aws import moto_patches
from local_stack.web.server import Reply, Server
from tests.aws import moto_dynamodb
from tests.waiting import until

REGION = "us-east-1"
PATCHED = [
    (BaseJSONSerializer, "_serialize_type_structure"),
    (DynamoDBBackend, "batch_execute_statement"),
    (DynamoDBBackend, "transact_write_items"),
    (LambdaSimpleBackend, "invoke"),
    (Stack, "parse_template"),
    (StepFunctionsParserBackend, "start_execution"),
    (Table, "query"),
    (WaitFunction, "_wait_interval"),
]


@pytest.fixture(autouse=True)
def stock(monkeypatch):
    """Every test begins and ends with moto as it was."""
    for owner, name in PATCHED:
        monkeypatch.setattr(owner, name, vars(owner)[name])
    monkeypatch.setitem(default_user_config, "lambda", {"use_docker": False})


@pytest.fixture(scope="module")
def aws():
    with pytest.MonkeyPatch.context() as environment, mock_aws(config={"lambda": {"use_docker": False}}):
        environment.delenv("AWS_ENDPOINT_URL", raising=False)
        yield


def test_moto_is_the_version_that_the_patches_were_written_for():
    assert moto.__version__ == "5.2.5"


@pytest.fixture(scope="module")
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
    {"KeyConditionExpression": "root = :v AND begins_with(node, :n)", "v": "b", "n": "n", "ScanIndexForward": False},
    {"KeyConditionExpression": "root = :v", "v": "a", "IndexName": "local"},
    {"KeyConditionExpression": "root = :v AND #a = :n", "v": "b", "n": "A0", "IndexName": "local"},
    {"KeyConditionExpression": "twin = :v", "v": "t1", "IndexName": "global"},
    {"KeyConditionExpression": "root = :v", "v": "c", "FilterExpression": "twin = :n", "n": "t0"},
    {"KeyConditionExpression": "root = :v", "v": "c", "ConsistentRead": True, "ProjectionExpression": "node"},
]


def pages(client, query, size):
    """Every page of the answer, with its counts and its last key."""
    given = {name: value for name, value in query.items() if name not in {"v", "n"}}
    values = {f":{name}": {"S": query[name]} for name in ("v", "n") if name in query}
    if "#a" in query["KeyConditionExpression"]:
        given["ExpressionAttributeNames"] = {"#a": "action"}
    responses, start = [], {}
    while True:
        page = client.query(TableName="records", Limit=size, ExpressionAttributeValues=values, **given, **start)
        responses.append((page["Items"], page["Count"], page["ScannedCount"], page.get("LastEvaluatedKey")))
        if "LastEvaluatedKey" not in page:
            return responses
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


@pytest.mark.parametrize("query", QUERIES, ids=str)
def test_a_query_of_one_partition_returns_what_the_stock_query_does(table, query):
    stock = [pages(table, query, size) for size in (1, 2, 100)]
    moto_dynamodb.query_one_partition()
    assert [pages(table, query, size) for size in (1, 2, 100)] == stock


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


def test_stock_moto_echoes_the_payload_and_ours_calls_the_given_address(function):
    client, name = function
    assert client.invoke(FunctionName=name, Payload=b'{"a": 1}')["Payload"].read() == b'{"a": 1}'

    requested = []

    def reply_to(request):
        requested.append((request.method, request.target, request.header("x-amz-invocation-type"), request.body))
        return Reply(200, [("X-Amz-Function-Error", "Unhandled")], b'{"errorType": "Refused"}')

    server = Server(0, reply_to).open()
    try:
        moto_patches.run_functions_at(server.url)
        result = client.invoke(FunctionName=name, Payload=b'{"a": 1}')
    finally:
        server.stop()
    assert (result["FunctionError"], result["Payload"].read()) == ("Unhandled", b'{"errorType": "Refused"}')
    assert requested == [("POST", f"/2015-03-31/functions/{name}/invocations", "RequestResponse", b'{"a": 1}')]


def attempt(client, *operations):
    """The transaction's reasons for failing, or its error's code; an empty list if it went through."""
    try:
        client.transact_write_items(TransactItems=list(operations))
    except client.exceptions.TransactionCanceledException as error:
        return [reason["Code"] for reason in error.response["CancellationReasons"]]
    except client.exceptions.ClientError as error:
        return error.response["Error"]["Code"]
    return []


def an_operation(kind, root, node, **more):
    key = {"root": {"S": root}, "node": {"S": node}}
    named = {"Item": key | {"by": {"S": "put"}}} if kind == "Put" else {"Key": key}
    return {kind: {"TableName": "records", **named, **more}}


def an_update(root, node, **more):
    values = {":v": {"N": "1"}}
    return an_operation("Update", root, node, UpdateExpression="ADD times :v", ExpressionAttributeValues=values, **more)


TRANSACTIONS = [
    [an_operation("Put", "new", "a"), an_update("a", "n1"), an_operation("Delete", "b", "n1")],
    [an_update("a", "n1"), an_operation("Put", "c", "n9", ConditionExpression="attribute_exists(twin)")],
    [an_operation("ConditionCheck", "a", "n1", ConditionExpression="attribute_exists(twin)"), an_update("c", "n8")],
    [an_operation("Delete", "c", "n1"), an_operation("Delete", "c", "n1")],
    [an_update("a", "n2"), an_operation("Put", "a", "n3"), an_operation("Delete", "a", "unknown")],
    [
        an_operation("Delete", "c", "n2", ConditionExpression="attribute_not_exists(twin)"),
        an_operation("Put", "d", "a"),
    ],
]


def outcomes(client):
    """Run each transaction: its response and the table after it; then restore the table."""
    before = client.scan(TableName="records")["Items"]
    seen = [(attempt(client, *operations), client.scan(TableName="records")["Items"]) for operations in TRANSACTIONS]
    for item in client.scan(TableName="records")["Items"]:
        client.delete_item(TableName="records", Key={"root": item["root"], "node": item["node"]})
    for item in before:
        client.put_item(TableName="records", Item=item)
    return seen


def test_transactions_return_and_leave_what_stock_ones_do(table):
    stock = outcomes(table)
    moto_dynamodb.copy_only_what_a_transaction_touches()
    assert outcomes(table) == stock
    assert [returned for returned, _ in stock] == [
        [],
        ["None", "ConditionalCheckFailed"],
        [],
        "ValidationException",
        [],
        ["ConditionalCheckFailed", "None"],
    ]


TEMPLATES = [
    '{"Resources": {"Queue": {"Type": "AWS::SQS::Queue", "Properties": {"DelaySeconds": 5, "Is": [true, null, 0.5]}}}}',
    "Resources:\n  Queue:\n    Type: AWS::SQS::Queue\n    Properties:\n      Name: !Ref Other\n",
]


@pytest.mark.parametrize("template", TEMPLATES)
def test_templates_are_read_as_stock_moto_reads_them(template):
    stock = Stack.parse_template(template)
    moto_patches.read_templates_as_json_first()
    assert Stack.parse_template(template) == stock


def test_no_yaml_is_parsed_for_a_json_template(monkeypatch):
    monkeypatch.setattr(moto_patches, "_stock_parse", lambda _: pytest.fail("read as YAML"))
    moto_patches.read_templates_as_json_first()
    assert Stack.parse_template(TEMPLATES[0])["Resources"]["Queue"]["Type"] == "AWS::SQS::Queue"


VALUES = [
    {"S": "text"},
    {"SS": ["a", "b"]},
    {"NS": ["1"]},
    {"B": b"\x00\xff"},
    {"L": [{"S": "a"}, {"M": {"k": {"N": "1"}}}]},
    {"M": {"S": {"S": "a key named like a type"}, "B": {"B": b"\x01"}}},
]


def test_attribute_values_are_rendered_as_stock_moto_renders_them(table):
    item = {"root": {"S": "values"}, "node": {"S": "n"}} | {f"v{n}": value for n, value in enumerate(VALUES)}
    table.put_item(TableName="records", Item=item)
    key = {"root": item["root"], "node": item["node"]}
    stock = table.get_item(TableName="records", Key=key)["Item"]
    moto_dynamodb.render_attribute_values_as_they_are()
    assert table.get_item(TableName="records", Key=key)["Item"] == stock == item
    table.delete_item(TableName="records", Key=key)


@pytest.fixture
def machine(request, monkeypatch):
    monkeypatch.setitem(default_user_config, "stepfunctions", {"execute_state_machine": True})
    client = boto3.client("stepfunctions", region_name=REGION)
    succeeding = {"StartAt": "End", "States": {"End": {"Type": "Succeed"}}}
    definition = json.dumps(getattr(request, "param", succeeding))
    role = "arn:aws:iam::123456789012:role/r"
    created = client.create_state_machine(name=f"m-{uuid.uuid4()}", definition=definition, roleArn=role)
    return client, created["stateMachineArn"]


def test_executions_without_a_name_get_one_each(aws, machine):
    client, arn = machine
    stock = client.start_execution(stateMachineArn=arn)["executionArn"]
    assert stock.rpartition(":")[2] == "None"
    moto_patches.name_every_execution()
    names = [client.start_execution(stateMachineArn=arn)["executionArn"].rpartition(":")[2] for _ in range(2)]
    assert [str(uuid.UUID(name)) for name in names] == names
    assert client.start_execution(stateMachineArn=arn, name="mine")["executionArn"].endswith(":mine")


@pytest.mark.parametrize(
    "machine", [{"StartAt": "W", "States": {"W": {"Type": "Wait", "Seconds": 600, "End": True}}}], indirect=True
)
def test_an_execution_waits_no_longer_than_it_may(aws, machine):
    client, arn = machine
    moto_patches.wait_at_most(0)
    execution = client.start_execution(stateMachineArn=arn, name="waits")["executionArn"]
    until(lambda: client.describe_execution(executionArn=execution)["status"] != "RUNNING")
    assert client.describe_execution(executionArn=execution)["status"] == "SUCCEEDED"


def versioned(number, version):
    return {"pk": {"S": "P"}, "sk": {"S": f"S{number}"}, "json": {"S": "{}"}, "version": {"N": str(version)}}


def test_a_put_on_condition_of_a_version_is_refused_where_the_stock_statement_overwrites_or_says_nothing(aws):
    client = boto3.client("dynamodb", region_name=REGION)
    client.create_table(
        TableName="versions",
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk")],
        BillingMode="PAY_PER_REQUEST",
    )
    first, stale = versioned(1, 1), versioned(1, 5)
    inserted = {"Statement": "INSERT INTO \"versions\" VALUE {'pk': 'P', 'sk': 'S'}"}
    for _ in range(2):
        assert client.batch_execute_statement(Statements=[inserted])["Responses"] == [{"TableName": "versions"}]

    moto_dynamodb.put_versions_in_batches()

    assert put_versions(client, "versions", [first, versioned(2, 1)]) == [True, True]
    assert put_versions(client, "versions", [first, stale | {"sk": {"S": "S2"}}]) == [False, False]
    assert put_versions(client, "versions", [versioned(1, 2), versioned(3, 2)]) == [True, False]
    items = client.scan(TableName="versions")["Items"]
    assert [item["version"]["N"] for item in items if "version" in item] == ["2", "1"]
    # All further statements are moto's.
    assert client.batch_execute_statement(Statements=[inserted])["Responses"] == [{"TableName": "versions"}]
