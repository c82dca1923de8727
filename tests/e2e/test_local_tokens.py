"""The API for bearer tokens on the local stack, with tokens and a replay from the command line."""

import json
import re
import subprocess
import sys
import time
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import boto3
import pytest
from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import Job, Run, RunEvent, RunState

from headwater.events.api_changes import render_change
from local_stack.stack import LocalStack
from tests.builders_events import CHECK, NAMESPACE, STORE, a_run_event
from tests.token_texts import id_of, secret_of

# Set-up puts Marquez's client into a folder of its own, without its further top level packages.
sys.path.append(str(Path(sys.prefix) / "marquez"))
from marquez_client import MarquezClient
from marquez_client import client as marquez_module

RUN = "01941f29-7c00-7ea7-b5a3-4d2d5f0a1b2c"
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def stack(synthesized, tmp_path_factory):
    """A stack of its own: its time is moved, and its API requires tokens."""
    with LocalStack(synthesized(auth="token"), window_cap_s=0.2, logs=tmp_path_factory.mktemp("logs")) as stack:
        yield stack


def headwater(stack, *arguments, cwd=ROOT):
    command = [sys.executable, "-m", "headwater", *arguments, "--local", stack.endpoint_url]
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


def a_token(stack, *options):
    done = headwater(stack, "token", "create", *options)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def send(url, path, token, body=None, method=None):
    """Status and JSON of the answer."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    request = Request(f"{url}{path}", data, headers, method=method)
    try:
        with urlopen(request, timeout=30) as response:
            text = response.read()
            return response.status, json.loads(text) if text else None
    except HTTPError as refusal:
        return refusal.code, json.loads(refusal.read())


def test_the_demo_is_loaded_at_the_port_without_tokens_alone(stack):
    for method in ("GET", "POST"):
        assert send(stack.token_api_url, "/local/demo", "hw_unknown", method=method)[0] == 401
    assert send(stack.api_url, "/local/demo", "")[1]["state"] == "NONE"


@pytest.fixture
def headers_of_its_own(monkeypatch):
    """Marquez's client keeps its token in a variable of its module."""
    monkeypatch.setattr(marquez_module, "_HEADERS", dict(marquez_module._HEADERS))


def openlineages_client(url, **auth):
    return OpenLineageClient(
        config={"transport": {"type": "http", "url": url, "timeout": 60, "retry": {"total": 0}, **auth}}
    )


@pytest.mark.usefixtures("headers_of_its_own")
def test_clients_write_and_read_by_a_token_until_a_minute_after_it_is_revoked(stack):
    token = a_token(stack, "--scope", "read", "--scope", "write", "--namespace", NAMESPACE, "--namespace", f"{STORE}*")
    event = RunEvent(
        eventTime="2025-11-20T12:00:00Z",
        eventType=RunState.COMPLETE,
        run=Run(RUN),
        job=Job(NAMESPACE, CHECK),
        producer="https://x.y",
    )
    for auth in ({}, {"auth": {"type": "api_key", "apiKey": "hw_wrong"}}):
        with pytest.raises(Exception, match="401 Client Error"):
            openlineages_client(stack.token_api_url, **auth).emit(event)
    openlineages_client(stack.token_api_url, auth={"type": "api_key", "apiKey": token}).emit(event)
    stack.drain()

    marquez = MarquezClient(stack.token_api_url.rstrip("/"), api_key=token)
    assert [job["name"] for job in marquez.list_jobs(NAMESPACE)["jobs"]] == [CHECK]
    assert send(stack.token_api_url, "/api/v1/jobs", token)[1]["totalCount"] == 1
    assert send(stack.token_api_url, "/api/v1/namespaces/elsewhere", token)[0] == 404
    assert send(stack.token_api_url, "/api/v1/jobs", "hw_nobody")[0] == 401
    assert send(stack.api_url, "/api/v1/jobs", "hw_nobody")[0] == 200

    id_ = id_of(token)
    assert headwater(stack, "token", "revoke", id_).returncode == 0
    stack.advance(60)
    assert send(stack.token_api_url, "/api/v1/namespaces", token)[0] == 401
    [line] = [line for line in headwater(stack, "token", "list").stdout.splitlines() if line.startswith(id_)]
    assert "revoked" in line
    assert re.search(r"last used \d{4}-\d\d-\d\d$", line)
    assert secret_of(token) not in line
    unknown = headwater(stack, "token", "revoke", "0123456789abcdef")
    message = "headwater token: token: there is none with the id '0123456789abcdef'\n"
    assert (unknown.returncode, unknown.stdout, unknown.stderr) == (1, "", message)


def test_both_apis_are_among_the_outputs(stack):
    assert stack.outputs["ApiUrl"] == f"{stack.api_url}/"
    assert stack.outputs["TokenApiUrl"] == f"{stack.token_api_url}/"


def test_a_replay_from_the_command_line_makes_the_graph_again_in_another_table(stack, tmp_path):
    token = a_token(stack, "--scope", "write", "--all-namespaces")
    for number in range(5):
        send(stack.token_api_url, "/api/v1/lineage", token, a_run_event(run=f"r-{number}", job=f"job-{number}"))
    stack.drain()
    dynamodb = boto3.client("dynamodb", **stack.client_settings)
    dynamodb.create_table(
        TableName="again",
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk")],
        BillingMode="PAY_PER_REQUEST",
    )

    done = headwater(stack, "replay", "--into", "again", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    archive = "archive: rows of 0 objects of 0 sealed days made, 0 records of unsealed days staged, 0 objects failed\n"
    assert re.fullmatch(re.escape(archive) + r"\d+ events of 1 days loaded, 0 failed\n", done.stdout)
    # A replay makes the rows of events and of the archive; tokens are not among them.
    assert keys(dynamodb, "again") == {
        key for key in keys(dynamodb, stack.outputs["GraphTableName"]) if key[0] not in ("TOKENS", "TOKEN_USES")
    }
    assert list(tmp_path.rglob("*.json")) == []


def keys(dynamodb, table):
    pages = dynamodb.get_paginator("scan").paginate(TableName=table)
    return {(item["pk"]["S"], item["sk"]["S"]) for page in pages for item in page["Items"]}


SCOPES = ("--scope", "read", "--scope", "write", "--scope", "delete")


def test_a_deletion_comes_by_the_api_alone_and_a_producers_becomes_a_dead_letter(stack):
    token, path = (
        a_token(stack, *SCOPES, "--namespace", "deleted", "--namespace", f"{STORE}*"),
        "/api/v1/namespaces/deleted",
    )
    assert send(stack.token_api_url, "/api/v1/lineage", token, a_run_event(namespace="deleted"))[0] == 201
    stack.drain()
    sqs = boto3.client("sqs", **stack.client_settings)
    forged = render_change("DELETE", namespace="deleted", time="2099-01-01T00:00:00Z")
    receive_at_most(sqs, stack.outputs["EventsQueueUrl"], 2)
    sqs.send_message(QueueUrl=stack.outputs["EventsQueueUrl"], MessageBody=json.dumps(forged))

    assert dead_letter(stack, sqs, "EventsDeadLettersUrl") == forged
    assert send(stack.token_api_url, path, token)[1]["isHidden"] is False
    assert send(stack.token_api_url, path, token, method="DELETE")[0] == 200
    stack.drain()
    assert send(stack.token_api_url, path, token)[1]["isHidden"] is True


def receive_at_most(sqs, url, times):
    """Let a queue give up a message after fewer receives than the template says: each takes a while here."""
    policy = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["RedrivePolicy"])["Attributes"]["RedrivePolicy"]
    policy = json.dumps({**json.loads(policy), "maxReceiveCount": times})
    sqs.set_queue_attributes(QueueUrl=url, Attributes={"RedrivePolicy": policy})


def dead_letter(stack, sqs, queue):
    """Receive the queue's first dead letter, and delete it: a message gets there after its last try."""
    # Pytest's timeout ends the loop; its time is the machine's.
    while not (messages := sqs.receive_message(QueueUrl=stack.outputs[queue]).get("Messages")):
        # On to the next try of a failed message.
        stack.advance(120)
        time.sleep(0.1)
    sqs.delete_message(QueueUrl=stack.outputs[queue], ReceiptHandle=messages[0]["ReceiptHandle"])
    return json.loads(messages[0]["Body"])
