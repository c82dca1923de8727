"""Marquez's routes on moto: deletions, and responses too large for Lambda."""

import json

import pytest

from tests.aws.faults import before, refused
from tests.builders_events import CHECK, NAMESPACE, READ_FLIGHTS, RUN, STORE, a_dataset, a_facet, a_run_event

JOB = f"/api/v1/namespaces/{NAMESPACE}/jobs/{READ_FLIGHTS}"
READ_JOB, RAW = f"job:{NAMESPACE}:{READ_FLIGHTS}", f"dataset:{STORE}:raw"
CHECK_RUN = "01941f29-7c00-7ea7-b5a3-4d2d5f0a1b2d"
A_DAY_LATER = "2025-11-21T12:00:00Z"


@pytest.fixture
def marquez(api, cloud):
    """The API, after the flights were read and checked."""
    emit(api, cloud, a_run_event(inputs=["landing"]))
    emit(api, cloud, a_run_event(run=CHECK_RUN, job=CHECK, inputs=["raw"], outputs=["checked"]))
    cloud.now_s += 60  # what is deleted from now on was reported before
    return api


def emit(api, cloud, event):
    assert api.event(event).status == 201
    cloud.load_queued()


def names(api, path, kind):
    return [entry["name"] for entry in api.get(path)[kind]]


def nodes(api, node_id):
    return [node["id"] for node in api.get("/api/v1/lineage", nodeId=node_id)["graph"]]


def linked_json(api, *args):
    """Read the JSON behind the link of a GET's response."""
    _, lines = api.linked(api.send("GET", *args), "application/json")
    return json.loads(b"".join(lines))


def test_a_deleted_job_is_hidden_until_an_event_mentions_it(marquez, cloud):
    before_it = marquez.get(JOB)
    response = marquez.send("DELETE", JOB)
    cloud.load_queued()

    assert (response.status, response.json) == (200, {**before_it, "deleted": True})
    assert names(marquez, "/api/v1/jobs", "jobs") == [CHECK]
    assert READ_JOB not in nodes(marquez, RAW)
    assert marquez.get(JOB)["deleted"] is True
    emit_later(cloud, inputs=["landing"])
    assert names(marquez, "/api/v1/jobs", "jobs") == [CHECK, READ_FLIGHTS]
    assert READ_JOB in nodes(marquez, RAW)
    assert marquez.send("DELETE", "/api/v1/namespaces/s3%3A%2F%2Fflights/datasets/raw").json["deleted"] is True


def emit_later(cloud, **changes):
    """An event of a time after any deletion's: its producer's clock is ahead."""
    assert cloud.load_events(a_run_event(run=CHECK_RUN[:-1] + "f", eventTime=A_DAY_LATER, **changes)) == []


def test_a_deletion_that_is_not_durable_is_not_reported_as_done(marquez, cloud):
    with before(cloud.sqs, "SendMessageBatch", refused("AccessDenied"), times=9):
        response = marquez.send("DELETE", JOB)

    assert (response.status, response.json["code"]) == (503, 503)


def test_facets_too_large_for_a_response_are_behind_a_link(api, cloud):
    facets = {f"plan{number}": a_facet("Plan", plan="x" * 700_000) for number in range(7)}
    assert cloud.load_events(a_run_event(run_facets=facets)) == []

    for path, expected in ((f"/api/v1/jobs/runs/{RUN}", facets), (f"/api/v1/jobs/runs/{RUN}/facets?", facets)):
        query = {"type": "run"} if path.endswith("?") else {}
        form = linked_json(api, path.rstrip("?"), query)
        assert form["facets"] == expected


def test_a_page_too_large_for_a_response_is_cut_and_says_so(api, cloud):
    events = [
        a_run_event(
            run=f"01941f29-7c00-7ea7-b5a3-{number:012}",
            eventTime=f"2025-11-20T12:00:0{number}Z",
            run_facets={"plan": a_facet("Plan", plan="x" * 700_000)},
        )
        for number in range(8)
    ]
    for event in events:
        assert cloud.load_events(event) == []

    page = api.get("/api/v1/events/lineage")
    rest = api.get("/api/v1/events/lineage", offset=len(page["events"]))

    assert (page["totalCount"], page["truncated"]) == (8, True)
    assert (rest["totalCount"], rest["truncated"]) == (8, False)
    assert page["events"] + rest["events"] == events[::-1]


def test_an_event_too_large_for_a_response_is_behind_a_link(api, cloud):
    plans = {f"plan{number}": a_facet("Plan", plan="x" * 900_000) for number in range(5)}
    event = a_run_event(outputs=[a_dataset("raw", facets=plans)])
    assert cloud.load_events(event) == []

    form = linked_json(api, "/api/v1/events/lineage")

    assert form == {"events": [event], "totalCount": 1, "truncated": False}
