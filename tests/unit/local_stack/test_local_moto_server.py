"""The locks around moto: what several threads do at once is as if they did it one after the other."""

from __future__ import annotations

import json
import threading
from io import BytesIO

import pytest
from moto.sqs.models import Message, sqs_backends

from local_stack.aws.endpoint import ACCOUNT, REGION
from local_stack.aws.moto_server import LongPolls, OneAtATime
from tests.waiting import LONG_S


class Busy:
    """A WSGI application that notices when it is entered twice at once; if so many are to meet, it waits for them."""

    def __init__(self, to_meet=1):
        self.meeting = threading.Barrier(to_meet, timeout=LONG_S)
        self.at_once = 0
        self.most = 0
        self.bodies = []

    def __call__(self, environ, start_response):
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        self.meeting.wait()
        threading.Event().wait(0.05)  # for another one to enter, which must not
        self.bodies.append(environ["wsgi.input"].read())
        self.at_once -= 1
        return []


def a_request(service, target="", body=b"{}"):
    return {
        "HTTP_AUTHORIZATION": f"AWS4-HMAC-SHA256 Credential=k/20260101/us-east-1/{service}/aws4_request, Signature=x",
        "HTTP_X_AMZ_TARGET": target,
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": BytesIO(body),
    }


def most_at_once(*requests, to_meet=1):
    busy = Busy(to_meet)
    locked = OneAtATime(busy)
    threads = [threading.Thread(target=locked, args=(request, None)) for request in requests]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(busy.bodies) == len(requests)
    return busy.most


def test_requests_to_one_service_run_one_at_a_time():
    for service in ("dynamodb", "s3", "sqs"):
        assert most_at_once(*(a_request(service) for _ in range(4))) == 1


def test_services_do_not_wait_for_each_other():
    assert most_at_once(a_request("dynamodb"), a_request("sqs"), to_meet=2) == 2


def test_invocations_may_overlap_since_they_call_back():
    assert most_at_once(a_request("lambda"), a_request("lambda"), to_meet=2) == 2


@pytest.fixture
def queue():
    backend = sqs_backends[ACCOUNT][REGION]
    yield backend.create_queue("q")
    backend.delete_queue("q")


class LongPoll:
    """A long poll in a thread of its own, which waits for a message of the queue `q`, or for an hour."""

    def __init__(self):
        self.moto = Busy()
        self.polls = LongPolls(OneAtATime(self.moto))
        body = json.dumps({"QueueUrl": "http://127.0.0.1/q", "WaitTimeSeconds": 3_600}).encode()
        request = a_request("sqs", "AmazonSQS.ReceiveMessage", body)
        self.thread = threading.Thread(target=self.polls, args=(request, None), daemon=True)
        self.thread.start()


def test_a_long_poll_waits_for_a_message_and_keeps_nobody_from_sending(queue):
    poll = LongPoll()
    poll.polls(a_request("sqs", "AmazonSQS.SendMessage"), None)
    assert poll.moto.bodies == [b"{}"]
    queue.add_message(Message("m-1", "body"))
    poll.thread.join(LONG_S)
    # moto itself is not to wait.
    assert [json.loads(body).get("WaitTimeSeconds") for body in poll.moto.bodies] == [None, 0]


def test_nobody_waits_for_a_message_when_the_stack_stops(queue):
    poll = LongPoll()
    poll.polls.let_go()
    poll.thread.join(LONG_S)
    assert len(poll.moto.bodies) == 1
