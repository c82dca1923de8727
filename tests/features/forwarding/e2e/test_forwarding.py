"""A stack that forwards chosen namespaces to a second Headwater, over HTTP and with a token of it."""

import json
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import boto3
import pytest

from local_stack.stack import LocalStack
from tests.builders_events import a_dataset, a_dataset_event, a_job_event, a_run_event
from tests.features.forwarding.receiving import an_endpoint
from tests.features.forwarding.stacks import CONTEXT, PLACE, SECRET

ROOT = Path(__file__).resolve().parents[4]
CHOSEN, OTHER = "flights", "payments"


@pytest.fixture(scope="module")
def second(synthesized, tmp_path_factory):
    """The second Headwater, whose API takes bearer tokens."""
    with LocalStack(synthesized(auth="token"), window_cap_s=0.2, logs=tmp_path_factory.mktemp("second")) as stack:
        yield stack


@pytest.fixture(scope="module")
def first(synthesized, second, tmp_path_factory):
    """The stack that forwards."""
    template = json.dumps(synthesized(**CONTEXT)).replace(PLACE, f"{second.token_api_url}/api/v1/lineage")
    with LocalStack(json.loads(template), window_cap_s=0.2, logs=tmp_path_factory.mktemp("first")) as stack:
        secrets = boto3.client("secretsmanager", **stack.client_settings)
        secrets.create_secret(Name=SECRET, SecretString=a_token(second))
        yield stack


def a_token(stack):
    """Return a token that may write in the chosen namespaces alone."""
    done = headwater(stack, "token", "create", "--scope", "write", "--namespace", f"{CHOSEN}*")
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def headwater(stack, *arguments, cwd=ROOT):
    command = [sys.executable, "-m", "headwater", *arguments, "--local", stack.endpoint_url]
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


def send(stack, *events):
    for event in events:
        body = json.dumps(event).encode()
        with urlopen(
            Request(f"{stack.api_url}/api/v1/lineage", body, {"Content-Type": "application/json"})
        ) as response:
            assert response.status == 201


def get(stack, path, **query):
    with urlopen(f"{stack.api_url}/api/v1/{path}?{urlencode(query)}") as response:
        return json.load(response)


def drain(*stacks):
    for stack in stacks:
        stack.drain()


def story(namespace):
    """A pipeline of two jobs with runs, a job without, and a described dataset."""
    datasets = {name: a_dataset(name, namespace, fields=["id", "co2"]) for name in ("raw", "checked", "report")}
    run = "01941f29-7c00-7ea7-b5a3-4d2d5f0a1b{:02}"
    for number, (job, read, written) in enumerate((("check", "raw", "checked"), ("calculate", "checked", "report"))):
        of_run = {"run": run.format(number), "job": job, "namespace": namespace, "inputs": [datasets[read]]}
        for kind, minute in (("START", 0), ("RUNNING", 1), ("COMPLETE", 2)):
            time_ = f"2025-11-20T1{number}:0{minute}:00Z"
            yield a_run_event(**of_run, eventType=kind, eventTime=time_, outputs=[datasets[written]])
    yield a_job_event(job="export", namespace=namespace, inputs=[datasets["report"]], outputs=[])
    yield a_dataset_event(datasets["report"])


def responses(stack, namespace):
    """Return what the API knows of the namespace."""
    query = {"nodeId": f"job:{namespace}:calculate", "depth": 20}
    jobs = get(stack, f"namespaces/{namespace}/jobs")["jobs"]
    runs = [get(stack, f"namespaces/{namespace}/jobs/{job}/runs")["runs"] for job in ("check", "calculate")]
    datasets = get(stack, f"namespaces/{namespace}/datasets")["datasets"]
    columns = get(stack, "column-lineage", nodeId=f"dataset:{namespace}:report")
    return get(stack, "lineage", **query), jobs, runs, datasets, columns


def test_a_second_headwater_shows_the_chosen_namespaces_as_the_first_does_and_no_other(first, second):
    send(first, *story(CHOSEN), *story(OTHER))
    drain(first, second)

    assert len(get(first, "lineage", nodeId=f"job:{CHOSEN}:calculate", depth=20)["graph"]) == 6
    assert responses(second, CHOSEN) == responses(first, CHOSEN)
    assert OTHER in {namespace["name"] for namespace in get(first, "namespaces")["namespaces"]}
    assert OTHER not in {namespace["name"] for namespace in get(second, "namespaces")["namespaces"]}
    assert [failure for failure in first.errors if failure.function == "forward"] == []


@pytest.mark.slow
def test_stored_events_are_forwarded_again_to_a_new_endpoint(synthesized, tmp_path):
    with an_endpoint() as received:
        template = json.loads(json.dumps(synthesized(**CONTEXT)).replace(PLACE, received.url))
        # A window for all events: objects of the log have no order within a second, however slow the machine is.
        with LocalStack(template, window_cap_s=30, logs=tmp_path / "logs") as stack:
            boto3.client("secretsmanager", **stack.client_settings).create_secret(Name=SECRET, SecretString="t0ken")
            sent = list(story(CHOSEN))
            send(stack, *sent, *story(OTHER))
            stack.drain()
            assert in_order(received.events) == in_order(sent)
            received.events.clear()

            done = headwater(stack, "forward", "--from", "2000-01-01", cwd=tmp_path)
            assert (done.returncode, done.stderr) == (0, "")
            assert done.stdout.splitlines()[-1] == "8 events announced"
            stack.drain()
            assert in_order(received.events) == in_order(sent)


def in_order(events):
    """Return the types of the events of each run, in their order, and the other events."""
    runs = {event["run"]["runId"] for event in events if "run" in event}
    kinds = {run: [event["eventType"] for event in events if event.get("run", {}).get("runId") == run] for run in runs}
    return kinds, sorted(json.dumps(event) for event in events if "run" not in event)


def test_a_stack_that_forwards_nothing_says_so(second, tmp_path):
    done = headwater(second, "forward", "--from", "2000-01-01", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr == (
        "headwater forward: the stack Local forwards nothing; deploy it with forward_url or forward_domain\n"
    )
