"""Accepted events from the raw log to an endpoint over HTTP, by the handlers on moto, and faults on the way."""

import gzip
import json
from itertools import count

import boto3
import orjson
import pytest
from moto.backends import get_backend
from moto.core import DEFAULT_ACCOUNT_ID

from headwater.aws import clients
from headwater.features.forwarding import forwarder, function
from headwater.features.forwarding.settings import (
    FORWARD_DLQ_URL,
    FORWARD_DOMAIN,
    FORWARD_NAMESPACES,
    FORWARD_QUEUE_URL,
    FORWARD_SECRET,
    FORWARD_URL,
)
from lambdas import events, wiring
from tests.aws import conftest
from tests.aws.api.conftest import Caller
from tests.aws.batches import batch_of, take
from tests.aws.calls import calls_of, grants_of
from tests.aws.faults import before, refused
from tests.builders_events import a_dataset, a_dataset_event, a_facet, a_run_event
from tests.features.forwarding.receiving import an_endpoint
from tests.features.forwarding.stacks import CONTEXT, DOMAIN, SECRET
from tests.templates import Template

RUNS = [f"01941f29-7c00-7ea7-b5a3-4d2d5f0a1b{number:02}" for number in range(10)]


def an_event(run=RUNS[0], kind="COMPLETE", second=0, namespace="flights", **more):
    time = f"2025-11-20T12:00:{second:02}Z"
    return a_run_event(run=run, eventType=kind, eventTime=time, namespace=namespace, **more)


def a_story(run=RUNS[0]):
    """The events of a run, in their order."""
    return [an_event(run, kind, second) for second, kind in enumerate(("START", "RUNNING", "COMPLETE"))]


@pytest.fixture
def received():
    with an_endpoint() as received:
        yield received


class Forwarding:
    """The queues of forwarding, beside the account's queues, and the forward function."""

    def __init__(self, cloud, urls):
        self.cloud, self.urls, self._sqs = cloud, urls, conftest.tests_client("sqs")
        self._numbers = count()

    def messages(self, queue="ForwardQueue"):
        """Take up to ten messages off a queue, as the event source would; they stay in flight."""
        return take(self._sqs, self.urls[queue])

    def step(self, *, remaining_s=600):
        """Run the forward function on a batch; delete the forwarded messages, and count the failed."""
        received = self.messages()
        batch = batch_of(received, self.urls["ForwardQueue"], SentTimestamp=str(self.cloud.now_s * 1000))
        response = function.handler(batch, self.cloud.context(remaining_s))
        failed = {failure["itemIdentifier"] for failure in response["batchItemFailures"]}
        for message in received:
            if message["MessageId"] not in failed:
                self._sqs.delete_message(QueueUrl=self.urls["ForwardQueue"], ReceiptHandle=message["ReceiptHandle"])
        return len(failed)

    def let_wait_pass(self):
        """Make the messages in flight visible again."""
        name = self.urls["ForwardQueue"].rpartition("/")[2]
        for message in get_backend("sqs")[DEFAULT_ACCOUNT_ID]["us-east-1"].queues[name]._messages:
            message.visible_at = 0

    def dead_letters(self):
        """Take the dead letters; return the body and the reason of each."""
        letters = self.messages("ForwardDeadLetters")
        for letter in letters:
            self._sqs.delete_message(QueueUrl=self.urls["ForwardDeadLetters"], ReceiptHandle=letter["ReceiptHandle"])
        return [(letter["Body"], letter["MessageAttributes"]["reason"]["StringValue"]) for letter in letters]

    def send(self, body, group="0"):
        """Put a message on the queue, as a redrive does."""
        self._sqs.send_message(
            QueueUrl=self.urls["ForwardQueue"],
            MessageBody=body,
            MessageGroupId=group,
            MessageDeduplicationId=str(next(self._numbers)),
        )


@pytest.fixture
def forwarding(cloud, synthesized, received, monkeypatch):
    """The queues and variables of a stack with forwarding to the endpoint."""
    template = synthesized(**CONTEXT)
    resources = {
        name: {"Type": resource["Type"], "Properties": {**resource["Properties"], "QueueName": f"{name}.fifo"}}
        for name, resource in template["Resources"].items()
        if resource["Type"] == "AWS::SQS::Queue" and name.startswith("Forwarding")
    }
    outputs = {name: output for name, output in template["Outputs"].items() if name.startswith("Forward")}
    formation = conftest.tests_client("cloudformation")
    formation.create_stack(
        StackName="forwarding", TemplateBody=json.dumps({"Resources": resources, "Outputs": outputs})
    )
    [stack] = formation.describe_stacks(StackName="forwarding")["Stacks"]
    urls = {output["OutputKey"].removesuffix("Url"): output["OutputValue"] for output in stack["Outputs"]}
    boto3.client("secretsmanager").create_secret(Name=SECRET, SecretString="t0ken")
    variables = {
        FORWARD_URL: received.url,
        FORWARD_NAMESPACES: '["flights*"]',
        FORWARD_SECRET: SECRET,
        FORWARD_QUEUE_URL: urls["ForwardQueue"],
        FORWARD_DLQ_URL: urls["ForwardDeadLetters"],
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    yield Forwarding(cloud, urls)
    function.forwarder().endpoint._connection.close()
    function.forwarder.cache_clear()


def test_events_of_chosen_namespaces_arrive_as_they_were_sent_with_the_token(cloud, forwarding, received):
    story = a_story()
    assert cloud.load_events(*reversed(story), an_event(RUNS[1], namespace="payments")) == []
    assert forwarding.step() == 0
    assert received.events == story
    assert {each["authorization"] for each in received.headers} == {"Bearer t0ken"}
    assert forwarding.messages() == []


def test_events_that_cannot_be_announced_are_not_acknowledged(cloud, forwarding, received):
    story = a_story()
    with before(cloud.sqs, "SendMessageBatch", refused("AccessDenied"), times=99):
        assert cloud.load_events(*story) == [0, 1, 2]
    assert cloud.load_events(*story) == []
    forwarding.step()
    assert received.events == story


def test_an_event_that_the_endpoint_refuses_is_a_dead_letter_without_its_content_and_its_lane_goes_on(
    cloud, forwarding, received, caplog
):
    story = a_story()
    received.act = lambda event: 422 if event["eventType"] == "RUNNING" else 201
    cloud.load_events(*story)
    assert forwarding.step() == 0
    [(body, reason)] = forwarding.dead_letters()
    letter = json.loads(body)
    [key] = cloud.objects("events/year=")
    assert (letter["key"], reason, len(letter["lines"])) == (key, "status 422", 1)
    assert letter.keys() == {"key", "lane", "lines"}
    assert "echo" not in caplog.text
    assert [event["eventType"] for event in received.events if received.act(event) == 201] == ["START", "COMPLETE"]


@pytest.mark.parametrize("changed", [{"lines": [99]}, {"key": f"events/year=2025/month=11/day=20/{'0' * 64}.jsonl.gz"}])
def test_an_announcement_of_what_is_not_there_is_a_dead_letter(cloud, forwarding, received, changed):
    cloud.load_events(an_event())
    [message] = forwarding.messages()
    forwarding.send(json.dumps({**json.loads(message["Body"]), "lane": 0, **changed}), "other")
    assert forwarding.step() == 0
    assert [reason for _, reason in forwarding.dead_letters()] == ["unreadable"]


def test_what_waited_for_13_days_is_a_dead_letter_before_sqs_drops_it(cloud, forwarding, received, monkeypatch):
    story = a_story()
    cloud.load_events(*story)
    monkeypatch.setattr(forwarder, "WAIT_MAX_S", -1)
    assert forwarding.step() == 0
    [(letter, reason)] = forwarding.dead_letters()
    assert (len(json.loads(letter)["lines"]), reason) == (3, "waited too long")
    assert received.events == []


def test_a_token_that_was_replaced_is_read_after_the_first_refusal(cloud, forwarding, received):
    current = ["Bearer t0ken"]
    received.act = lambda event: 201 if received.headers[-1]["authorization"] == current[0] else 401
    cloud.load_events(an_event(RUNS[0]))
    assert forwarding.step() == 0
    current[0] = "Bearer new"
    boto3.client("secretsmanager").put_secret_value(SecretId=SECRET, SecretString="new")
    cloud.load_events(an_event(RUNS[1]))
    assert forwarding.step() == 1
    forwarding.let_wait_pass()
    assert forwarding.step() == 0
    assert received.headers[-1]["authorization"] == "Bearer new"
    assert forwarding.dead_letters() == []


def test_a_sender_who_may_not_describe_a_dataset_does_not_do_it_through_us(cloud, forwarding, received):
    elsewhere = {**a_dataset("raw", "payments"), "facets": {"schema": a_facet(fields=[{"name": "iban"}])}}
    event = an_event(inputs=[elsewhere], outputs=[])
    delivery = cloud.event("EventsQueue", [event])
    delivery["Records"][0]["messageAttributes"] = {"writes": {"stringValue": '["flights*"]', "dataType": "String"}}
    assert events.handler(delivery, cloud.context()) == {"batchItemFailures": []}
    forwarding.step()
    assert received.events == [{**event, "inputs": [a_dataset("raw", "payments")]}]


def test_a_forwarded_event_is_marked_and_not_forwarded_on(cloud, forwarding, received):
    """Else two stacks, each forwarding to its peer, would send an event without end."""
    cloud.load_events(an_event())
    forwarding.step()
    [headers] = received.headers
    assert Caller(cloud).event(an_event(RUNS[1]), **headers).status == 201
    [message] = conftest.tests_client("sqs").receive_message(
        QueueUrl=cloud.url("EventsQueue"), MessageAttributeNames=["All"]
    )["Messages"]
    delivery = cloud.event("EventsQueue", [message["Body"]])
    attributes = message["MessageAttributes"]
    delivery["Records"][0]["messageAttributes"] = {
        name: {"stringValue": attributes[name]["StringValue"], "dataType": "String"} for name in attributes
    }
    assert events.handler(delivery, cloud.context()) == {"batchItemFailures": []}
    assert forwarding.messages() == []
    [key] = [key for key, body in cloud.objects("events/year=").items() if RUNS[1].encode() in gzip.decompress(body)]
    assert wiring.event_log().stored_lines(key).documents == [None], "nor when days are forwarded again"


def test_a_namespace_that_is_forwarded_no_more_is_not_sent_though_it_was_announced(
    cloud, forwarding, received, monkeypatch
):
    cloud.load_events(an_event(), an_event(RUNS[1], namespace="flights-2013"))
    monkeypatch.setenv(FORWARD_NAMESPACES, '["flights"]')
    assert forwarding.step() == 0
    assert received.events == [an_event()]


def test_the_forward_function_may_make_every_call_that_it_makes_and_no_grant_is_spare(
    cloud, forwarding, received, synthesized
):
    cloud.load_events(an_event(RUNS[0]))
    cloud.load_events(an_event(RUNS[1]))
    received.act = lambda event: 422 if event["run"]["runId"] == RUNS[0] else 500
    calls = calls_of(*map(clients.client, ("s3", "sqs", "secretsmanager")))
    assert forwarding.step() == 1
    assert grants_of(Template(synthesized(**CONTEXT)), "ForwardFunction") == calls


def test_the_lag_and_the_events_are_metrics(cloud, forwarding, received, capsys):
    received.act = lambda event: 422 if event["eventType"] == "RUNNING" else 201
    cloud.load_events(*a_story())
    cloud.now_s += 7
    forwarding.step()
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines() if line.startswith('{"_aws"')]
    metrics = {name: value for line in lines for name, value in line.items() if name.startswith("Forward")}
    assert metrics["ForwardedEvents"] == [2]
    assert metrics["ForwardRefused"] == [1]
    assert metrics["ForwardLagSeconds"] == [0]


def test_events_that_datazone_never_takes_are_counted_and_named_and_hold_up_nothing(
    cloud, forwarding, received, capsys, caplog, monkeypatch
):
    [start, running, end] = a_story()
    large = {**running, "run": {**running["run"], "facets": {"more": a_facet("More", "1-0-0", text="a" * 300_000)}}}
    described = a_dataset_event(a_dataset(namespace="flights"), eventTime=start["eventTime"])
    received.act = lambda event: 200
    with monkeypatch.context() as variables:
        variables.setenv(FORWARD_DOMAIN, DOMAIN)
        variables.setenv("AWS_ENDPOINT_URL_DATAZONE", received.url.removesuffix("/api/v1/lineage"))
        cloud.load_events(start, large, described, end)
        assert forwarding.step() == 0
        function.forwarder.cache_clear()
    assert received.events == [start, end]
    assert [forwarding.messages(), forwarding.dead_letters()] == [[], []]
    out = capsys.readouterr().out
    assert [json.loads(line)["ForwardUnsendable"] for line in out.splitlines() if "ForwardUnsendable" in line] == [[2]]
    [key] = cloud.objects("events/year=")
    [named] = [line.events for line in caplog.records if line.message == "events that the target never takes"]
    events = [event for event, _ in wiring.event_log().lines(key)]
    size = len(orjson.dumps(large))
    assert sorted(named) == sorted(
        [
            f"{key}, line {events.index(large)}: must have at most 300,000 bytes for DataZone, and has {size:,}",
            f"{key}, line {events.index(described)}: must be a RunEvent for DataZone",
        ]
    )
