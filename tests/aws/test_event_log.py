"""The raw log and its list under loaders that write at once."""

import gzip
import json
import random
from concurrent.futures import ThreadPoolExecutor

import pytest

from headwater.aws.queues import QueuedMessage
from headwater.events.api_changes import parse_change
from headwater.events.naming import NamingRules
from headwater.facts.visibility import Visibility
from headwater.loading.event_log import RawEvent
from headwater.loading.load import load_events
from headwater_model.ids import name_uuid
from lambdas import wiring
from tests.builders_events import a_facet, a_run_event

# Text that compression halves.
NOISE = random.Random(1).randbytes(10_000).hex()


def raw(form):
    return RawEvent(parse_change(form, NamingRules()), form)


def runs(count, name):
    return [raw(a_run_event(run=name_uuid(f"{name}-{number}"))) for number in range(count)]


def test_loaders_that_list_events_of_one_minute_at_once_lose_and_double_none(cloud):
    shared = runs(10, "shared")
    batches = [runs(15, name) + shared for name in "abcdef"]
    log = wiring.event_log()
    with ThreadPoolExecutor(len(batches)) as loaders:
        list(loaders.map(lambda batch: log.put(batch, "2025-11-20"), batches))

    page = log.list_events(limit=1000)
    assert (len(page.items), page.total) == (100, 100)
    assert len({event["run"]["runId"] for event in page.items}) == 100


def test_a_batch_that_comes_again_is_one_object_of_one_version(cloud):
    log, large = wiring.event_log(), raw(a_run_event(job_facets={"plan": a_facet(text=NOISE)}))
    for _ in range(2):
        log.put([large], "2025-11-20")

    versions = cloud.s3.list_object_versions(Bucket=log.bucket, Prefix="events/")["Versions"]
    assert sorted(version["Key"].split("/")[1] for version in versions) == ["bodies", "year=2025"]


@pytest.mark.parametrize("folder", ["bodies", "year=2025"])
def test_what_somebody_else_put_in_an_events_place_is_named_and_the_event_not_lost(cloud, folder):
    event = a_run_event(job_facets={"plan": a_facet(text=NOISE)})
    cloud.load_events(event)
    [key] = [key for key in cloud.objects("events/") if key.split("/")[1] == folder]
    cloud.s3.put_object(Bucket=cloud.outputs["ArchiveBucketName"], Key=key, Body=gzip.compress(b"forged"))

    [(_, reason)] = wiring_load(cloud, event).items()
    assert reason.startswith(f"Conflict: s3://{cloud.outputs['ArchiveBucketName']}/{key}: ")


def wiring_load(cloud, event):
    message = QueuedMessage("m", json.dumps(event))
    return load_events([message], wiring.event_stores(), now_s=cloud.now_s).failed


def test_listing_costs_as_many_requests_from_a_day_of_many_events_as_from_a_day_of_few(cloud):
    log, calls = wiring.event_log(), []
    cloud.dynamodb.meta.events.register("before-call.dynamodb.*", lambda **_: calls.append(1))

    def requests(**requested):
        calls.clear()
        log.list_events(**requested)
        return len(calls)

    log.put(runs(3, "few"), "2025-11-20")
    few = [requests(limit=1), requests(limit=1, offset=2)]
    log.put(runs(80, "many"), "2025-11-20")
    assert [requests(limit=1), requests(limit=1, offset=60)] == few
    assert max(few) <= 10


def test_events_of_other_namespaces_cost_a_reader_no_object(cloud):
    large = {"job_facets": {"plan": a_facet(text=NOISE)}}
    theirs = [raw(a_run_event(run=name_uuid(str(number)), namespace="theirs", **large)) for number in range(15)]
    ours = a_run_event(namespace="ours", **large)
    log, objects = wiring.event_log(), []
    log.put([raw(ours), *theirs], "2025-11-20")
    cloud.s3.meta.events.register("before-call.s3.GetObject", lambda **_: objects.append(1))
    page = log.seen_by(Visibility(lambda namespace: namespace == "ours", ["ours"])).list_events(limit=10)
    assert (page.items, page.total, len(objects)) == ([ours], 1, 1)


@pytest.mark.parametrize("changed", [{"eventTime": "2025-11-20T13:00:00+01:00"}, {"eventTime": "2025-11-20T12:00:00Z"}])
def test_an_event_is_returned_as_it_was_sent_whatever_way_it_writes_its_time(cloud, changed):
    log, form = wiring.event_log(), a_run_event(**changed)
    log.put([raw(form)], "2025-11-20")
    bounds = {"after": "2025-11-20T12:00:00.000000Z", "before": "2025-11-20T12:00:00.000001Z"}
    assert log.list_events(limit=10, **bounds).items == [form]
