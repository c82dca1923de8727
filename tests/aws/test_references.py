"""To name is not to own: a token's events describe what is in its namespaces, and may name datasets of others."""

import gzip
import json

import pytest

from headwater.events.naming import NamingRules
from headwater.loading.replay import replay
from lambdas import events as events_function
from lambdas import wiring
from tests.aws.token_requests import a_token, deliver, send, send_whole
from tests.builders_events import (
    CHECK,
    NAMESPACE,
    STORE,
    a_dataset,
    a_facet,
    a_run_event,
    a_schema,
)

TEAM, LAKE = "team-b", "s3://b"
THEIRS = {"namespace": LAKE, "name": "prices"}
MAY_WRITE = "must be a namespace that the token may write"
MAY_NAME = f"{MAY_WRITE} or reference"
SOURCES = [{**THEIRS, "field": "price"}, {**THEIRS, "field": "guessed"}]
COLUMNS = a_facet("ColumnLineageDataset", fields={"seats": {"inputFields": SOURCES}})
TAGS = a_facet("TagsDataset", tags=[{"key": "mine", "value": "true"}, {"key": "PII", "field": "price"}])
# All that an event can say about a dataset.
DESCRIPTIONS = {
    "symlinks": a_facet("SymlinksDataset", identifiers=[{"namespace": STORE, "name": "raw", "type": "TABLE"}]),
    "schema": a_schema("forged"),
    "tags": TAGS,
    "ownership": a_facet("OwnershipDataset", owners=[{"name": "mallory"}]),
    "documentation": a_facet("DocumentationDataset", description="Not theirs any more"),
    "dataSource": {**a_facet("DatasourceDataset"), "name": "forged", "uri": "s3://forged"},
    "lifecycleStateChange": a_facet("LifecycleStateChangeDataset", lifecycleStateChange="DROP"),
}


def owners_events(**described):
    """B makes its dataset, an hour before."""
    prices = a_dataset("prices", LAKE, **described)
    return a_run_event(
        namespace=TEAM, job="make", run="b", eventTime="2025-11-20T11:00:00Z", inputs=[], outputs=[prices]
    )


def a_writer(cloud, **limits):
    return a_token(cloud, "write", namespaces=[NAMESPACE, f"{STORE}*"], **limits)


def post(cloud, text, event):
    code, message, _ = send(cloud, text, "POST", "/api/v1/lineage", body=event)
    return code, message


def theirs(cloud):
    """Return what the owner of the dataset sees of it."""
    text = a_token(cloud, "read", namespaces=[TEAM, LAKE])
    path = "/api/v1/namespaces/s3%3A%2F%2Fb/datasets"
    requests = [
        (path, {}),
        (f"{path}/prices", {}),
        (f"{path}/prices/versions", {}),
        ("/api/v1/namespaces", {}),
        ("/api/v1/search", {"q": "prices"}),
        ("/api/v1/search", {"q": "price", "filter": "column"}),
        ("/api/v1/search", {"tag": "mine"}),
        ("/api/v1/tags", {}),
        ("/api/v1/sources", {}),
        ("/api/v1/column-lineage", {"nodeId": f"dataset:{LAKE}:prices"}),
    ]
    return [send_whole(cloud, text, path=path, **query)[::3] for path, query in requests]


def test_columns_of_others_are_in_the_catalogue_once_a_sender_with_the_right_names_them(cloud):
    """The facet is stored once, under its content, whoever sent it first."""

    def count_hits():
        text = a_token(cloud, "read", namespaces=[LAKE])
        _, _, _, body = send_whole(cloud, text, path="/api/v1/search", q="guessed", filter="column", namespace=LAKE)
        return body["totalCount"]

    cloud.load_events(owners_events())
    event = a_run_event(outputs=[a_dataset("raw", facets={"columnLineage": COLUMNS})])
    for text, count in ((a_writer(cloud), 0), (a_token(cloud, "write", namespaces=["*"]), 1), (a_writer(cloud), 1)):
        assert post(cloud, text, event) == (201, None)
        deliver(cloud)
        assert count_hits() == count


def test_the_raw_log_keeps_the_event_whole_and_its_limits_and_a_replay_heeds_them(cloud):
    cloud.load_events(owners_events(fields=["price"]))
    event = a_run_event(inputs=[{**THEIRS, "facets": DESCRIPTIONS}])
    post(cloud, a_writer(cloud), event)
    deliver(cloud)
    live = theirs(cloud)

    log = wiring.event_log()
    keys = [key for day in log.days() for key in log.keys_of(day)]
    packed = [log.s3.get_object(Bucket=log.bucket, Key=key)["Body"].read() for key in keys]
    lines = [json.loads(line) for body in packed for line in gzip.decompress(body).splitlines()]
    assert [line["acceptedBy"]["writes"] for line in lines if line["event"] == event] == [[NAMESPACE, f"{STORE}*"]]

    cloud.forget("Graph")
    assert [failed for done in replay(keys, log, NamingRules()) for failed in done.failed] == []
    assert theirs(cloud) == live


@pytest.mark.parametrize("writes", ["7", "no JSON", '["team-a", 7]', json.dumps([TEAM])])
def test_a_message_whose_limit_is_unreadable_or_broken_fails_alone(cloud, writes):
    event = cloud.event("EventsQueue", [a_run_event(), a_run_event(job=CHECK)])
    event["Records"][0]["messageAttributes"] = {"writes": {"stringValue": writes, "dataType": "String"}}
    failed = events_function.handler(event, cloud.context())["batchItemFailures"]
    assert [failure["itemIdentifier"] for failure in failed] == [event["Records"][0]["messageId"]]


def test_marquezs_routes_that_write_have_the_same_rights(cloud):
    text = a_token(cloud, "write", "read", namespaces=[NAMESPACE], references=[LAKE])
    path = f"/api/v1/namespaces/{NAMESPACE}/jobs/nightly"

    def put(**sides):
        body = {"type": "BATCH", "inputs": [], "outputs": [], **sides}
        code, message, _ = send(cloud, text, "PUT", path, body=body)
        return code, message

    assert put(inputs=[THEIRS]) == (200, None)
    assert put(inputs=[{"namespace": "s3://c", "name": "x"}]) == (403, f"inputs.namespace: {MAY_NAME}, got 's3://c'")
    assert put(outputs=[THEIRS]) == (403, f"outputs.namespace: {MAY_WRITE}, got 's3://b'")
