"""The graph made anew from the raw log: into an empty table it is the same graph, row for row."""

import gzip

import boto3
import pytest
from botocore.exceptions import ClientError

from headwater.events.api_changes import parse_change, render_change
from headwater.events.naming import NamingRules
from headwater.facts.apply import apply_statements
from headwater.facts.keys import run_pk
from headwater.facts.table import GraphTable
from headwater.loading.event_log import EventLog, RawEvent
from headwater.loading.replay import Exclusion, Replay, replay
from headwater_model.ids import normalize_run_id
from lambdas import wiring
from tests.aws.faults import before, refused
from tests.builders import HOUR
from tests.builders_events import CALCULATE, CHECK, PRODUCER, a_dataset_event, a_job_event, a_run_event

KEYS = [("pk", "HASH"), ("sk", "RANGE")]


def an_event(number):
    large = {"text": "x" * 20_000} if number % 7 == 0 else {}
    return a_run_event(
        run=f"run-{number // 2}",
        job=(CHECK, CALCULATE)[number // 2 % 2],
        eventType=("START", "COMPLETE")[number % 2],
        eventTime=f"2025-11-20T{number % 24:02}:00:{number:02}Z",
        inputs=["raw", f"in-{number % 3}"],
        outputs=[f"out-{number % 2}"],
        run_facets={"plan": {"_producer": "p", "_schemaURL": "s", **large}},
    )


@pytest.fixture
def loaded(cloud):
    """A cloud that has loaded two days of events, some of them twice and in different company."""
    events = [an_event(number) for number in range(40)]
    cloud.load_events(*events[10:30], a_job_event(), a_dataset_event())
    # The clock that stamped it was an hour ahead.
    ahead = {"change": "DELETE", "eventTime": "2025-11-20T13:00:00Z", "namespace": "emissions", "job": CHECK}
    tag = render_change(
        "TAG", tag="PII", time="2025-11-20T12:00:00Z", namespace="emissions", job=CHECK, caller="token:a"
    )
    assert cloud.load_api_changes(ahead, tag) == []
    cloud.now_s += 24 * HOUR
    cloud.load_events(*events[25:], a_job_event())
    cloud.load_events(*events[:15])
    return cloud


@pytest.fixture
def empty(loaded):
    """The log of that cloud, with an empty table beside its own."""
    return table_beside(loaded, "other")


def table_beside(cloud, name):
    """Create an empty table beside the cloud's own; return the log with it."""
    boto3.client("dynamodb").create_table(
        TableName=name,
        KeySchema=[{"AttributeName": name, "KeyType": kind} for name, kind in KEYS],
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name, _ in KEYS],
        BillingMode="PAY_PER_REQUEST",
    )
    bucket = cloud.outputs["ArchiveBucketName"]
    return EventLog(GraphTable(cloud.dynamodb, name, cloud.s3, bucket), cloud.s3, bucket)


def rows(cloud, name):
    """Return the content of every row but `LATELY#`: its minutes, and the swaps of a row, depend on the batches."""
    table = GraphTable(cloud.dynamodb, name, cloud.s3, cloud.outputs["ArchiveBucketName"])
    pages = boto3.client("dynamodb").get_paginator("scan").paginate(TableName=name, ProjectionExpression="pk, sk")
    rows_by_key = table.get([(item["pk"]["S"], item["sk"]["S"]) for page in pages for item in page["Items"]])
    return {key: row.data for key, row in rows_by_key.items() if not key[0].startswith("LATELY#")}


def replay_all(log):
    return [result for day in log.days() for result in replay(log.keys_of(day), log, NamingRules())]


def test_the_log_knows_its_days(loaded, empty):
    assert empty.days() == ["2025-11-20", "2025-11-21"]
    assert [len(empty.keys_of(day)) for day in empty.days()] == [2, 2]


def test_a_replay_into_an_empty_table_makes_the_same_table(loaded, empty):
    assert replay_all(empty) == [Replay(2, 24), Replay(2, 31)]
    assert rows(loaded, "other") == rows(loaded, loaded.outputs["GraphTableName"])


EXCLUSIONS = (
    pytest.param(
        {"runs": frozenset({normalize_run_id("run-3")})}, lambda event: event["run"]["runId"] != "run-3", id="run"
    ),
    pytest.param({"producers": frozenset({"broken"})}, lambda event: event["producer"] != "broken", id="producer"),
    pytest.param({"tokens": frozenset({"b"})}, lambda event: event["eventTime"] < "2025-11-20T12", id="token"),
)


@pytest.mark.parametrize(("excluded", "stays"), EXCLUSIONS)
def test_a_replay_without_events_makes_the_table_as_if_they_had_never_come(cloud, excluded, stays):
    events = [{**an_event(number), "producer": "broken" if number % 5 == 0 else PRODUCER} for number in range(20)]
    log, right = table_beside(cloud, "other"), table_beside(cloud, "right")
    callers = ["token:a" if event["eventTime"] < "2025-11-20T12" else "token:b" for event in events]
    statements = [parse_change(event, NamingRules()) for event in events]
    raw = [RawEvent(*parts, caller=caller) for *parts, caller in zip(statements, events, callers, strict=True)]
    log.store(raw, "2025-11-20")
    kept = [event for event in raw if stays(event.document)]
    assert 0 < len(kept) < len(raw)
    [done] = replay(log.keys_of("2025-11-20"), log, NamingRules(), exclusion=Exclusion(**excluded))
    assert (done.events, done.excluded) == (len(kept), len(raw) - len(kept))

    right.enlist(kept)
    apply_statements([event.statement for event in kept], right.table)
    assert rows(cloud, "other") == rows(cloud, "right")


def test_a_replay_into_the_table_itself_changes_nothing(loaded):
    once = rows(loaded, loaded.outputs["GraphTableName"])
    replay_all(wiring.event_log())
    assert rows(loaded, loaded.outputs["GraphTableName"]) == once


def test_a_replay_that_stopped_anywhere_goes_on_to_the_same_table(loaded, empty):
    later = empty.days()[1]
    for _ in replay(empty.keys_of(later)[:1], empty, NamingRules()):
        pass
    replay_all(empty)
    assert rows(loaded, "other") == rows(loaded, loaded.outputs["GraphTableName"])


def test_what_in_the_log_is_no_event_is_reported_and_skipped(loaded, empty):
    key = "events/year=2025/month=11/day=20/0.jsonl.gz"
    loaded.s3.put_object(Bucket=empty.bucket, Key=key, Body=gzip.compress(b'{"eventTime":"never"}\n'))
    [returned] = replay([key], empty, NamingRules())
    assert (returned.objects, returned.events) == (1, 0)
    assert returned.failed[0].startswith(f"{key}:1: ")


def test_an_event_that_the_table_never_takes_is_reported_and_all_others_are_loaded(loaded, empty):
    def is_of_run_3(params):
        return run_pk(normalize_run_id("run-3")).encode() in params["body"]

    given = {"fault": refused("ValidationException"), "times": 1_000, "only": is_of_run_3}
    with before(loaded.dynamodb, "PutItem", **given), before(loaded.dynamodb, "BatchExecuteStatement", **given):
        results = replay_all(empty)
    reasons = [reason for result in results for reason in result.failed]
    # Its START and its COMPLETE.
    assert len(reasons) == 2
    assert all("ValidationException" in reason and ".jsonl.gz:" in reason for reason in reasons)
    assert [result.objects for result in results] == [2, 2]
    assert sum(result.events for result in results) == 24 + 31 - len(reasons)


def test_a_replay_stops_where_the_caller_may_not_write(loaded, empty):
    denied = before(loaded.dynamodb, "TransactWriteItems", refused("AccessDeniedException"), times=99)
    with denied, pytest.raises(ClientError, match="AccessDenied"):
        replay_all(empty)
