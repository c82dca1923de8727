"""Marquez's deprecated routes that write: what they are sent becomes an event, and is read as any other."""

import json
import re

import pytest

from tests.aws.token_requests import a_token
from tests.builders_events import NAMESPACE, STORE

RUN = "01941f29-7c00-7ea7-b5a3-4d2d5f0a1b2c"
DATASET = "/api/v1/namespaces/s3%3A%2F%2Fflights/datasets/checked"
JOB = f"/api/v1/namespaces/{NAMESPACE}/jobs/emissions.check"
RUN_PATH = f"/api/v1/jobs/runs/{RUN}"
CHECKED = {
    "type": "DB_TABLE",
    "physicalName": "checked",
    "sourceName": "lake",
    "description": "Flights that were checked.",
    "fields": [{"name": "flight", "type": "VARCHAR", "tags": ["PII"], "description": "its number"}],
    "tags": ["gold"],
}
CHECK = {
    "type": "BATCH",
    "inputs": [{"namespace": STORE, "name": "raw"}],
    "outputs": [{"namespace": STORE, "name": "checked"}],
    "location": "https://git.example/check.py",
    "description": "Checks flights.",
}


def send(api, method, path, body=None, query=None, **how):
    return api.send(method, path, query or {}, body=None if body is None else json.dumps(body), **how)


def test_a_dataset_is_described_with_its_fields_tags_and_source(api, cloud):
    at_once = send(api, "PUT", DATASET, CHECKED)
    cloud.load_queued()

    shown = api.send("GET", DATASET).json
    assert at_once.status == 200
    same = ("name", "type", "sourceName", "description", "createdAt", "updatedAt")
    assert [at_once.json[name] for name in same] == [shown[name] for name in same]
    assert (shown["sourceName"], shown["description"], shown["tags"]) == ("lake", CHECKED["description"], ["gold"])
    assert shown["fields"] == [{"name": "flight", "type": "VARCHAR", "tags": ["PII"], "description": "its number"}]


def test_a_job_is_declared_with_what_it_reads_and_writes(api, cloud):
    at_once = send(api, "PUT", JOB, CHECK)
    cloud.load_queued()

    shown = api.send("GET", JOB).json
    same = ("inputs", "outputs", "location", "description", "type", "createdAt", "updatedAt")
    assert [at_once.json[name] for name in same] == [shown[name] for name in same]
    assert {name: shown[name] for name in ("inputs", "outputs", "location", "description", "type")} == CHECK


@pytest.mark.parametrize(
    ("action", "state"), [("complete", "COMPLETED"), ("fail", "FAILED"), ("abort", "ABORTED"), ("start", "RUNNING")]
)
def test_a_run_goes_through_its_states(api, cloud, action, state):
    created = send(api, "POST", f"{JOB}/runs", {"id": RUN, "nominalStartTime": "2025-11-20T00:00:00Z"})
    cloud.load_queued()
    assert (created.status, created.headers["Location"], created.json["state"]) == (201, RUN_PATH, "NEW")
    assert api.send("GET", RUN_PATH).json == created.json | {"startedAt": "2025-11-20T12:00:00Z"}
    cloud.now_s += 60
    assert send(api, "POST", f"{RUN_PATH}/start").json["state"] == "RUNNING"
    cloud.load_queued()

    ended = send(api, "POST", f"{RUN_PATH}/{action}", query={"at": "2025-11-20T12:05:00Z"})
    cloud.load_queued()

    shown = api.send("GET", RUN_PATH).json
    assert (ended.status, ended.json["state"], shown["state"]) == (200, state, state)
    assert shown["endedAt"] == ended.json["endedAt"]
    assert [run["id"] for run in api.send("GET", JOB).json["latestRuns"]] == [RUN]


@pytest.mark.parametrize("minute", ["04", "06"])
@pytest.mark.parametrize(("first", "second"), [("fail", "complete"), ("complete", "fail"), ("abort", "complete")])
def test_a_mark_returns_the_state_that_the_run_has_with_it(api, cloud, first, second, minute):
    """A failure outweighs a success, the earlier and the later."""
    send(api, "POST", f"{JOB}/runs", {"id": RUN})
    cloud.load_queued()
    send(api, "POST", f"{RUN_PATH}/{first}", query={"at": "2025-11-20T12:05:00Z"})
    cloud.load_queued()

    marked = send(api, "POST", f"{RUN_PATH}/{second}", query={"at": f"2025-11-20T12:{minute}:00Z"}).json
    cloud.load_queued()

    shown = api.send("GET", RUN_PATH).json
    fields = ("state", "startedAt", "endedAt", "updatedAt")
    assert [marked[name] for name in fields] == [shown[name] for name in fields]
    assert shown["state"] == ("ABORTED" if first == "abort" else "FAILED")


def test_a_dataset_that_names_its_run_is_a_version_by_that_run(api, cloud):
    send(api, "PUT", JOB, CHECK)
    send(api, "POST", f"{JOB}/runs", {"id": RUN})
    cloud.load_queued()
    assert send(api, "PUT", DATASET, {**CHECKED, "runId": RUN}).status == 200
    send(api, "POST", f"{RUN_PATH}/complete")
    cloud.load_queued()

    (version, *_) = api.send("GET", f"{DATASET}/versions").json["versions"]
    assert version["createdByRun"]["id"] == RUN
    job = api.send("GET", JOB).json
    assert [job[side] for side in ("inputs", "outputs")] == [CHECK[side] for side in ("inputs", "outputs")]


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("PUT", DATASET, [], 400),
        ("PUT", DATASET, {"fields": [{}]}, 422),
        ("PUT", DATASET, {"runId": "unknown"}, 404),
        ("PUT", JOB, {"type": "CRON"}, 400),
        ("POST", f"{JOB}/runs", {"nominalStartTime": "soon"}, 400),
    ],
)
def test_what_breaks_a_rule_is_refused_and_nothing_is_queued(api, cloud, method, path, body, status):
    response = send(api, method, path, body)
    assert (response.status, cloud.bodies("EventsQueue")) == (status, []), response.body
    assert send(api, "POST", f"{RUN_PATH}/start", query={"at": "soon"}).status == 400


ARGS = {"email": "me@example.com", "retries": 1, "ratio": 1.0, "on": {"failure": [False, None, {}]}, "": []}


@pytest.mark.parametrize("args", [ARGS, {}])
def test_the_arguments_of_a_run_come_back_as_they_were_sent(api, cloud, args):
    created = send(api, "POST", f"{JOB}/runs", {"id": RUN, "nominalStartTime": "2025-11-20T00:00:00Z", "args": args})
    cloud.load_queued()
    cloud.now_s += 60
    send(api, "POST", f"{RUN_PATH}/complete")
    cloud.load_queued()

    (listed,) = api.send("GET", f"{JOB}/runs").json["runs"]
    shown = api.send("GET", RUN_PATH).json
    texts = [json.dumps(run["args"], sort_keys=True) for run in (created.json, shown, listed)]
    assert texts == [json.dumps(args, sort_keys=True)] * 3


TAG = "/api/v1/tags/PII"
SOURCE, SPACE = "/api/v1/sources/lake", "/api/v1/namespaces/quiet"
BREATH = [
    ("PUT", SPACE, {"ownerName": "team", "description": "flights"}),
    ("PUT", SPACE, {"ownerName": "ann"}),
    ("PUT", SOURCE, {"type": "S3", "connectionUrl": "s3://flights", "description": "all"}),
    ("PUT", SOURCE, {"type": "LAKE", "connectionUrl": "lake://flights"}),
    ("PUT", TAG, {"description": "personal"}),
    ("PUT", DATASET, CHECKED),
    ("PUT", DATASET, {"description": "Flights that were checked twice."}),
    ("PUT", JOB, CHECK),
    ("POST", f"{JOB}/runs", {"id": RUN, "args": ARGS}),
    ("POST", f"{RUN_PATH}/start", None),
    ("PUT", DATASET, {**CHECKED, "runId": RUN}),
    *(("POST", f"{RUN_PATH}/{mark}", None) for mark in ("complete", "fail", "start", "complete")),
    ("POST", f"{DATASET}/tags/silver", None),
    ("POST", f"{DATASET}/fields/flight/tags/secret", None),
    ("DELETE", f"{DATASET}/tags/silver", None),
    ("POST", f"{JOB}/tags/nightly", None),
]


def test_what_is_written_in_one_breath_is_read_in_the_same(api, cloud):
    """A request waits until its own change is known: of what it waited for it shows what readers are shown."""
    cloud.loads_meanwhile = True
    for method, path, body in BREATH:
        cloud.waits.clear()
        cloud.now_s += 1
        sent = send(api, method, path, body)
        read = sent.headers.get("Location") or path.partition("/tags/")[0].partition("/fields/")[0]
        read = re.sub("/(start|complete|fail)$", "", read)
        shown = api.send("GET", read).json if path != TAG else api.send("GET", "/api/v1/tags").json["tags"][-1]
        assert (sent.status < 300, cloud.waits, sent.json) == (True, [0.2], shown), path
    versions = api.send("GET", f"{DATASET}/versions").json["versions"]
    assert RUN in [version["createdByRun"]["id"] for version in versions if version["createdByRun"]]


def test_nothing_waits_for_a_run_that_nobody_created(api, cloud):
    for path in (f"{RUN_PATH}/start", f"{RUN_PATH}/complete"):
        assert send(api, "POST", path).refusal == (404, f"Run '{RUN}' not found.")
    assert send(api, "PUT", DATASET, {**CHECKED, "runId": RUN}).status == 404
    assert api.send("GET", RUN_PATH).status == 404
    assert (cloud.waits, cloud.bodies("EventsQueue")) == ([], [])


def test_a_token_writes_in_its_namespaces_alone_whatever_a_body_names(api, cloud):
    job_alone, both = (
        a_token(cloud, "read", "write", namespaces=namespaces) for namespaces in ([NAMESPACE], [NAMESPACE, STORE])
    )
    assert send(api, "PUT", JOB, CHECK, token=job_alone).status == 403
    assert send(api, "PUT", JOB, CHECK, token=both).status == 200
    assert send(api, "PUT", DATASET, CHECKED, token=job_alone).status == 403
    assert (
        send(api, "POST", f"{JOB}/runs", {"id": RUN}, token=a_token(cloud, "write", namespaces=[STORE])).status == 403
    )
    cloud.load_queued()
    assert api.send("GET", DATASET).status == 200
