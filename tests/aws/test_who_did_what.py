"""Names of callers: in a log line for each request, and beside each event and deletion in the raw log."""

import gzip
import json
from itertools import product
from urllib.parse import quote

import pytest

from headwater.api.app import Api
from headwater.facts.table import GraphTable
from headwater_model.errors import Forbidden
from lambdas import api as api_function
from lambdas import events as events_function
from lambdas import wiring
from lambdas.telemetry import logger
from tests.aws import token_requests
from tests.aws.token_requests import a_token, an_event, send
from tests.builders_events import CALCULATE, CHECK, NAMESPACE, STORE, a_dataset, a_run_event
from tests.token_texts import secret_of

EVENTS = "/api/v1/lineage"
ARN = "arn:aws:sts::123456789012:assumed-role/airflow/scheduler"


def caller(text):
    return f"token:{text.split('_')[1]}"


def logged(caplog):
    """Read the log's new lines of requests, as written."""
    lines = [json.loads(logger.registered_formatter.format(record)) for record in caplog.records]
    caplog.clear()
    return [line for line in lines if line["message"] == "request"]


def test_each_request_is_one_line_of_the_log_with_caller_and_path(cloud, caplog):
    text, read_only = a_token(cloud), a_token(cloud, "read")
    caplog.clear()
    for token, method, path, body in (
        (text, "GET", "/api/v1/namespaces", None),
        (text, "POST", EVENTS, a_run_event()),
        (read_only, "POST", EVENTS, a_run_event()),
        (text, "GET", "/nowhere", None),
        (text, "PUT", EVENTS, None),
        (text[:-1] + "~", "GET", "/", None),
    ):
        send(cloud, token, method, path, body=body)

    assert [tuple(line.get(name) for name in ("caller", "method", "path", "status")) for line in logged(caplog)] == [
        (caller(text), "GET", "/api/v1/namespaces", 200),
        (caller(text), "POST", EVENTS, 201),
        (caller(read_only), "POST", EVENTS, 403),
        (caller(text), "GET", "/nowhere", 404),
        (caller(text), "PUT", EVENTS, 405),
        (None, "GET", "/", 401),
    ]


def test_the_signed_api_logs_the_principal(cloud, caplog):
    event = an_event(None, door="iam", headers={})
    event["requestContext"]["identity"] = {"userArn": ARN}
    api_function.handler(event, cloud.context(29))
    api_function.handler(an_event(None, door="iam", headers={}), cloud.context(29))
    assert [line.get("caller") for line in logged(caplog)] == [ARN, None]


def test_a_line_holds_no_token_no_query_and_no_body(cloud, caplog):
    text = a_token(cloud)
    send(cloud, text, path="/api/v1/search", q="who-asks-for-this")
    send(cloud, text, "POST", EVENTS, body=a_run_event(run_facets={"note": {"text": "in-the-body"}}))
    lines = json.dumps(logged(caplog))
    assert len(json.loads(lines)) == 2
    for secret in (secret_of(text), "who-asks-for-this", "in-the-body", "Bearer"):
        assert secret not in lines


def test_a_request_that_fails_is_logged_as_api_gateway_responds():
    entries = []
    with pytest.raises(ZeroDivisionError):
        Api(lambda: 1 // 0, entries.append).resolve(an_event(None, path="/"), None)
    assert [(entry["path"], entry["status"], entry["caller"]) for entry in entries] == [("/", 502, None)]


def test_a_path_cannot_break_a_line_of_the_log(cloud, caplog):
    send(cloud, a_token(cloud), path='/a"b\nc\ud800é')
    assert [line["path"] for line in logged(caplog)] == ["/a%22b%0Ac%ED%A0%80%C3%A9"]


def deliver(cloud):
    """Deliver the waiting messages to the events function; count them."""
    return sum(len(token_requests.deliver(cloud, queue)) for queue in ("EventsQueue", "ChangesQueue"))


def raw_lines(cloud):
    """Parse the lines of the raw log."""
    objects = cloud.objects("events/year=")
    return [json.loads(line) for key in sorted(objects) for line in gzip.decompress(objects[key]).splitlines()]


def callers(cloud):
    """List (caller, job) for each event of the raw log, sorted."""
    lines = raw_lines(cloud)
    assert all(line["acceptedBy"]["sender"] for line in lines)
    return sorted((line["acceptedBy"].get("caller"), line["event"].get("job", {}).get("name")) for line in lines)


def rows(cloud):
    """Read the graph's rows, without the rows of tokens: key -> data."""
    name = cloud.outputs["GraphTableName"]
    table = GraphTable(cloud.dynamodb, name, cloud.s3, cloud.outputs["ArchiveBucketName"])
    keys = [(item["pk"]["S"], item["sk"]["S"]) for item in cloud.items("Graph")]
    rows_by_key = table.get([key for key in keys if not key[0].startswith("TOKEN")])
    return {key: row.data for key, row in rows_by_key.items()}


def test_the_raw_log_names_who_sent_each_event_and_each_deletion(cloud):
    writer, deleter = a_token(cloud, "write"), a_token(cloud, "write", "delete")
    send(cloud, writer, "POST", EVENTS, body=a_run_event(job=CHECK))
    send(cloud, deleter, "POST", f"{EVENTS}/batch", body=[a_run_event(run="second", job=CALCULATE)])
    assert deliver(cloud) == 2
    send(cloud, deleter, "DELETE", f"/api/v1/namespaces/{NAMESPACE}/jobs/{CHECK}")

    assert callers(cloud) == [(caller(writer), CHECK), (caller(deleter), CALCULATE)]
    assert rows(cloud)


def test_a_deletion_is_queued_with_its_caller(cloud):
    text = a_token(cloud, "delete")
    cloud.load_events(a_run_event(job=CHECK, outputs=[a_dataset("raw")]))
    for path in (f"{NAMESPACE}/jobs/{CHECK}", f"{quote(STORE, safe='')}/datasets/raw", NAMESPACE):
        assert send(cloud, text, "DELETE", f"/api/v1/namespaces/{path}")[0] == 200
    deliver(cloud)

    deletions = [line for line in raw_lines(cloud) if line["event"].get("change") == "DELETE"]
    assert [line["acceptedBy"]["caller"] for line in deletions] == [caller(text)] * 3


def test_an_event_that_two_callers_send_is_one_event(cloud):
    event = a_run_event(job=CHECK)
    tokens = [a_token(cloud, "write") for _ in range(2)]
    send(cloud, tokens[0], "POST", EVENTS, body=event)
    deliver(cloud)
    once, listed = rows(cloud), wiring.event_log().list_events(limit=10)

    for text in (tokens[1], tokens[0], tokens[1]):
        send(cloud, text, "POST", EVENTS, body=event)
    deliver(cloud)
    assert rows(cloud) == once
    assert wiring.event_log().list_events(limit=10) == listed
    assert (listed.items, listed.total) == ([event], 1)
    assert set(callers(cloud)) == {(caller(text), CHECK) for text in tokens}


def test_who_sends_to_the_queue_itself_is_named_by_the_queue_whatever_he_claims(cloud):
    """The attribute is worth as much as its sender, whom SQS names."""
    claim = {"caller": {"DataType": "String", "StringValue": "token:0123456789abcdef"}}
    url = cloud.url("EventsQueue")
    cloud.sqs.send_message(QueueUrl=url, MessageBody=json.dumps(a_run_event()), MessageAttributes=claim)
    cloud.sqs.send_message(QueueUrl=url, MessageBody=json.dumps(a_run_event(run="second")))
    sender = cloud.sqs.receive_message(QueueUrl=url, VisibilityTimeout=0, MessageSystemAttributeNames=["SenderId"])[
        "Messages"
    ][0]["Attributes"]["SenderId"]
    assert deliver(cloud) == 2
    assert sorted((line["acceptedBy"] for line in raw_lines(cloud)), key=len) == [
        {"sender": sender},
        {"sender": sender, "caller": "token:0123456789abcdef"},
    ]


CLAIMS = {
    "another sender": {"attributes": {"SenderId": "AROAADMIN:admin", "ApproximateReceiveCount": "1"}},
    "a caller": {"messageAttributes": {"caller": {"stringValue": "token:0123456789abcdef", "dataType": "String"}}},
    "nothing": {},
}


@pytest.mark.parametrize("queue", ["EventsQueue", "ChangesQueue", "RecordsQueue", "NoQueue"])
def test_who_invokes_the_function_itself_can_claim_no_sender_no_caller_and_no_queue(cloud, queue):
    """An invoker can forge the whole event, but no receipt: only a delivered message is in flight by its receipt."""
    change = {"change": "DELETE", "namespace": NAMESPACE, "time": "2025-11-20T12:00:00Z"}
    name = "no-queue" if queue == "NoQueue" else cloud.url(queue).rpartition("/")[2]
    for claim, receipt in product(CLAIMS.values(), ("h-made-up", "", "AQEBwJnKyrHigUMZj6rYigCgxlaS3SLy0a")):
        made_up = {
            "messageId": "m",
            "receiptHandle": receipt,
            "body": json.dumps(change if queue == "ChangesQueue" else a_run_event()),
            "attributes": {"ApproximateReceiveCount": "1", "SentTimestamp": "1763640000000"},
            "eventSourceARN": f"arn:aws:sqs:us-east-1:1:{name}",
            **claim,
        }
        with pytest.raises(Forbidden):
            events_function.handler({"Records": [made_up]}, cloud.context())
        assert (cloud.objects("events/"), cloud.items("Graph")) == ({}, [])


def test_the_receipt_of_a_message_that_was_deleted_or_of_another_queue_is_worth_nothing(cloud):
    [real] = cloud.event("EventsQueue", [a_run_event()])["Records"]
    for queue in ("ChangesQueue", "TraceQueue"):
        forged = {**real, "eventSourceARN": f"arn:aws:sqs:us-east-1:1:{cloud.url(queue).rpartition('/')[2]}"}
        with pytest.raises(Forbidden):
            events_function.handler({"Records": [forged]}, cloud.context())
    cloud.sqs.delete_message(QueueUrl=cloud.url("EventsQueue"), ReceiptHandle=real["receiptHandle"])
    with pytest.raises(Forbidden):
        events_function.handler({"Records": [real]}, cloud.context())
    assert cloud.items("Graph") == []
