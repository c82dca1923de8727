"""Records through the whole stack: in over HTTP, through queues, functions and the state machine, and back."""

from __future__ import annotations

import gzip
import hashlib
import json
import time
import urllib.error
import urllib.request
from copy import deepcopy
from datetime import datetime, timezone

import boto3
import pytest

from local_stack.errors import MachineFailed
from local_stack.stack import LocalStack
from tests.builders import a_message, a_request

HOUR = 3600


class Account:
    """A stack of the test's own, whose time it may move."""

    def __init__(self, stack):
        self.stack = stack
        self.sqs, self.s3 = (boto3.client(service, **stack.client_settings) for service in ("sqs", "s3"))

    def http(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.stack.api_url.rstrip('/')}{path}", data=data, method=method)
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.read()

    def trace(self, root_id):
        return [json.loads(line) for line in self.http("GET", f"/api/v1/records/roots/{root_id}/trace").splitlines()]

    def today(self):
        return datetime.fromtimestamp(self.stack.now, timezone.utc).date().isoformat()

    def compact(self, **more):
        return self.stack.run_state_machine({"day": self.today(), **more})

    def dead_letters(self):
        url = self.stack.outputs["RecordsDeadLettersUrl"]
        return [json.loads(message["Body"]) for message in self.sqs.receive_message(QueueUrl=url).get("Messages", [])]


@pytest.fixture
def account(template, tmp_path):
    with LocalStack(template, window_cap_s=0.2, logs=tmp_path) as stack:
        yield Account(stack)


@pytest.fixture
def impatient(template, tmp_path):
    """An account whose messages are dead letters after three receives: the deployed stack's hundred take minutes."""
    template = deepcopy(template)
    for resource in template["Resources"].values():
        if resource["Type"] == "AWS::SQS::Queue" and "RedrivePolicy" in resource["Properties"]:
            resource["Properties"]["RedrivePolicy"]["maxReceiveCount"] = 3
    with LocalStack(template, window_cap_s=0.2, logs=tmp_path) as stack:
        yield Account(stack)


def nodes(lines):
    return [[step["node_id"] for step in line["lineage"]] for line in lines]


# Takes long: a stack of its own and a compaction, which starts Spark.
def test_records_are_served_today_and_archived_tonight_and_served_after_they_expired(account):
    account.http("POST", "/api/v1/records", a_request(node_id="file"))
    rows = [{"node_id": f"row-{number}", "storage_location": "s3://b/rows"} for number in range(150)]
    batch = {"root_id": "flights", "parent_id": "file", "action_taken": "SPLIT", "records": rows}
    account.http("POST", "/api/v1/records", batch)
    account.stack.drain()
    live = account.trace("flights")
    sealed = account.compact()
    account.stack.advance(25 * HOUR)
    account.stack.sweep_ttl()
    account.stack.drain()

    assert len(live) == 150
    assert (sealed["roots"], sealed["objects"], sealed["lines"], sealed["missing"]) == (1, 1, 150, 0)
    assert account.trace("flights") == live
    bucket, _, key = sealed["digest"].removeprefix("s3://").partition("/")
    _, entry, _ = map(
        json.loads, gzip.decompress(account.s3.get_object(Bucket=bucket, Key=key)["Body"].read()).splitlines()
    )
    body = account.s3.get_object(Bucket=bucket, Key=entry["key"])["Body"].read()
    assert hashlib.sha256(body).hexdigest() == entry["sha256"]
    proof = json.loads(account.http("GET", "/api/v1/records/roots/flights/proof?node=row-7"))
    assert (proof["state"], proof["fault"], proof["object"]["sha256"]) == ("sealed", None, entry["sha256"])
    # A client that unpacks what comes compressed gets the bytes as they are stored.
    with urllib.request.urlopen(proof["object"]["location"], timeout=60) as response:
        assert (response.headers["Content-Encoding"], response.read()) == ("identity", body)


# Takes long: a stack of its own and two compactions, which start Spark.
def test_what_expires_before_a_compaction_is_caught_and_archived_by_the_next(account):
    account.http("POST", "/api/v1/records", a_request(node_id="file"))
    account.stack.drain()
    account.stack.advance(25 * HOUR)
    assert account.stack.sweep_ttl() == 1
    account.stack.drain()
    sealed = account.compact()

    assert (sealed["roots"], sealed["missing"]) == (1, 0)
    assert nodes(account.trace("flights")) == [["file"]]


def test_a_poison_message_among_good_ones_is_dead_alone(impatient):
    account = impatient
    url = account.stack.outputs["RecordsQueueUrl"]
    bodies = [a_message(), {"root_id": "flights"}, a_message(node_id="n-2")]
    for body in bodies:
        account.sqs.send_message(QueueUrl=url, MessageBody=json.dumps(body))
    dead = []
    deadline = time.monotonic() + 120
    while not dead and time.monotonic() < deadline:
        # A failure waits for its next delivery.
        account.stack.advance(601)
        time.sleep(1)
        dead += account.dead_letters()

    assert dead == [bodies[1]]
    assert nodes(account.trace("flights")) == [["n-1"], ["n-2"]]


def test_a_day_that_is_not_yet_fails_the_compaction_with_the_reason(account):
    with pytest.raises(MachineFailed, match="day: must be a day as YYYY-MM-DD, at the latest"):
        account.stack.run_state_machine({"day": "2999-01-01"})


def test_a_request_that_breaks_a_rule_is_shown_so_by_http_and_by_lambda(account):
    with pytest.raises(urllib.error.HTTPError) as caught:
        account.http("POST", "/api/v1/records", a_request(root_id=""))
    response = account.stack.invoke("InputFunctionName", a_request(root_id=""))

    returned = "root_id: must not be empty, got ''"
    assert (caught.value.code, json.loads(caught.value.read())) == (400, {"code": 400, "message": returned})
    assert (response.payload["errorType"], response.payload["errorMessage"]) == ("Invalid", returned)
