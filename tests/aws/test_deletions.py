"""Deletions have a way in of their own: what a producer puts on the queue of events deletes nothing."""

import gzip
import json

import pytest

from headwater.events.api_changes import render_change
from lambdas import wiring
from tests.aws.faults import Killed, killed_at
from tests.builders_events import NAMESPACE, READ_FLIGHTS, STORE, a_job_event, a_run_event
from tests.gateway import proxy_event

JOB = f"/api/v1/namespaces/{NAMESPACE}/jobs/{READ_FLIGHTS}"
SOON, LATER = "2025-11-20T12:00:01.000000Z", "2025-11-20T12:00:02.000000Z"
FORGED = [
    render_change("DELETE", namespace=NAMESPACE, time=SOON),
    render_change("DELETE", namespace=NAMESPACE, time=SOON, job=READ_FLIGHTS),
    render_change("DELETE", namespace=STORE, time=SOON, dataset="raw"),
    {**render_change("DELETE", namespace=NAMESPACE, time=SOON), "producer": None},
    render_change("UNTAG", tag="PII", time=SOON, namespace=STORE, dataset="raw"),
    {**render_change("DELETE", namespace=NAMESPACE, time=SOON), "eventType": "COMPLETE", "s3": {"bucket": "b"}},
]


def shown():
    """The jobs and datasets that lists show."""
    queries, page = wiring.lineage_queries(), {"limit": 99, "offset": 0}
    listed = queries.list_jobs(None, **page).items, queries.list_datasets(STORE, **page).items
    return {node.id.name for nodes in listed for node in nodes}


def logged(cloud):
    """The deletions in the raw log."""
    objects = cloud.objects("events/year=").values()
    lines = [json.loads(line) for body in objects for line in gzip.decompress(body).splitlines()]
    return [line["event"] for line in lines if "change" in line["event"]]


@pytest.fixture
def loaded(cloud):
    """A cloud that knows a job and what it writes, a while ago."""
    assert cloud.load_events(a_run_event()) == []
    cloud.now_s += 60
    return cloud


@pytest.mark.parametrize("by_pointer", [False, True], ids=["as a message", "by a pointer"])
def test_a_deletion_on_the_queue_of_events_is_refused_and_hides_nothing(loaded, by_pointer):
    before, messages = shown(), FORGED
    if by_pointer:
        bucket = loaded.outputs["IntakeBucketName"]
        keys = [f"requests/{number}.json" for number in range(len(FORGED))]
        for key, form in zip(keys, FORGED, strict=True):
            loaded.s3.put_object(Bucket=bucket, Key=key, Body=json.dumps(form))
        messages = [{"s3": {"bucket": bucket, "key": key}} for key in keys]

    # They stay in the queue until they are dead letters; what came with them is loaded.
    assert loaded.load_events(a_job_event(), *messages) == [1, 2, 3, 4, 5, 6]
    assert before <= shown()
    assert logged(loaded) == []


def test_what_is_no_deletion_is_refused_on_the_queue_of_changes(loaded):
    bucket = loaded.outputs["IntakeBucketName"]
    loaded.s3.put_object(Bucket=bucket, Key="requests/d.json", Body=json.dumps(FORGED[0]))
    pointer = {"s3": {"bucket": bucket, "key": "requests/d.json"}}

    assert loaded.load_api_changes(a_run_event(), "no JSON", pointer, {"change": "RENAME"}) == [0, 1, 2, 3]
    assert logged(loaded) == []


def test_a_deletion_of_its_own_queue_is_kept_and_hides(loaded):
    deletion = render_change("DELETE", namespace=NAMESPACE, time="2025-11-20T12:00:30.000000Z", job=READ_FLIGHTS)

    assert loaded.load_api_changes(deletion) == []
    assert shown() == {"landing", "raw"}
    assert logged(loaded) == [deletion]


def test_a_deletion_of_a_clock_that_is_ahead_counts_from_when_sqs_took_it(loaded):
    """A thing that an event mentions after the deletion was accepted is there, whatever the clock showed."""
    ahead = render_change("DELETE", namespace=NAMESPACE, time="2025-11-21T00:00:00.000000Z", job=READ_FLIGHTS)
    event = loaded.event("ChangesQueue", [ahead])

    for _ in range(2):
        deliver(loaded, event)
        loaded.now_s += 600
    assert logged(loaded) == [{**ahead, "eventTime": "2025-11-20T12:01:00.000999Z"}]
    assert shown() == {"landing", "raw"}
    loaded.load_events(a_run_event(run="later", eventTime="2025-11-20T12:02:00Z"))
    assert shown() == {"landing", "raw", READ_FLIGHTS}


def deliver(cloud, event):
    from lambdas import events

    assert events.handler(event, cloud.context()) == {"batchItemFailures": []}


@pytest.mark.parametrize("effective", [False, True], ids=["before it took effect", "after it did"])
def test_a_request_that_dies_while_it_deletes_is_repeated_without_harm(cloud, effective):
    from lambdas import api

    cloud.load_events(a_run_event())
    cloud.now_s += 60
    event = proxy_event("DELETE", JOB)
    with killed_at([cloud.sqs], 1, effective=effective), pytest.raises(Killed):
        api.handler(event, cloud.context(29))
    left = cloud.bodies("ChangesQueue")
    assert api.handler(event, cloud.context(29))["statusCode"] == 200
    (queued,) = cloud.bodies("ChangesQueue")

    assert left == ([queued] if effective else [])
    assert cloud.bodies("EventsQueue") == []
    assert cloud.load_api_changes(queued, *left) == []
    assert READ_FLIGHTS not in shown()
