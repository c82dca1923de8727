"""The runtime's own tests run it on a small template; messages command its handlers (functions/probe.py)."""

import json
import time
from contextlib import ExitStack
from pathlib import Path

import boto3
import pytest

from local_stack.stack import LocalStack
from spark_client import LineageClient
from tests.e2e.search_template import a_job, a_resource, a_search_template, arn_of
from tests.waiting import LONG_S

FUNCTIONS = Path(__file__).with_name("functions")
# Code of a stack, no tests. Collected, its `jobs` would replace the project's.
collect_ignore = ["functions"]

PASS_ON = {
    "StartAt": "Ask",
    "States": {
        "Ask": {
            "Type": "Task",
            "Resource": "arn:aws:states:::lambda:invoke",
            "Parameters": {"FunctionName": "${AnswerArn}", "Payload.$": "$"},
            "OutputPath": "$.Payload",
            "Catch": [{"ErrorEquals": ["Refused"], "ResultPath": "$.caught", "Next": "Caught"}],
            "End": True,
        },
        "Caught": {"Type": "Pass", "End": True},
    },
}


def a_function(handler, *, timeout, **variables):
    return a_resource(
        "Lambda::Function",
        Handler=f"probe.{handler}",
        Timeout=timeout,
        MemorySize=256,
        Runtime="python3.13",
        Code={"S3Bucket": "assets", "S3Key": "code.zip"},
        Role=arn_of("Role"),
        Environment={"Variables": variables},
    )


def a_mapping(of, function, batch, **more):
    return a_resource(
        "Lambda::EventSourceMapping",
        EventSourceArn=of,
        FunctionName={"Ref": function},
        BatchSize=batch,
        FunctionResponseTypes=["ReportBatchItemFailures"],
        **more,
    )


def keys_of(hash_key, range_key):
    return [{"AttributeName": hash_key, "KeyType": "HASH"}, {"AttributeName": range_key, "KeyType": "RANGE"}]


# By TTL alone.
REMOVALS = {
    "eventName": ["REMOVE"],
    "userIdentity": {"type": ["Service"], "principalId": ["dynamodb.amazonaws.com"]},
}


def a_template(seen="/dev/null", *, batch=10, window_s=0):
    """Everything the runtime knows, once: queue with dead letters, table with TTL, bucket, machine, schedule, API."""
    of_rest = {"RestApiId": {"Ref": "Rest"}}
    by_action = {"IndexName": "action-index", "KeySchema": keys_of("root", "action")}
    uri = {"Fn::Join": ["", ["arn:", arn_of("Api"), "/invocations"]]}
    address = {"Fn::Sub": "https://${Rest}.execute-api.${AWS::Region}.${AWS::URLSuffix}/${RestStage}/"}
    resources = {
        "Role": a_resource("IAM::Role", AssumeRolePolicyDocument={}),
        "Dead": a_resource("SQS::Queue", MessageRetentionPeriod=1209600),
        "Work": a_resource(
            "SQS::Queue",
            VisibilityTimeout=Probe.visibility_s,
            RedrivePolicy={"deadLetterTargetArn": arn_of("Dead"), "maxReceiveCount": Probe.receives_max},
            SqsManagedSseEnabled=True,
        ),
        "Bucket": a_resource("S3::Bucket", VersioningConfiguration={"Status": "Enabled"}),
        "Table": a_resource(
            "DynamoDB::Table",
            KeySchema=keys_of("root", "node"),
            AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("root", "node", "action")],
            LocalSecondaryIndexes=[{**by_action, "Projection": {"ProjectionType": "ALL"}}],
            BillingMode="PAY_PER_REQUEST",
            StreamSpecification={"StreamViewType": "NEW_AND_OLD_IMAGES"},
            TimeToLiveSpecification={"AttributeName": "until", "Enabled": True},
        ),
        "Answer": a_function("respond", timeout=60, BUCKET={"Ref": "Bucket"}),
        "Brief": a_function("respond", timeout=2),
        "Meet": a_function("meet", timeout=120),
        "Take": a_function("take", timeout=900, SEEN=seen),
        "Expired": a_function("expired", timeout=60, SEEN=seen),
        "Api": a_function("api", timeout=60),
        "Names": a_function("s3_names", timeout=60),
        "WorkMapping": a_mapping(
            arn_of("Work"),
            "Take",
            batch,
            MaximumBatchingWindowInSeconds=window_s,
            ScalingConfig={"MaximumConcurrency": 10},
        ),
        "TableMapping": a_mapping(
            {"Fn::GetAtt": ["Table", "StreamArn"]},
            "Expired",
            10,
            BisectBatchOnFunctionError=True,
            MaximumRetryAttempts=1,
            StartingPosition="TRIM_HORIZON",
            FilterCriteria={"Filters": [{"Pattern": json.dumps(REMOVALS)}]},
            DestinationConfig={"OnFailure": {"Destination": arn_of("Bucket")}},
        ),
        "Machine": a_resource(
            "StepFunctions::StateMachine",
            DefinitionString=json.dumps(PASS_ON),
            DefinitionSubstitutions={"AnswerArn": arn_of("Answer")},
            RoleArn=arn_of("Role"),
        ),
        "Daily": a_resource(
            "Events::Rule",
            ScheduleExpression="cron(30 0 * * ? *)",
            State="ENABLED",
            Targets=[{"Arn": {"Ref": "Machine"}, "Id": "T", "Input": '{"do": "fail"}'}],
        ),
        "Rest": a_resource("ApiGateway::RestApi", Name="api", BinaryMediaTypes=["x/y"], MinimumCompressionSize=1024),
        "RestProxy": a_resource(
            "ApiGateway::Resource",
            ParentId={"Fn::GetAtt": ["Rest", "RootResourceId"]},
            PathPart="{proxy+}",
            **of_rest,
        ),
        "RestAny": a_resource(
            "ApiGateway::Method",
            HttpMethod="ANY",
            ResourceId={"Ref": "RestProxy"},
            AuthorizationType="AWS_IAM",
            Integration={
                "Type": "AWS_PROXY",
                "IntegrationHttpMethod": "POST",
                "TimeoutInMillis": 60_000,
                "Uri": uri,
            },
            **of_rest,
        ),
        "RestStage": a_resource("ApiGateway::Stage", StageName="prod", **of_rest),
    }
    outputs = {
        **{f"{name}Url": {"Ref": name} for name in ("Work", "Dead")},
        **{f"{name}Name": {"Ref": name} for name in ("Bucket", "Table", "Answer")},
        "MachineArn": {"Ref": "Machine"},
        "ApiUrl": address,
    }
    return {"Resources": resources, "Outputs": {name: {"Value": value} for name, value in outputs.items()}}


class Probe:
    """A started stack of the small template, and the notes of its handlers."""

    visibility_s = 100
    receives_max = 3

    def __init__(self, stack, seen):
        self.stack = stack
        self._seen = seen
        self.sqs = boto3.client("sqs", **stack.client_settings)
        self.s3 = boto3.client("s3", **stack.client_settings)
        self.dynamodb = boto3.client("dynamodb", **stack.client_settings)

    @property
    def seen(self):
        return [json.loads(line) for line in self._seen.read_text().splitlines()] if self._seen.exists() else []

    @property
    def taken(self):
        """The numbers of the messages of each batch."""
        return [sorted(body["n"] for body in batch["bodies"]) for batch in self.seen]

    @property
    def dead(self):
        result = self.sqs.receive_message(QueueUrl=self.stack.outputs["DeadUrl"], MaxNumberOfMessages=10)
        return [json.loads(message["Body"]) for message in result.get("Messages", [])]

    def send(self, *bodies):
        entries = [{"Id": str(n), "MessageBody": json.dumps(body)} for n, body in enumerate(bodies)]
        for start in range(0, len(entries), 10):
            url = self.stack.outputs["WorkUrl"]
            result = self.sqs.send_message_batch(QueueUrl=url, Entries=entries[start : start + 10])
            assert not result.get("Failed")

    def put(self, **item):
        attributes = {name: {"N" if isinstance(value, int) else "S": str(value)} for name, value in item.items()}
        self.dynamodb.put_item(TableName=self.stack.outputs["TableName"], Item=attributes)

    def clear(self):
        self.stack.advance(61)  # a queue may be purged once a minute
        for url in ("WorkUrl", "DeadUrl"):
            self.sqs.purge_queue(QueueUrl=self.stack.outputs[url])
        name = self.stack.outputs["TableName"]
        for item in self.dynamodb.scan(TableName=name)["Items"]:
            self.dynamodb.delete_item(TableName=name, Key={"root": item["root"], "node": item["node"]})
        self.until(lambda: self.stack.running == 0)
        self.stack.errors.clear()
        self._seen.unlink(missing_ok=True)

    def until(self, condition):
        deadline = time.monotonic() + LONG_S
        while not condition():
            assert time.monotonic() < deadline, f"did not happen in time; failures: {self.stack.errors}"
            time.sleep(0.05)

    def deliveries(self, count):
        """Wait for `count` batches, each done; after each but the last, failed messages come back at once."""
        for number in range(1, count + 1):
            self.until(lambda number=number: len(self.seen) == number and self.stack.running == 0)
            if number < count:
                self.stack.advance(self.visibility_s + 1)


def a_probe(folder, *, schedules=False, **changes):
    seen = folder / "seen.jsonl"
    stack = LocalStack(a_template(str(seen), **changes), code=FUNCTIONS, logs=folder / "logs", schedules=schedules)
    stack.start()
    return Probe(stack, seen)


@pytest.fixture
def start(tmp_path):
    """Starts a small stack: `start()`, or with changes of `a_template`."""
    with ExitStack() as on_exit:

        def started(**changes):
            probe = a_probe(tmp_path, **changes)
            on_exit.callback(probe.stack.stop)
            return probe

        yield started


@pytest.fixture(scope="session")
def shared_probe(tmp_path_factory):
    """A small stack for all tests: it takes 2 s to start."""
    probe = a_probe(tmp_path_factory.mktemp("probe"))
    yield probe
    probe.stack.stop()


@pytest.fixture
def probe(shared_probe):
    """The shared stack, its queues and its table empty."""
    yield shared_probe
    shared_probe.clear()


@pytest.fixture(scope="session")
def search_stack(tmp_path_factory):
    """A stack with a search and a job, shared by their tests: 2 s to start."""
    template = a_search_template(Compact=a_job("compact_archive", runs=2, timeout=7))
    with LocalStack(template, code=FUNCTIONS, logs=tmp_path_factory.mktemp("search")) as stack:
        yield stack


@pytest.fixture
def small_template():
    return a_template()


@pytest.fixture(params=["http", "lambda"])
def lineage(request, local_stack, monkeypatch):
    """A strict client by each way in, which its environment names."""
    for name, value in local_stack.environment.items():
        monkeypatch.setenv(name, value)
    if request.param == "http":
        monkeypatch.setenv("HEADWATER_URL", local_stack.api_url)
    else:
        monkeypatch.setenv("HEADWATER_FUNCTION", local_stack.outputs["InputFunctionName"])
    return LineageClient(strict=True)
