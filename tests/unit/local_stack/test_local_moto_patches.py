"""Our changes of moto, beside the stock behaviour: the tests notice a new moto with a change of either."""

from __future__ import annotations

import json
import uuid

import boto3
import pytest
from moto import mock_aws
from moto.awslambda_simple.models import LambdaSimpleBackend
from moto.core.config import default_user_config
from moto.stepfunctions.parser.asl.component.state.wait.wait_function.wait_function import WaitFunction
from moto.stepfunctions.parser.models import StepFunctionsParserBackend

from local_stack.aws import moto_patches
from local_stack.web.server import Reply, Server
from tests.waiting import until

REGION = "us-east-1"
PATCHED = [
    (LambdaSimpleBackend, "invoke"),
    (StepFunctionsParserBackend, "start_execution"),
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
