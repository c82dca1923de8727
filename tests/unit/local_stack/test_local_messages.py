"""The local stack's queues beside stock moto: equal results and errors; and the rules of SQS where moto has others."""

from __future__ import annotations

import sqlite3
import threading
import uuid
from contextlib import closing, suppress
from types import SimpleNamespace

import boto3
import pytest
import time_machine
from botocore.awsrequest import AWSResponse
from botocore.exceptions import ClientError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from moto import mock_aws
from moto.core.models import botocore_stubber

from local_stack.aws.disk import Disk
from local_stack.aws.messages import Message, Messages
from local_stack.aws.queues import Queues
from tests.aws.in_moto import Raw
from tests.waiting import LONG_S

REGION = "us-east-1"
TEXT = {"caller": {"DataType": "String", "StringValue": "token:etl"}, "n": {"DataType": "Number", "StringValue": "1"}}
BYTES = {"raw": {"DataType": "Binary", "BinaryValue": b"\x00\xff"}}


@pytest.fixture(scope="module")
def theirs():
    with mock_aws():
        yield boto3.client("sqs", region_name=REGION)


@pytest.fixture
def queues(theirs):
    return Queues(Disk())


@pytest.fixture
def ours(queues):
    return client_of(queues)


def client_of(queues):
    """Make boto3's client of our messages, on the queues of moto."""

    def respond(request, **event):
        responded = queues.respond(request.headers["X-Amz-Target"].decode(), request.body)
        if responded is None:
            return botocore_stubber(request=request, **event)
        return AWSResponse(request.url, responded[0], responded[2], Raw(responded[1]))

    client = boto3.client("sqs", region_name=REGION)
    client.meta.events.unregister("before-send", botocore_stubber)
    client.meta.events.register("before-send.sqs", respond)
    return client


def a_queue(client, **attributes):
    fifo = {"FifoQueue": "true"} if attributes.pop("fifo", False) else {}
    name = f"q-{uuid.uuid4()}"[:60] + (".fifo" if fifo else "")
    return client.create_queue(QueueName=name, Attributes={**attributes, **fifo})["QueueUrl"]


class Life:
    """A queue, and the receipts of its messages in the order of their deliveries."""

    def __init__(self, client):
        self.client, self.url, self.receipts = client, a_queue(client), []

    def act(self, name, request):
        """Send a request with receipts by number; return the result without names, or the error."""
        form = dict(request)
        with suppress(KeyError):
            form["ReceiptHandle"] = self.receipt(form["ReceiptHandle"])
        if name != "send_message_batch" and "Entries" in form:
            entries = {self.receipt(each["ReceiptHandle"]): each for each in form["Entries"]}
            form["Entries"] = [{**each, "ReceiptHandle": receipt} for receipt, each in entries.items()]
        try:
            result = getattr(self.client, name)(QueueUrl=self.url, **form)
        except ClientError as error:
            return type(error).__name__, error.response["Error"]["Code"]
        del result["ResponseMetadata"]
        messages = result.get("Messages", [])
        self.receipts += [message.pop("ReceiptHandle") for message in messages]
        for each in [result, *messages, *result.get("Successful", [])]:
            each.pop("MessageId", None)
        for each in result.get("Failed", []):
            each.pop("Message")
        names = ("", "NotVisible", "Delayed")
        counts = [result.get("Attributes", {}).get(f"ApproximateNumberOfMessages{each}") for each in names]
        return counts if name == "get_queue_attributes" else result

    def receipt(self, number):
        return self.receipts[number % len(self.receipts)] if self.receipts and number >= 0 else "never given"


ENTRIES = st.fixed_dictionaries(
    {"MessageBody": st.sampled_from(["a", "b", "ü"])},
    optional={
        "DelaySeconds": st.sampled_from([0, 600, 901]),
        "MessageAttributes": st.sampled_from([TEXT, BYTES, {}]),
    },
)
RECEIPTS = st.fixed_dictionaries({"ReceiptHandle": st.integers(-1, 5)})
VISIBILITIES = st.fixed_dictionaries(
    {"ReceiptHandle": st.integers(-1, 5), "VisibilityTimeout": st.sampled_from([0, 500])}
)
RECEIVES = st.fixed_dictionaries(
    {"MaxNumberOfMessages": st.sampled_from([1, 3, 10, 11])},
    optional={
        "VisibilityTimeout": st.sampled_from([0, 60, 43_201]),
        "MessageAttributeNames": st.sampled_from([["All"], ["caller"], ["ca.*"]]),
        "MessageSystemAttributeNames": st.sampled_from([["All"], ["SentTimestamp"]]),
        "WaitTimeSeconds": st.sampled_from([0, 21]),
    },
)


def batches(entries, **options):
    return st.lists(entries, **options).map(
        lambda listed: {"Entries": [{"Id": str(number), **each} for number, each in enumerate(listed)]}
    )


def requests(name, forms):
    return forms.map(lambda form: (name, form))


REQUESTS = st.one_of(
    requests("send_message", ENTRIES),
    requests("send_message_batch", batches(ENTRIES, max_size=3)),
    requests("receive_message", RECEIVES),
    requests("delete_message", RECEIPTS),
    requests("delete_message_batch", batches(RECEIPTS, max_size=3)),
    requests("change_message_visibility", VISIBILITIES),
    requests("change_message_visibility_batch", batches(VISIBILITIES, min_size=1, max_size=3)),
    requests("get_queue_attributes", st.just({"AttributeNames": ["All"]})),
)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lived=st.lists(st.tuples(REQUESTS, st.sampled_from([0.01, 61, 601])), max_size=12))
def test_any_requests_have_motos_results(ours, theirs, lived):
    with time_machine.travel(1_800_000_000, tick=False) as now:
        lives = Life(ours), Life(theirs)
        for (name, form), pause_s in lived:
            results = [life.act(name, form) for life in lives]
            assert results[0] == results[1], (name, form)
            now.shift(pause_s)


def bodies(client, url, **options):
    received = client.receive_message(QueueUrl=url, MaxNumberOfMessages=10, **options)
    return [message["Body"] for message in received.get("Messages", [])]


def test_a_group_comes_back_in_its_order_and_waits_for_its_messages_in_flight(ours):
    url = a_queue(ours, fifo=True, VisibilityTimeout="30")

    def send(*texts):
        for text in texts:
            ours.send_message(QueueUrl=url, MessageBody=text, MessageGroupId=text[0], MessageDeduplicationId=text)

    with time_machine.travel(1_800_000_000, tick=False) as now:
        send("a1", "a2", "a1")
        assert bodies(ours, url) == ["a1", "a2"]
        send("a3", "b1")
        assert bodies(ours, url) == ["b1"]
        now.shift(31)
        assert bodies(ours, url) == ["a1", "a2", "a3", "b1"]
        now.shift(300)
        send("a1")  # five minutes later it is a new message
        assert bodies(ours, url) == ["a1", "a2", "a3", "b1", "a1"]


class Unlisted(dict):
    """The messages of a queue, too many to list with each request."""

    def values(self):
        raise AssertionError("a request listed all messages")


def test_a_receive_costs_its_own_messages_alone():
    messages = Messages(SimpleNamespace(fifo_queue=False), threading.Lock())
    messages.all = Unlisted()
    with messages.changed:
        for place in range(3):
            messages.add(Message(f"m{place}", place, None, sent_at=0))
        assert messages.wait_s(now=1) == 0
        assert [message.id for message in messages.take(now=1)] == ["m0", "m1", "m2"]


def test_a_message_is_forgotten_after_its_retention(ours):
    with time_machine.travel(1_800_000_000, tick=False) as now:
        url = a_queue(ours, MessageRetentionPeriod="60")
        ours.send_message(QueueUrl=url, MessageBody="m")
        now.shift(61)
        assert bodies(ours, url) == []


def test_a_long_poll_waits_for_a_message_and_keeps_nobody_from_sending(ours):
    url = a_queue(ours)
    received = []
    poll = threading.Thread(target=lambda: received.extend(bodies(ours, url, WaitTimeSeconds=20)), daemon=True)
    poll.start()
    ours.send_message(QueueUrl=url, MessageBody="m")
    poll.join(LONG_S)
    assert received == ["m"]


def test_nobody_waits_for_a_message_when_the_stack_stops(ours, queues):
    url = a_queue(ours)
    poll = threading.Thread(target=bodies, args=(ours, url), kwargs={"WaitTimeSeconds": 20}, daemon=True)
    poll.start()
    queues.let_go()
    poll.join(LONG_S)
    assert not poll.is_alive()


def test_messages_are_stored_before_their_response_and_a_deletion_after_its_reason(ours, tmp_path):
    file, before = tmp_path / "state.sqlite", []

    def stored():
        with closing(sqlite3.connect(file)) as reader:
            return sorted(body for (body,) in reader.execute("SELECT json_extract(message, '$.body') FROM messages"))

    client = client_of(Queues(Disk(file), before=lambda: before.append(stored())))
    url = a_queue(client)
    client.send_message_batch(QueueUrl=url, Entries=[{"Id": each, "MessageBody": each} for each in "ab"])
    assert stored() == ["a", "b"]
    [message] = client.receive_message(QueueUrl=url)["Messages"]
    client.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
    assert (before, stored()) == ([["a", "b"]], ["b"])
    again = Queues(Disk(file))
    again.restore()
    assert bodies(client_of(again), url) == ["b"]
