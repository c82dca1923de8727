"""The API for bearer tokens on the local stack, with tokens and a replay from the command line."""

from __future__ import annotations

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

from headwater.cli.program import command as program_command
from headwater.events.api_changes import render_deletion
from local_stack.stack import LocalStack
from tests.builders_events import CHECK, NAMESPACE, STORE, a_run_event
from tests.token_texts import id_of, secret_of

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


def test_events_come_in_and_queries_are_served_by_token(stack):
    token = a_token(stack, "--scope", "read", "--scope", "write", "--namespace", NAMESPACE, "--namespace", f"{STORE}*")
    assert re.fullmatch(r"hw_[0-9a-f]{16}_[\w-]{43}", token)

    assert send(stack.token_api_url, "/api/v1/lineage", token, a_run_event(job=CHECK)) == (201, None)
    stack.drain()
    code, jobs = send(stack.token_api_url, f"/api/v1/namespaces/{NAMESPACE}/jobs", token)
    assert (code, [job["name"] for job in jobs["jobs"]]) == (200, [CHECK])
    assert send(stack.token_api_url, "/api/v1/jobs", token)[1]["totalCount"] == 1
    assert send(stack.token_api_url, "/api/v1/namespaces/elsewhere", token)[0] == 404
    assert send(stack.token_api_url, "/api/v1/jobs", "hw_nobody")[0] == 401
    assert send(stack.api_url, "/api/v1/jobs", "hw_nobody")[0] == 200


def test_both_apis_are_among_the_outputs(stack):
    assert stack.outputs["ApiUrl"] == f"{stack.api_url}/"
    assert stack.outputs["TokenApiUrl"] == f"{stack.token_api_url}/"


def test_a_revoked_token_is_refused_within_a_minute_and_stays_in_the_list(stack):
    token = a_token(stack, "--scope", "read", "--all-namespaces", "--expires-days", "30")
    assert send(stack.token_api_url, "/api/v1/namespaces", token)[0] == 200

    id_ = id_of(token)
    assert headwater(stack, "token", "revoke", id_).returncode == 0
    stack.advance(60)
    assert send(stack.token_api_url, "/api/v1/namespaces", token)[0] == 401
    [line] = [line for line in headwater(stack, "token", "list").stdout.splitlines() if line.startswith(id_)]
    assert "revoked" in line
    assert re.search(r"last used \d{4}-\d\d-\d\d$", line)
    assert secret_of(token) not in line


@pytest.mark.parametrize(
    ("arguments", "returned"),
    [
        (["revoke", "0123456789abcdef"], "headwater token: token: there is none with the id '0123456789abcdef'\n"),
        (
            ["create", "--scope", "read", "--namespace", "a*b"],
            "headwater token: namespace: must be a name, or the beginning of names and then `*`, got 'a*b'\n",
        ),
    ],
)
def test_what_cannot_be_done_is_one_line_and_a_status(stack, arguments, returned):
    done = headwater(stack, "token", *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", returned)


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
    # Tokens, marks and the archive's pointers are no part of what events say.
    assert keys(dynamodb, "again") == {
        key for key in keys(dynamodb, stack.outputs["GraphTableName"]) if key[0] not in ("TOKENS", "TOKEN_USES")
    }
    assert list(tmp_path.rglob("*.json")) == []


def keys(dynamodb, table):
    pages = dynamodb.get_paginator("scan").paginate(TableName=table)
    return {(item["pk"]["S"], item["sk"]["S"]) for page in pages for item in page["Items"]}


def test_a_stack_that_is_not_there_is_one_line_and_a_status(stack):
    command = [sys.executable, "-m", "headwater", "replay", "--local", "http://127.0.0.1:9"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    advice = f"start {program_command('serve')} or give --local"
    assert done.stderr == f"headwater replay: nothing answers at http://127.0.0.1:9; {advice}\n"


SCOPES = ("--scope", "read", "--scope", "write", "--scope", "delete")


def test_a_deletion_comes_by_the_api_alone_and_a_producers_becomes_a_dead_letter(stack):
    token, path = (
        a_token(stack, *SCOPES, "--namespace", "deleted", "--namespace", f"{STORE}*"),
        "/api/v1/namespaces/deleted",
    )
    assert send(stack.token_api_url, "/api/v1/lineage", token, a_run_event(namespace="deleted"))[0] == 201
    stack.drain()
    sqs = boto3.client("sqs", **stack.client_settings)
    forged = render_deletion("deleted", time="2099-01-01T00:00:00Z")
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
    """Take the message that is among the dead letters once it has been received as often as its queue lets it be."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        messages = sqs.receive_message(QueueUrl=stack.outputs[queue]).get("Messages", [])
        if messages:
            sqs.delete_message(QueueUrl=stack.outputs[queue], ReceiptHandle=messages[0]["ReceiptHandle"])
            return json.loads(messages[0]["Body"])
        # On to the next try of a message that failed.
        stack.advance(120)
        time.sleep(0.5)
    return None
