"""The handlers on moto, in this process, with the queues, tables and buckets of the synthesized template."""

from __future__ import annotations

import gzip
import json
import os
from dataclasses import dataclass, field
from datetime import datetime, timezone
from functools import cache
from itertools import count

import boto3
import pytest
from moto import mock_aws
from moto.backends import get_backend
from moto.cloudformation.models import Stack
from moto.core import DEFAULT_ACCOUNT_ID
from moto.sqs.models import Message, Queue

from headwater import settings
from headwater.aws import clients
from headwater.records.digest import Digests
from headwater.records.pointers import Pointers
from headwater.times import from_seconds
from headwater_model.archive_tables import (
    DAY,
    TABLES,
    Manifest,
    TableFiles,
    attempt_prefix,
    manifest_key,
    render_manifest,
)
from headwater_model.ids import SHARDS
from lambdas import compact, events, expired, load, trace, wiring
from local_stack.aws import moto_kms
from tests.aws.in_moto import DynamoDBInMoto, tables_anew
from tests.builders import HOUR, NOON
from tests.gateway import lambda_context

_DATABASE = "headwater_test"
# The most calls of a seal: each call goes on from the cursor of the call before.
_SEALS_MAX = 200
_MADE = {"AWS::SQS::Queue", "AWS::DynamoDB::Table", "AWS::S3::Bucket"}
_VARIABLES = {
    settings.RECORDS_QUEUE_URL: "RecordsQueueUrl",
    settings.RECORDS_DLQ_URL: "RecordsDeadLettersUrl",
    settings.PACKED_QUEUE_URL: "PackedQueueUrl",
    settings.TRACE_QUEUE_URL: "TraceQueueUrl",
    settings.EVENTS_QUEUE_URL: "EventsQueueUrl",
    settings.CHANGES_QUEUE_URL: "ChangesQueueUrl",
    settings.RECORDS_TABLE: "RecordsTableName",
    settings.GRAPH_TABLE: "GraphTableName",
    settings.ARCHIVE_BUCKET: "ArchiveBucketName",
    settings.INTAKE_BUCKET: "IntakeBucketName",
}


@pytest.fixture(scope="session")
def template(synthesized):
    """Render the resources with state; the local stack runs the whole template (tests/e2e)."""
    whole = synthesized()
    resources = {name: _bare(resource) for name, resource in whole["Resources"].items() if resource["Type"] in _MADE}
    outputs = {name: whole["Outputs"][name] for name in _VARIABLES.values()}
    return json.dumps({"Resources": resources, "Outputs": outputs})


def _bare(resource):
    # moto's buckets ignore the two properties, and fail on some of their values.
    skipped = ("LoggingConfiguration", "LifecycleConfiguration")
    kept = {name: value for name, value in resource["Properties"].items() if name not in skipped}
    return {"Type": resource["Type"], "Properties": kept}


def _groups_in_flight(queue):
    """List the groups of messages in flight; moto keeps a message in flight until it is received again."""
    return {message.group_id for message in queue.pending_messages if message.group_id and not message.visible}


@pytest.fixture(scope="session", autouse=True)
def moto_as_on_the_local_stack():
    _patch_moto()


@cache
def _patch_moto():
    """Stock moto reads templates as YAML, keeps messages in flight, makes a key for each key, and hashes digests."""
    Stack.parse_template = staticmethod(json.loads)
    Queue.pending_message_groups = property(_groups_in_flight)
    moto_kms.make_no_private_key_for_symmetric_keys()
    moto_kms.sign_digests_as_they_are()


@dataclass
class Cloud:
    """The account: its clients, names, and a clock moved by the test alone."""

    outputs: dict[str, str]
    now_s: int = NOON
    waits: list[float] = field(default_factory=list)
    loads_meanwhile: bool = False
    numbers: count = field(default_factory=count)

    def __post_init__(self):
        # The handlers' clients, for tests to put faults into; the test looks with its own.
        self.sqs, self.s3 = (clients.client(service) for service in ("sqs", "s3"))
        self.dynamodb = clients.dynamodb() if os.environ.get(settings.DYNAMODB_CLIENT) == "boto3" else DynamoDBInMoto()
        self._sqs, self._s3, self._dynamodb = (tests_client(service) for service in ("sqs", "s3", "dynamodb"))

    def context(self, remaining_s=600):
        return lambda_context(remaining_s)

    def wait(self, seconds):
        """Wait no time; the queues of events and changes are worked off meanwhile, if the test says so."""
        self.waits.append(seconds)
        if self.loads_meanwhile:
            self.load_queued()

    def url(self, queue):
        return self.outputs[f"{queue}Url"]

    def event(self, queue, bodies, receives=1):
        """Bodies as the queue's event source would deliver them, without a queue in between."""
        return {"Records": [self._message(queue, body, receives) for body in bodies]}

    def _message(self, queue, body, receives):
        number = next(self.numbers)
        self._take(self.url(queue).rpartition("/")[2], f"h-{number}")
        return {
            "messageId": f"m-{number}",
            "receiptHandle": f"h-{number}",
            "body": body if isinstance(body, str) else json.dumps(body),
            "attributes": {"ApproximateReceiveCount": str(receives), "SentTimestamp": str(self.now_s * 1000)},
            "eventSourceARN": f"arn:aws:sqs:us-east-1:1:{self.url(queue).rpartition('/')[2]}",
        }

    def _take(self, name, receipt):
        """Add a message in flight with this receipt, as the event source has it; the test receives no such message."""
        message = Message(receipt, "")
        message.mark_sent()
        message.mark_received(visibility_timeout=HOUR)
        message._old_receipt_handles.append(receipt)
        get_backend("sqs")[DEFAULT_ACCOUNT_ID][self.sqs.meta.region_name].queues[name]._messages.append(message)

    def failed(self, handler, queue, bodies, **context):
        """List the positions in the batch of the messages that the handler leaves for another try."""
        event = self.event(queue, bodies)
        response = handler(event, self.context(**context))["batchItemFailures"]
        places = {message["messageId"]: place for place, message in enumerate(event["Records"])}
        return [places[failure["itemIdentifier"]] for failure in response]

    def load(self, *messages, queue="RecordsQueue"):
        """Load a batch of records; list the positions of the failed messages."""
        return self.failed(load.handler, queue, messages)

    def load_events(self, *forms):
        """Load a batch of events; list the positions of the failed events."""
        return self.failed(events.handler, "EventsQueue", forms)

    def load_api_changes(self, *forms):
        """Load a batch of the queue of changes; list the positions of the failed changes."""
        return self.failed(events.handler, "ChangesQueue", forms)

    def load_queued(self):
        """Load the events and the changes of the queues."""
        assert self.load_events(*self.bodies("EventsQueue")) == []
        assert self.load_api_changes(*self.bodies("ChangesQueue")) == []

    def trace(self, root_id="flights", **request):
        """Trace a root; list position 0 if the message failed."""
        return self.failed(trace.handler, "TraceQueue", [{"root_id": root_id, **request}])

    def traces(self):
        """The trace function on every message of its queue; the number of messages."""
        bodies = self.bodies("TraceQueue")
        assert self.failed(trace.handler, "TraceQueue", bodies) == []
        return len(bodies)

    def expire(self):
        """Remove every item past its time, as TTL does; list the stream records of the removals."""
        gone = [item for item in self.items() if int(item["ttl_expiry"]["N"]) <= self.now_s]
        for item in gone:
            key = {name: item[name] for name in ("root_id", "node_id")}
            self._dynamodb.delete_item(TableName=self.outputs["RecordsTableName"], Key=key)
        return [
            {"dynamodb": {"OldImage": item, "ApproximateCreationDateTime": self.now_s, "SequenceNumber": str(number)}}
            for number, item in enumerate(gone)
        ]

    def stream(self, records):
        """Run the expired function on the stream records of a sweep."""
        assert expired.handler({"Records": records}, self.context()) == {"batchItemFailures": []}

    def step(self, step, *, remaining_s=600, **event):
        """Run a step of the compaction."""
        return compact.handler({"step": step, **event}, self.context(remaining_s))

    def plan(self, day, execution="nightly"):
        """The compaction's first step, for a day."""
        started = datetime.fromtimestamp(self.now_s, timezone.utc).isoformat()
        return self.step("plan", input={"day": day}, execution=execution, started_at=started)

    def enqueue(self, plan):
        """Every slice of every shard; the number of roots enqueued."""
        state = {name: plan[name] for name in ("day", "execution", "started_at")}
        return sum(
            self.step("slice", **state, shard=shard, cursor=None, enqueued=0)["enqueued"]
            for shard in range(len(SHARDS))
        )

    def seal(self, plan, *, remaining_s=600):
        """Run the compaction's last step, as often as it takes; return its result without the cursor."""
        state = {name: plan[name] for name in ("day", "execution", "started_at")}
        sealed = plan.get("sealed", {"cursor": None})
        for _ in range(_SEALS_MAX):
            sealed = self.step("seal", **state, cursor=sealed["cursor"], remaining_s=remaining_s)
            if sealed["cursor"] is None:
                del sealed["cursor"]
                return sealed
        raise AssertionError("the seal does not end")

    def check(self, plan, shard=0):
        """Check the day's roots, from a shard on."""
        return self.step("check", **{name: plan[name] for name in ("day", "started_ms", "deadline")}, shard=shard)

    def compact(self, day):
        """The whole compaction of a day, with the traces in between."""
        plan = self.plan(day)
        self.enqueue(plan)
        self.traces()
        return self.seal(plan)

    def unpublished(self, day, *, again=False):
        """The days whose tables are still to be made."""
        return self.step("unpublished", day=day, publish_again=again)["days"]

    def attempt(self, day, attempt, digest_sha256=None):
        """Write the files of a finished attempt of Spark's compaction."""
        bucket = self.outputs["ArchiveBucketName"]
        digest = Digests(self._s3, bucket).get(day)
        written = TableFiles(rows=1, files=1, size_bytes=4)
        manifest = Manifest(day, attempt, digest_sha256 or digest.link.sha256, written, written)
        for table in TABLES:
            key = attempt_prefix(table.name, day, attempt) + "part-0.parquet"
            self._s3.put_object(Bucket=bucket, Key=key, Body=b"PAR1")
        self._s3.put_object(Bucket=bucket, Key=manifest_key(day, attempt), Body=render_manifest(manifest))

    def publish(self, day, attempt):
        """Publish the attempt's tables as the day's."""
        return self.step("publish", day=day, attempt=attempt)

    def partitions(self, table="records"):
        """The table's partitions: day -> location."""
        partitions = tests_client("glue").get_partitions(DatabaseName=_DATABASE, TableName=table)["Partitions"]
        return {partition["Values"][0]: partition["StorageDescriptor"]["Location"] for partition in partitions}

    def objects(self, prefix="traces/"):
        """Key -> bytes of everything in the archive."""
        bucket = self.outputs["ArchiveBucketName"]
        listed = self._s3.list_objects_v2(Bucket=bucket, Prefix=prefix).get("Contents", [])
        keys = [entry["Key"] for entry in listed]
        return {key: self._s3.get_object(Bucket=bucket, Key=key)["Body"].read() for key in keys}

    def archived(self, root_id="flights"):
        """The lines of the root's current archive, parsed; empty when it has none."""
        pointer = Pointers(self._dynamodb, self.outputs["GraphTableName"]).find(root_id)
        if pointer is None:
            return []
        body = self._s3.get_object(Bucket=self.outputs["ArchiveBucketName"], Key=pointer.object.key)["Body"].read()
        return [json.loads(line) for line in gzip.decompress(body).splitlines()]

    def archived_nodes(self, root_id="flights"):
        """Every node in the root's current archive."""
        return {step["node_id"] for line in self.archived(root_id) for step in line["lineage"][:-1]}

    def dirty(self):
        """Find the dirty roots: on some day, a mark counts batches of records that no trace has read."""
        return {
            item["root_id"]["S"]
            for item in self.items("Graph")
            if item["pk"]["S"].startswith("DIRTY#")
            and int(item["gen"]["N"]) > int(item.get("traced_gen", {"N": "0"})["N"])
        }

    def deploy(self, *names, stack="Headwater-prod", **outputs):
        """Show the account as a deployed stack with these outputs, archive bucket and graph table among them."""
        named = {name: self.outputs[name] for name in ("ArchiveBucketName", "GraphTableName", *names)}
        template = {
            "Resources": {"Topic": {"Type": "AWS::SNS::Topic"}},
            "Outputs": {name: {"Value": value} for name, value in {**named, **outputs}.items()},
        }
        boto3.client("cloudformation").create_stack(StackName=stack, TemplateBody=json.dumps(template))

    def bodies(self, queue):
        """Every message of the queue, taken off it."""
        taken = []
        while messages := self._sqs.receive_message(
            QueueUrl=self.url(queue), MaxNumberOfMessages=10, MessageAttributeNames=["All"]
        ).get("Messages"):
            for message in messages:
                taken.append(json.loads(message["Body"]))
                self._sqs.delete_message(QueueUrl=self.url(queue), ReceiptHandle=message["ReceiptHandle"])
        return taken

    def empty_archive(self):
        """Remove every object of the archive, and its versions."""
        backend = get_backend("s3")[DEFAULT_ACCOUNT_ID]["aws"]
        backend.buckets[self.outputs["ArchiveBucketName"]].keys.clear()

    def forget(self, table="Records"):
        """Remove every item of a table."""
        for item in self.items(table):
            names = ("pk", "sk") if table == "Graph" else ("root_id", "node_id")
            name = self.outputs[f"{table}TableName"]
            self._dynamodb.delete_item(TableName=name, Key={part: item[part] for part in names})

    def items(self, table="Records"):
        """Every item of a table."""
        pages = self._dynamodb.get_paginator("scan").paginate(TableName=self.outputs[f"{table}TableName"])
        return [item for page in pages for item in page["Items"]]


@cache
def _session():
    """A session for all tests reads the models of AWS's services once, not for 0.3 s in each test."""
    return boto3.Session("testing", "testing", "testing", "us-east-1")


def tests_client(service):
    """A client for the test's own reads: shared by all tests, without injected faults."""
    return _tests_client(service, os.environ.get(f"AWS_ENDPOINT_URL_{service.upper()}"))


@cache
def _tests_client(service, endpoint):
    """A client keeps its endpoint, so each endpoint has a client."""
    return _session().client(service, endpoint_url=endpoint)


@pytest.fixture
def cloud(request, template, monkeypatch):
    """A new account with the stack's queues, tables and buckets; the handlers' variables and clock are its own.

    The handlers use their own client of DynamoDB, or boto3's: by the parameter of `BOTH_CLIENTS`, or for the whole
    suite by the variable of the functions (`DYNAMODB_CLIENT=boto3`).
    """
    if hasattr(request, "param"):
        monkeypatch.setenv(settings.DYNAMODB_CLIENT, request.param)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    monkeypatch.setenv("POWERTOOLS_SERVICE_NAME", "test")
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", _session())
    monkeypatch.setattr(clients, "session", lambda: _session()._session)
    with mock_aws(config={"core": {"reset_boto3_session": False}}), tables_anew():
        formation = tests_client("cloudformation")
        formation.create_stack(StackName="headwater", TemplateBody=template)
        listed = formation.describe_stacks(StackName="headwater")["Stacks"][0]["Outputs"]
        outputs = {output["OutputKey"]: output["OutputValue"] for output in listed}
        # moto makes the template's buckets without their versions.
        versioned = {"Bucket": outputs["ArchiveBucketName"], "VersioningConfiguration": {"Status": "Enabled"}}
        tests_client("s3").put_bucket_versioning(**versioned)
        for variable, output in _VARIABLES.items():
            monkeypatch.setenv(variable, outputs[output])
        monkeypatch.setenv(settings.SEARCH_DATABASE, _DATABASE)
        monkeypatch.setenv(settings.PARTITION_TRIMMING, "true")
        monkeypatch.setenv(settings.RECORDS_TTL_S, str(24 * HOUR))
        monkeypatch.setenv(settings.TRACE_RECORDS_MAX, "1000")
        _forget_clients()
        account = Cloud(outputs)
        monkeypatch.setattr(wiring, "dynamodb", lambda: account.dynamodb)
        monkeypatch.setattr(wiring, "now_s", lambda: account.now_s)
        monkeypatch.setattr(wiring, "sleep", account.wait)
        monkeypatch.setattr(wiring, "now_ms", lambda: account.now_s * 1000)
        monkeypatch.setattr(wiring, "now", lambda: from_seconds(account.now_s))
        yield account
    _forget_clients()


@pytest.fixture
def catalog(cloud):
    """Make the archive's tables in Glue: moto's CloudFormation leaves them out."""
    tests_client("glue").create_database(DatabaseInput={"Name": _DATABASE})
    make_tables(TABLES)


def make_tables(tables):
    """Make tables in the catalog."""
    for table in tables:
        columns = [{"Name": column.name, "Type": column.type} for column in table.columns]
        form = {
            "Name": table.name,
            "PartitionKeys": [{"Name": DAY.name, "Type": DAY.type}],
            "StorageDescriptor": {"Columns": columns, "Location": "s3://archive/tables/"},
        }
        tests_client("glue").create_table(DatabaseName=_DATABASE, TableInput=form)


def _forget_clients():
    for cached in (
        clients.client,
        clients.dynamodb,
        *(function for function in vars(wiring).values() if hasattr(function, "cache_clear")),
    ):
        cached.cache_clear()
