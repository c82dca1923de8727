"""The functions of a stack run on MiniStack under its IAM: records, events, API, trace, seal, alerts, forwarding.

MiniStack has no Spark: the day is sealed, but gets no tables.
"""

from __future__ import annotations

import gzip
import json
import re
import socket
import sys
import time
from datetime import datetime, timezone
from fnmatch import fnmatchcase
from functools import partial

import pytest
from botocore.exceptions import ClientError

from headwater.cli.main import main
from headwater.cli.service import NoResponse, send
from tests.builders_events import a_dataset, a_facet, a_run_event
from tests.features.company.stacks import PLACE, SECRET, SPOKE
from tests.stack.emulator import ACCOUNT, REGION, an_emulator
from tests.waiting import until

receiving = pytest.importorskip("tests.features.forwarding.receiving")
pytestmark = pytest.mark.slow
STACK = "running"
ROOT = "flights"
SENT = {"ApproximateReceiveCount": "1", "SentTimestamp": "1795952526000"}
# Rights without a use here: role, action.
UNUSED = (
    # Services act in the name of a role on AWS; MiniStack acts in its own.
    ("*", "logs:*"),
    ("*FunctionRole*", "sqs:DeleteMessage"),
    ("*FunctionRole*", "sqs:GetQueueAttributes"),
    ("*FunctionRole*", "sqs:ReceiveMessage"),
    ("IngestionExpiredFunctionRole*", "dynamodb:*Stream*"),
    ("IngestionExpiredFunctionRole*", "dynamodb:GetRecords"),
    ("IngestionExpiredFunctionRole*", "dynamodb:GetShardIterator"),
    ("IngestionExpiredFunctionRole*", "s3:PutObject"),
    ("CompactionStateMachine*", "*"),
    # A missing object is an error 404 by this right, 403 without it; no call needs it.
    ("*", "s3:ListBucket"),
    # Spark's jobs do not run, so no day has tables for Glue and Athena.
    ("SparkJobs*", "*"),
    ("CompactionCompactFunctionRole*", "glue:*"),
    ("CompactionCompactFunctionRole*", "s3:DeleteObject"),
    ("CompactionCompactFunctionRole*", "s3:PutObject"),
    ("QueryApiApiFunctionRole*", "athena:*"),
    ("QueryApiApiFunctionRole*", "glue:*"),
    ("QueryApiApiFunctionRole*", "s3:*"),
)
# Rights for faults, races, and large rows or roots: used by chance.
RARELY_USED = (
    ("*FunctionRole*", "sqs:ChangeMessageVisibility"),
    ("*FunctionRole*", "dynamodb:DeleteItem"),
    ("*FunctionRole*", "dynamodb:UpdateItem"),
    ("*FunctionRole*", "dynamodb:PartiQLInsert"),
    ("*FunctionRole*", "dynamodb:BatchWriteItem"),
    ("*FunctionRole*", "s3:GetObject"),
    ("CompactionTraceFunctionRole*", "sqs:SendMessage"),
)


class Account:
    """The stack in its account, its alerts, and the events forwarded by it."""

    def __init__(self, emulator, received):
        self.emulator, self.received = emulator, received
        self.outputs = emulator.outputs(STACK)
        self.sqs = emulator.client("sqs")
        self.alerts = self._subscribe()

    def http(self, path, body=None, *, token=None, **query):
        url = self.outputs["TokenApiUrl" if token else "ApiUrl"]
        sent = None if body is None else json.dumps(body).encode()
        response = send(url, path, query, token=token, method="GET" if body is None else "POST", body=sent)
        # Large responses come from a bucket, as stored.
        return gzip.decompress(response) if response.startswith(b"\x1f\x8b") else response

    def post_records(self, form):
        self.http("/api/v1/records", form)

    def shows(self, text, path, **query):
        """Return True if the response has the text."""
        try:
            return text.encode() in self.http(path, **query)
        except NoResponse:
            return False

    def run(self, job, **more):
        number = more.pop("number", 0)
        run = f"01941f29-7c00-7ea7-b5a3-4d2d5f0a{number:04}"
        now = datetime.now(timezone.utc).isoformat()
        self.http("/api/v1/lineage", a_run_event(run=run, job=job, **{"eventTime": now, **more}))

    def invoke(self, function, event):
        name = self.outputs.get(function) or self._physical(function)
        response = self.emulator.client("lambda").invoke(FunctionName=name, Payload=json.dumps(event).encode())
        payload = json.load(response["Payload"])
        assert "FunctionError" not in response, payload
        return payload

    def _physical(self, function):
        names = [each["FunctionName"] for each in self.emulator.client("lambda").list_functions()["Functions"]]
        return next(name for name in names if function in name)

    def _subscribe(self):
        """Let a queue receive the alerts of the bus."""
        arn = f"arn:aws:sqs:{REGION}:{ACCOUNT}:alerts"
        allow = {"Effect": "Allow", "Principal": {"Service": "events.amazonaws.com"}, "Action": "sqs:SendMessage"}
        policy = json.dumps({"Version": "2012-10-17", "Statement": [{**allow, "Resource": arn}]})
        url = self.sqs.create_queue(QueueName="alerts", Attributes={"Policy": policy})["QueueUrl"]
        rule = {"EventBusName": self.outputs["AlertsBusName"]}
        events = self.emulator.client("events")
        events.put_rule(Name="all", EventPattern='{"source": ["headwater"]}', **rule)
        events.put_targets(Rule="all", Targets=[{"Id": "queue", "Arn": arn}], **rule)
        return str(url)


@pytest.fixture(scope="module")
def account(assemblies, tmp_path_factory):
    with receiving.an_endpoint() as received, an_emulator(tmp_path_factory.mktemp("emulator")) as emulator:
        emulator.client("secretsmanager").create_secret(Name=SECRET, SecretString="t0ken")
        assert emulator.create(assemblies, STACK, (PLACE, received.url))[:2] == ("CREATE_COMPLETE", [])
        yield Account(emulator, received)


@pytest.fixture(autouse=True)
def credentials(account, monkeypatch):
    """Direct commands to the emulator, also requests to the hosts of its APIs."""
    resolve = socket.getaddrinfo

    def resolve_here(host, *more, **named):
        return resolve("127.0.0.1" if ".execute-api." in str(host) else host, *more, **named)

    monkeypatch.setattr(socket, "getaddrinfo", resolve_here)
    monkeypatch.setenv("AWS_ENDPOINT_URL", account.emulator.url)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.setenv(name, REGION)


# Takes long: a state machine waits half a minute before it seals.
def test_functions_have_all_rights_that_they_need_and_no_other(account, capsys):
    assert (
        main(["smoke", "--stack", STACK, "--skip", "compaction", "--skip", "explorer", "--skip", "dead letters"]) == 0
    )
    send_with_a_token(account, capsys)
    send_records(account)
    send_events(account)
    fail_a_run(account)
    refuse_what_breaks_a_rule(account)
    seal_the_day(account)
    capsys.readouterr()
    assert main(["verify", "--stack", STACK]) == 0
    assert "all of it is as it was sealed" in capsys.readouterr().out
    trace_again(account)

    unused = account.emulator.unused_rights()
    known = {right for right in unused if documented(right, *UNUSED, *RARELY_USED)}
    with capsys.disabled():
        sys.stdout.write(
            f"\n{len(account.emulator.denied())} denials; of {len(unused)} unused rights {len(known)} documented\n"
        )
    assert account.emulator.denied() == []
    assert unused == known
    assert [kind for kind in UNUSED if not any(documented(right, kind) for right in unused)] == []


def documented(right, *kinds):
    return any(all(fnmatchcase(*pair) for pair in zip(right, kind, strict=True)) for kind in kinds)


def send_with_a_token(account, capsys):
    scopes = ("--scope", "read", "--scope", "write", "--namespace", "*")
    assert main(["token", "create", "--stack", STACK, *scopes]) == 0
    token = re.search(r"hw_\S+", capsys.readouterr().out)[0]
    account.http("/api/v1/lineage", a_run_event(), token=token)


def send_records(account):
    """Send requests of 1,000 records by both doors: their bodies go through a bucket. Another record has expired."""
    for number, door in enumerate((account.post_records, partial(account.invoke, "InputFunctionName"))):
        records = [
            {"node_id": f"n{number}-{each}", "storage_location": "s3://x/" + "y" * 2_000} for each in range(1_000)
        ]
        door({"root_id": ROOT, "parent_id": ROOT, "action_taken": "SPLIT", "records": records})
    until(lambda: all(account.shows(ROOT, f"/api/v1/records/nodes/n{number}-999") for number in range(2)))
    assert len(account.http(f"/api/v1/records/roots/{ROOT}/trace")) > 4_200_000
    for query in ({"root": ROOT, "node": "n0-7"}, {"root": ROOT, "action": "SPLIT"}, {"node": "n0-7"}):
        assert json.loads(account.http("/api/v1/records/search", limit=1, **query))["records"]
    table = account.emulator.client("dynamodb")
    key = {"root_id": {"S": ROOT}, "node_id": {"S": "n0-7"}}
    image = table.get_item(TableName=account.outputs["RecordsTableName"], Key=key)["Item"]
    change = {"OldImage": image, "ApproximateCreationDateTime": int(time.time()), "SequenceNumber": "1"}
    account.invoke("ExpiredFunction", {"Records": [{"dynamodb": change}]})


def send_events(account):
    """Send large events in several batches, and runs of a job with other outputs each."""
    for number in range(6):
        plan = {"plan": a_facet("Plan", plan="x" * 1_900_000)}
        account.run("large", number=number, run_facets=plan if number < 3 else {})
        account.run("moved", number=10 + number, outputs=[a_dataset(f"place-{number}", fields=["id"])])
    until(lambda: account.shows("1f29-7c00-7ea7-b5a3-4d2d5f0a0005", "/api/v1/namespaces/emissions/jobs/large/runs"))
    assert account.shows("PlanFacet", "/api/v1/events/lineage", limit=100)


def fail_a_run(account):
    account.run("check", number=99, eventType="FAIL")
    messages = []
    until(lambda: messages or messages.extend(account.sqs.receive_message(QueueUrl=account.alerts).get("Messages", [])))
    assert json.loads(messages[0]["Body"])["detail-type"] == "RunFailed"
    until(lambda: "check" in {event["job"]["name"] for event in account.received.events})


def refuse_what_breaks_a_rule(account):
    """Give the functions another record of a node, and the endpoint an event to refuse."""
    page = json.loads(account.http("/api/v1/records/search", root=ROOT, node="n0-8"))
    record = {**page["records"][0], "storage_location": "s3://elsewhere"}
    arn = f"arn:aws:sqs:{REGION}:{ACCOUNT}:" + account.outputs["RecordsQueueUrl"].rpartition("/")[2]
    message = {
        "messageId": "1",
        "receiptHandle": "1",
        "body": json.dumps(record),
        "attributes": SENT,
        "eventSourceARN": arn,
    }
    assert account.invoke("LoadFunction", {"Records": [{**message, "messageAttributes": {}}]}) == {
        "batchItemFailures": []
    }
    account.received.act = lambda event: 422
    account.run("refused", number=98)
    letters = account.outputs["ForwardDeadLettersUrl"]
    until(lambda: account.sqs.receive_message(QueueUrl=letters).get("Messages"))
    account.received.act = lambda event: 201


def seal_the_day(account):
    states, day = account.emulator.client("stepfunctions"), f"{datetime.now(timezone.utc):%Y-%m-%d}"
    machine = account.outputs["CompactionStateMachineArn"]
    states.start_execution(stateMachineArn=machine, input=json.dumps({"day": day}))
    until(lambda: account.shows('"sealed"', f"/api/v1/records/roots/{ROOT}/proof", node="n0-8"))


def trace_again(account):
    """Trace a root again: the function reads the first trace, and removes the staged record."""
    step = {
        "root_id": ROOT,
        "parent_id": "n0-7",
        "action_taken": "CHECK",
        "storage_location": "s3://x",
        "node_id": "late",
    }
    account.post_records(step)
    until(lambda: account.shows("late", f"/api/v1/records/roots/{ROOT}/trace"))


def test_a_producer_of_another_account_may_send_events_and_nothing_else(account):
    iam = account.emulator.client("iam", key=SPOKE)
    iam.create_user(UserName="jobs")
    anything = {"Effect": "Allow", "Action": ["sqs:*", "lambda:*"], "Resource": "*"}
    policy = json.dumps({"Version": "2012-10-17", "Statement": [anything]})
    iam.put_user_policy(UserName="jobs", PolicyName="anything", PolicyDocument=policy)
    key = iam.create_access_key(UserName="jobs")["AccessKey"]
    sqs = account.emulator.client("sqs", key=key["AccessKeyId"], secret=key["SecretAccessKey"])
    event = json.dumps(a_run_event(namespace="spoke", job="nightly"))

    sqs.send_message(QueueUrl=account.outputs["EventsQueueUrl"], MessageBody=event)

    until(lambda: account.shows("nightly", "/api/v1/namespaces/spoke/jobs"))
    for queue in ("RecordsQueueUrl", "ChangesQueueUrl"):
        with pytest.raises(ClientError, match="AccessDenied"):
            sqs.send_message(QueueUrl=account.outputs[queue], MessageBody=event)
