"""Events from their queue into the raw log, the list and the graph table: once each, and a bad one alone."""

import gzip
import json
import random

import pytest

from headwater.aws.queues import QueuedMessage
from headwater.facts.result_page import ResultPage
from headwater.loading.load import EventLoad, load_events
from lambdas import wiring
from tests.aws.faults import Killed, before, killed_at, refused
from tests.aws.in_moto import BOTH_CLIENTS
from tests.builders_events import CHECK, a_dataset_event, a_facet, a_job_event, a_run_event

pytestmark = BOTH_CLIENTS

READ = a_run_event(run="01941f29-7c00-7ea7-b5a3-4d2d5f0a1b21")
CHECKED = a_run_event(
    run="01941f29-7c00-7ea7-b5a3-4d2d5f0a1b22",
    job=CHECK,
    inputs=["raw"],
    outputs=["checked", "rejected"],
    eventTime="2025-11-20T12:01:00Z",
)


def listed(cloud, **requested):
    return wiring.event_log().list_events(**{"limit": 100, **requested})


def job_names():
    """The names of the jobs that a list shows."""
    return {job.id.name for job in wiring.lineage_queries().list_jobs(None, limit=100, offset=0).items}


def logged(cloud):
    """Return the events in the raw log."""
    objects = cloud.objects("events/year=").values()
    return [json.loads(line)["event"] for body in objects for line in gzip.decompress(body).splitlines()]


def facts(cloud):
    """The graph table's rows as text; how often a row was swapped, and the last swap's note, depend on the batches."""
    return {(item["pk"]["S"], item["sk"]["S"]): {**item, "version": 0, "noted": 0} for item in cloud.items("Graph")}


def by_name(events):
    return sorted(events, key=json.dumps)


def test_every_event_is_kept_as_it_was_sent_and_run_events_are_listed_newest_first(cloud):
    sent = [READ, a_job_event(), CHECKED, a_dataset_event()]

    assert cloud.load_events(*sent) == []
    assert by_name(logged(cloud)) == by_name(sent)
    assert listed(cloud) == ResultPage([CHECKED, READ], 2)


def test_an_event_that_comes_twice_is_kept_and_listed_once_and_changes_nothing(cloud):
    cloud.load_events(READ, CHECKED)
    once, objects = facts(cloud), cloud.objects("events/")

    assert cloud.load_events(CHECKED, READ) == []
    assert (facts(cloud), cloud.objects("events/")) == (once, objects)


@pytest.mark.parametrize(
    ("text", "bodies"),
    [("scan " * 10_000, 0), ("scan " * 20_000, 1), (random.Random(1).randbytes(10_000).hex(), 1)],
    ids=["50 KB of little", "100 KB of little", "20 KB of noise"],
)
def test_a_large_event_is_listed_and_has_an_object_if_it_is_too_large_for_a_row(cloud, text, bodies):
    large = a_run_event(run_facets={"plan": a_facet(text=text)})
    cloud.load_events(large)

    assert listed(cloud).items == [large]
    assert len(cloud.objects("events/bodies/")) == bodies


def test_an_event_too_large_for_a_message_is_read_from_where_its_pointer_points(cloud):
    bucket = cloud.outputs["IntakeBucketName"]
    cloud.s3.put_object(Bucket=bucket, Key="requests/e.json", Body=json.dumps(READ))

    assert cloud.load_events({"s3": {"bucket": bucket, "key": "requests/e.json"}}, CHECKED) == []
    assert by_name(logged(cloud)) == by_name([READ, CHECKED])


def test_a_pointer_out_of_the_folder_of_bodies_is_refused(cloud):
    """Pointers of all kinds: tests/unit/aws/test_bodies.py."""
    pointer = {"bucket": cloud.outputs["ArchiveBucketName"], "key": "requests/x.json", "size_bytes": 1000}
    cloud.s3.put_object(Bucket=pointer["bucket"], Key=pointer["key"], Body=json.dumps(READ))

    assert cloud.load_events({"s3": pointer}, CHECKED) == [0]
    assert logged(cloud) == [CHECKED]


def test_an_event_that_cannot_be_loaded_harms_no_other_of_its_batch(cloud):
    poison = a_run_event(run="01941f29-7c00-7ea7-b5a3-4d2d5f0a1b23", job="poison", inputs=["raw"], outputs=["x"])

    def is_poison(params):
        return "poison" in str(params["body"])

    faults = [
        before(cloud.dynamodb, operation, refused("ValidationException"), times=99, only=is_poison)
        for operation in ("BatchWriteItem", "PutItem", "TransactWriteItems")
    ]
    with faults[0], faults[1], faults[2]:
        assert cloud.load_events({"events": [READ, poison]}, CHECKED) == [0]
    assert {CHECK, "emissions.read_flights"} <= job_names()


def test_while_dynamodb_refuses_the_whole_batch_waits_and_is_complete_afterwards(cloud):
    with before(cloud.dynamodb, "BatchGetItem", refused("ProvisionedThroughputExceededException"), times=99):
        assert cloud.load_events(READ, CHECKED) == [0, 1]
    assert cloud.load_events(READ, CHECKED) == []
    assert listed(cloud).total == 2


@pytest.mark.parametrize("effective", [False, True], ids=["before the call", "after it"])
def test_a_function_that_dies_at_any_call_leaves_what_another_delivery_completes(cloud, effective):
    """Each turn loads a pipeline of its own, dies one call later than the turn before, and is delivered again."""
    clients = (cloud.dynamodb, cloud.s3)
    number, died = 0, True
    while died:
        number += 1
        batch = [a_run_event(run=f"run-{number}", job=f"job-{number}", inputs=[f"in-{number}"], outputs=["out"])]
        died = False
        with killed_at(clients, number, effective=effective):
            try:
                cloud.load_events(*batch)
            except Killed:
                died = True
        assert cloud.load_events(*batch) == []
    assert number > 5
    assert listed(cloud).total == number
    assert job_names() == {f"job-{place}" for place in range(1, number + 1)}


def test_a_function_without_time_leaves_further_groups_for_another_try(cloud, monkeypatch):
    monkeypatch.setattr("headwater.loading.load._UNITS_TOGETHER", 1)
    messages = [QueuedMessage(str(number), json.dumps(a_run_event(job=f"job-{number}"))) for number in range(2)]
    loaded = load_events(messages, wiring.event_stores(), now_s=cloud.now_s, may_go_on=lambda: False)

    assert loaded == EventLoad({"1": "Unavailable: the function has no time left"}, {"1"}, loaded=1)
    assert job_names() == {"job-0"}


def test_the_reason_of_a_failure_names_the_rule_and_not_what_the_event_held(cloud):
    message = QueuedMessage("m", json.dumps({**READ, "eventTime": "secret-value"}))
    loaded = load_events([message], wiring.event_stores(), now_s=cloud.now_s)

    assert loaded == EventLoad(
        failed={"m": "Invalid: eventTime: must be an ISO 8601 date and time in the years 1 to 9999"}, refused=1
    )
