"""`headwater serve --data`: accepted records and events survive a kill of the process in the middle of its work."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from contextlib import contextmanager

import boto3
import pytest

from local_stack.aws.endpoint import Endpoint, settings_at
from local_stack.errors import DataInUse

KEY = {"KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}]}
TYPES = [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk")]


class Aws:
    """An endpoint with a table, a versioned bucket and a queue of the same names each time."""

    def __init__(self, endpoint):
        settings = settings_at(endpoint.url)
        self.dynamodb, self.s3, self.sqs = (boto3.client(name, **settings) for name in ("dynamodb", "s3", "sqs"))
        self.dynamodb.create_table(TableName="kept", AttributeDefinitions=TYPES, BillingMode="PAY_PER_REQUEST", **KEY)
        self.s3.create_bucket(Bucket="kept")
        self.s3.put_bucket_versioning(Bucket="kept", VersioningConfiguration={"Status": "Enabled"})
        self.glue = boto3.client("glue", **settings)
        self.glue.create_database(DatabaseInput={"Name": "d"})
        self.glue.create_table(DatabaseName="d", TableInput={"Name": "t"})
        self.queue = self.sqs.create_queue(QueueName="kept")["QueueUrl"]

    def item(self, sk, **values):
        return {"pk": {"S": "P"}, "sk": {"S": sk}, **values}

    def seen(self):
        """Read all stored items, versions, objects and partitions, as the services return them."""
        listed = self.s3.list_object_versions(Bucket="kept")
        kinds = ("Versions", "DeleteMarkers")
        versions = [(kind, each["Key"], each["VersionId"]) for kind in kinds for each in listed.get(kind, [])]
        objects = {
            version: {name: stored[name] for name in ("ETag", "ContentType", "Metadata")}
            | {"body": stored["Body"].read()}
            for kind, key, version in versions
            if kind == "Versions"
            for stored in [self.s3.get_object(Bucket="kept", Key=key, VersionId=version)]
        }
        partitions = self.glue.get_partitions(DatabaseName="d", TableName="t")["Partitions"]
        days = [(each["Values"], each["Parameters"]) for each in partitions]
        return self.dynamodb.scan(TableName="kept")["Items"], sorted(versions), objects, days

    def messages(self):
        received = self.sqs.receive_message(
            QueueUrl=self.queue, MaxNumberOfMessages=10, MessageAttributeNames=["All"], VisibilityTimeout=0
        )
        return {
            each["MessageId"]: (each["Body"], each.get("MessageAttributes")) for each in received.get("Messages", [])
        }


@contextmanager
def an_endpoint(folder):
    endpoint = Endpoint(port=0, functions_url="http://127.0.0.1:9", logs=folder, state=folder / "state.sqlite")
    try:
        yield endpoint
    finally:
        endpoint.stop()


def test_items_objects_and_messages_are_back_as_they_were(tmp_path):
    with an_endpoint(tmp_path) as endpoint:
        aws = Aws(endpoint)
        put = aws.dynamodb.put_item
        put(TableName="kept", Item=aws.item("a", raw={"B": b"\x00\xff"}, n={"N": "1.50"}, many={"SS": ["x", "y"]}))
        put(TableName="kept", Item=aws.item("gone"))
        aws.dynamodb.delete_item(TableName="kept", Key=aws.item("gone"))
        aws.dynamodb.update_item(
            TableName="kept",
            Key=aws.item("b"),
            UpdateExpression="SET v = :v",
            ExpressionAttributeValues={":v": {"S": "ü"}},
        )
        aws.dynamodb.batch_write_item(RequestItems={"kept": [{"PutRequest": {"Item": aws.item("c")}}]})
        aws.dynamodb.transact_write_items(
            TransactItems=[
                {"Put": {"TableName": "kept", "Item": aws.item("d")}},
                {"Delete": {"TableName": "kept", "Key": aws.item("c")}},
            ]
        )
        for body in (b"first", b"second"):
            aws.s3.put_object(
                Bucket="kept", Key="a/ü b", Body=body, Metadata={"day": "2025-11-20"}, ContentType="text/plain"
            )
        for key in ("hidden", "together"):
            aws.s3.put_object(Bucket="kept", Key=key, Body=b"")
        aws.s3.delete_object(Bucket="kept", Key="hidden")
        aws.s3.delete_objects(Bucket="kept", Delete={"Objects": [{"Key": "together"}]})
        kind = {"kind": {"StringValue": "records", "DataType": "String"}}
        for number in range(3):
            aws.sqs.send_message(QueueUrl=aws.queue, MessageBody=f"body {number}", MessageAttributes=kind)
        taken = aws.sqs.receive_message(QueueUrl=aws.queue)["Messages"][0]
        aws.sqs.delete_message(QueueUrl=aws.queue, ReceiptHandle=taken["ReceiptHandle"])
        table = {"DatabaseName": "d", "TableName": "t"}
        aws.glue.create_partition(**table, PartitionInput={"Values": ["2025-11-20"], "Parameters": {"attempt": "1"}})
        aws.glue.create_partition(**table, PartitionInput={"Values": ["2025-11-21"]})
        aws.glue.delete_partition(**table, PartitionValues=["2025-11-21"])
        again = {"Values": ["2025-11-20"], "Parameters": {"attempt": "2"}}
        aws.glue.update_partition(**table, PartitionValueList=["2025-11-20"], PartitionInput=again)
        stored, waiting = aws.seen(), aws.messages()

    with an_endpoint(tmp_path) as endpoint:
        aws = Aws(endpoint)
        endpoint.restore()

        assert aws.seen() == stored
        assert aws.messages() == waiting
        assert len(waiting) == 2


class Served:
    """`headwater serve --data` in a process of its own."""

    def __init__(self, template, data, log):
        self._log = log.open("w")
        ports = ["--api-port", "0", "--aws-port", "0", "--window", "0.2"]
        command = [sys.executable, "-m", "headwater", "serve", "--template", template, "--data", data, *ports]
        self._process = subprocess.Popen(command, stdout=self._log, start_new_session=True)
        deadline = time.monotonic() + 120
        while not (match := re.search(r"HTTP API: (\S+)", log.read_text())):
            assert self._process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.2)
        self.url = match[1]

    def kill(self):
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._log.close()

    def send(self, path, form):
        request = urllib.request.Request(f"{self.url}{path}", json.dumps(form).encode(), method="POST")
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.status

    def list(self, path, key):
        """Read a list of the API; a 404 is an empty list, as nothing of it is loaded yet."""
        try:
            with urllib.request.urlopen(f"{self.url}{path}", timeout=60) as response:
                return json.load(response)[key]
        except urllib.error.HTTPError as refusal:
            refusal.close()
            if refusal.code != 404:
                raise
            return []


def an_event(number):
    return {
        "eventType": "COMPLETE",
        "eventTime": "2025-11-20T12:00:00Z",
        "producer": "https://example.com",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": f"0197a1de-0000-7000-8000-{number:012}"},
        "job": {"namespace": "n", "name": f"job-{number}"},
        "outputs": [{"namespace": "n", "name": f"made-{number}"}],
    }


# Takes long: the stack starts twice.
@pytest.mark.slow
def test_what_was_accepted_before_a_kill_is_there_after_the_next_start(assembly, tmp_path):
    template, data = assembly(), tmp_path / "data"
    served = Served(template, data, tmp_path / "first.log")
    accepted = []

    def send():
        for number in range(10_000):
            try:
                served.send("/api/v1/lineage", an_event(number))
                record = {"node_id": f"node-{number}", "storage_location": "s3://lake/x"}
                served.send("/api/v1/records", {"root_id": "r", "parent_id": "r", "action_taken": "READ", **record})
            except OSError:
                return
            accepted.append(number)

    sender = threading.Thread(target=send)
    sender.start()
    deadline = time.monotonic() + 120
    while len(accepted) < 30 and time.monotonic() < deadline:
        time.sleep(0.05)
    served.kill()
    sender.join()
    assert len(accepted) >= 30

    served = Served(template, data, tmp_path / "second.log")
    try:
        jobs, nodes = set(), set()
        while time.monotonic() < deadline + 120 and not (jobs >= set(accepted) and nodes >= set(accepted)):
            listed = served.list("/api/v1/namespaces/n/jobs?limit=1000", "jobs")
            jobs = {int(job["name"].removeprefix("job-")) for job in listed}
            records = served.list("/api/v1/records/roots/r?limit=1000", "records")
            nodes = {int(record["node_id"].removeprefix("node-")) for record in records}
            time.sleep(0.5)
        assert jobs >= set(accepted)
        assert nodes >= set(accepted)
        with pytest.raises(DataInUse, match="another stack has it"):
            Endpoint(port=0, functions_url="http://127.0.0.1:9", logs=tmp_path, state=data / "state.sqlite")
    finally:
        served.kill()
