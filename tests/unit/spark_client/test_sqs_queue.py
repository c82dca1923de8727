from __future__ import annotations

from collections.abc import Callable
from http.server import BaseHTTPRequestHandler

import pytest

from spark_client import Misconfigured, Refused, Undelivered
from spark_client.transport.queue import SqsQueue, Unsent
from tests.unit.spark_client.lineage_service import SHORT, Service, failing, hanging_up

URL = "https://sqs.eu-west-1.amazonaws.com/123456789012/packed"
TAKEN = failing(200, {"Successful": [{"Id": "0", "MessageId": "m-0"}]})


@pytest.fixture
def queue(service: Service, monkeypatch: pytest.MonkeyPatch) -> SqsQueue:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_ENDPOINT_URL_SQS", service.url)
    return SqsQueue(URL, SHORT)


def test_messages_travel_in_one_call_in_the_queue_s_own_region(service: Service, queue: SqsQueue) -> None:
    service.faults = [TAKEN]

    assert queue.send(["one", "two"]) == []
    (call,) = service.calls
    assert call.request == {
        "QueueUrl": URL,
        "Entries": [{"Id": "0", "MessageBody": "one"}, {"Id": "1", "MessageBody": "two"}],
    }
    assert "/eu-west-1/sqs/aws4_request" in call.headers["Authorization"]


def test_entries_that_failed_are_named_by_their_place(service: Service, queue: SqsQueue) -> None:
    failed = [
        {"Id": "1", "Code": "InternalError", "Message": "try later", "SenderFault": False},
        {"Id": "2", "Code": "InvalidMessageContents", "SenderFault": True},
    ]
    service.faults = [failing(200, {"Successful": [], "Failed": failed})]

    assert queue.send(["one", "two", "three"]) == [
        Unsent(1, "InternalError: try later", final=False),
        Unsent(2, "InvalidMessageContents", final=True),
    ]


def refusing(status: int, code: str) -> Callable[[BaseHTTPRequestHandler], None]:
    return failing(status, {"__type": f"com.amazonaws.sqs#{code}", "message": "no"})


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (refusing(400, "AWS.SimpleQueueService.NonExistentQueue"), Refused),
        (refusing(403, "AccessDenied"), Refused),
        (refusing(400, "RequestThrottled"), Undelivered),
        (refusing(400, "KMS.ThrottlingException"), Undelivered),
        (refusing(503, "ServiceUnavailable"), Undelivered),
        (hanging_up, Undelivered),
    ],
)
def test_a_call_that_fails_whole_says_whether_it_may_pass(
    service: Service, queue: SqsQueue, fault: Callable[[BaseHTTPRequestHandler], None], error: type[Exception]
) -> None:
    service.faults = [fault]

    with pytest.raises(error):
        queue.send(["one"])
    assert len(service.calls) == 1  # botocore's own retries are off


def test_missing_credentials_are_named(queue: SqsQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")

    with pytest.raises(Misconfigured, match=f"^{URL}: .*credentials"):
        queue.send(["one"])


def test_a_closed_queue_opens_again(service: Service, queue: SqsQueue) -> None:
    service.faults = [TAKEN, TAKEN]
    queue.send(["one"])
    queue.close()

    assert queue.send(["two"]) == []
