"""A day of throttling: refused messages wait in their queue, all else is loaded, and nothing is a dead letter."""

import json
from collections import Counter
from contextlib import nullcontext
from datetime import datetime, timezone

import boto3
import pytest
import time_machine
from moto.sqs.models import SQSBackend

from headwater.aws.items import chunks
from headwater.events.ingest import render_event_message
from headwater.facts.apply import apply_isolating_failures
from headwater_model.ids import DatasetId, sha256_hex
from lambdas import events, load, trace, wiring
from lambdas.events import HELD_S
from lambdas.sqs_batch import in_groups
from tests.aws.batches import batch_of, take
from tests.aws.faults import Killed, before, refused
from tests.builders import HOUR, a_message
from tests.builders_events import a_run_event

THROTTLED = refused("ProvisionedThroughputExceededException")
HOT = DatasetId("s3://flights", "hot")


class Queue:
    """A queue with its consumer, as Lambda runs it, and a clock moved by `run_until` alone."""

    def __init__(self, cloud, name, handler, clock):
        self.sqs, self.url = boto3.client("sqs"), cloud.url(name)
        attributes = self.sqs.get_queue_attributes(QueueUrl=self.url, AttributeNames=["RedrivePolicy"])["Attributes"]
        name = json.loads(attributes["RedrivePolicy"])["deadLetterTargetArn"].rpartition(":")[2]
        self.dead_letters = self.sqs.get_queue_url(QueueName=name)["QueueUrl"]
        self.receives, self.invocations = Counter(), 0
        self._cloud, self._handler, self._clock = cloud, handler, clock

    def send(self, bodies):
        for body in bodies:
            self.sqs.send_message(QueueUrl=self.url, MessageBody=body)

    def run_for(self, seconds, step_s=600):
        """Let time pass; the consumer takes whatever is visible, a hundred at a time."""
        for _ in range(0, seconds, step_s):
            self._consume()
            self._clock.shift(step_s)
            self._cloud.now_s += step_s
        self._consume()

    def waiting(self, url=None):
        """Count the messages of the queue, visible or not."""
        names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
        attributes = self.sqs.get_queue_attributes(QueueUrl=url or self.url, AttributeNames=names)["Attributes"]
        return sum(map(int, attributes.values()))

    def _consume(self):
        while batch := self._receive():
            self.invocations += 1
            self.receives.update(message["MessageId"] for message in batch)
            try:
                failures = self._handler(batch_of(batch, self.url), self._cloud.context())["batchItemFailures"]
            except Killed:
                continue
            failed = {failure["itemIdentifier"] for failure in failures}
            for message in batch:
                if message["MessageId"] not in failed:
                    self.sqs.delete_message(QueueUrl=self.url, ReceiptHandle=message["ReceiptHandle"])

    def _receive(self):
        batch = []
        while len(batch) < 100 and (messages := take(self.sqs, self.url)):
            batch += messages
        return batch


def change_visibility(self, queue_name, receipt_handle, visibility_timeout):
    """Count SQS's 12 hours from the receive ("Amazon SQS visibility timeout"); moto counts them from the send."""
    queue = self.get_queue(queue_name)
    message = next(queued for queued in queue._messages if queued.had_receipt_handle(receipt_handle))
    message.change_visibility(visibility_timeout)


@pytest.fixture
def clock(cloud, monkeypatch):
    monkeypatch.setattr(SQSBackend, "change_message_visibility", change_visibility)
    with time_machine.travel(datetime.fromtimestamp(cloud.now_s, timezone.utc), tick=False) as travelled:
        yield travelled


def an_event(number, outputs):
    run = f"01941f29-7c00-7ea7-b5a3-{number:012}"
    return render_event_message(a_run_event(run=run, inputs=["raw"], outputs=outputs))


def touches_hot(params):
    return f"DATASET#{HOT.digest}".encode() in params["body"]


def throttled(cloud, only, fault=THROTTLED):
    """Refuse the writes picked by `only`, a million times, or die at the first."""
    operations = ("TransactWriteItems", "BatchWriteItem", "BatchExecuteStatement", "PutItem")
    faults = [before(cloud.dynamodb, operation, fault, times=1_000_000, only=only) for operation in operations]
    return _All(faults)


class _All(nullcontext):
    """Several context managers, entered together."""

    def __enter__(self):
        for context in self.enter_result:
            context.__enter__()

    def __exit__(self, *error):
        for context in self.enter_result:
            context.__exit__(*error)


def test_a_day_of_a_throttled_dataset_makes_no_dead_letter_and_holds_up_no_other_event(cloud, clock):
    queue = Queue(cloud, "EventsQueue", events.handler, clock)
    queue.send([an_event(number, ["hot" if number % 50 == 7 else f"cold-{number}"]) for number in range(100)])
    with throttled(cloud, touches_hot):
        queue.run_for(0)
        assert queue.waiting() == 2
        queue.run_for(24 * HOUR)
        assert (queue.waiting(), queue.waiting(queue.dead_letters)) == (2, 0)
    assert max(queue.receives.values()) <= 75
    queue.run_for(HOUR)
    assert (queue.waiting(), queue.waiting(queue.dead_letters)) == (0, 0)
    assert wiring.lineage_queries().find_dataset(HOT).current_version is not None
    assert wiring.event_log().list_events(limit=1).total == 100


# Whole, in halves, then alone in both orders: moto shows a message again in the second step.
_FOUR_RECEIVES_S = 6 * HELD_S


@pytest.mark.parametrize("pack", [1, 7])
def test_an_event_that_kills_its_function_keeps_no_other_for_long(cloud, clock, pack):
    queue = Queue(cloud, "EventsQueue", events.handler, clock)
    names = [f"cold-{number}" for number in range(20)]
    bodies = [an_event(number, [name]) for number, name in enumerate([*names[:3], "hot", *names[3:]])]
    packs = (f'{{"events": [{",".join(chunk)}]}}' for chunk in chunks(bodies, pack))
    queue.send(bodies if pack == 1 else list(packs))
    with throttled(cloud, touches_hot, Killed("no memory")):
        queue.run_for(_FOUR_RECEIVES_S, step_s=HELD_S)
        shown = [wiring.lineage_queries().find_dataset(DatasetId(HOT.namespace, name)) for name in names]
        assert [name for name, dataset in zip(names, shown, strict=True) if dataset is None] == []
        assert (queue.waiting(), queue.waiting(queue.dead_letters)) == (1, 0)
    assert queue.invocations <= _FOUR_RECEIVES_S // HELD_S + 1
    queue.run_for(HOUR)
    assert queue.waiting() == 0


def test_a_day_of_a_throttled_root_makes_no_dead_letter(cloud, clock):
    queue = Queue(cloud, "RecordsQueue", load.handler, clock)
    queue.send([json.dumps(a_message(root_id=root_id)) for root_id in ("hot", "cold")])
    with before(cloud.dynamodb, "PutItem", THROTTLED, times=1_000_000, only=lambda params: b'"hot"' in params["body"]):
        queue.run_for(24 * HOUR)
        assert (queue.waiting(), queue.waiting(queue.dead_letters)) == (1, 0)
    queue.run_for(HOUR)
    assert queue.waiting() == 0


def test_a_day_of_throttled_traces_makes_no_dead_letter(cloud, clock):
    cloud.load(a_message(), a_message(root_id="cold"))
    queue = Queue(cloud, "TraceQueue", trace.handler, clock)
    queue.send([json.dumps({"root_id": root_id}) for root_id in ("flights", "cold")])
    hot = f"ROOT#{sha256_hex('flights')}".encode()
    with before(cloud.dynamodb, "TransactWriteItems", THROTTLED, times=1_000_000, only=lambda p: hot in p["body"]):
        queue.run_for(24 * HOUR)
        assert (queue.waiting(), queue.waiting(queue.dead_letters)) == (1, 0)
    assert max(queue.receives.values()) <= 75
    queue.run_for(HOUR)
    assert (queue.waiting(), cloud.dirty()) == (0, set())


def test_a_demand_for_a_trace_at_fault_is_a_dead_letter_within_half_an_hour(cloud, clock):
    queue = Queue(cloud, "TraceQueue", trace.handler, clock)
    queue.send(['{"root_id": ""}'])
    queue.run_for(1_800, step_s=5)
    assert (queue.waiting(), queue.waiting(queue.dead_letters)) == (0, 1)


def test_an_event_at_fault_is_a_dead_letter_within_half_an_hour(cloud, clock):
    queue = Queue(cloud, "EventsQueue", events.handler, clock)
    queue.send(['{"no": "event"}', an_event(1, ["cold"])])
    queue.run_for(1_800, step_s=5)
    assert (queue.waiting(), queue.waiting(queue.dead_letters)) == (0, 1)


def test_each_message_comes_before_two_that_kill_the_function_within_forty_receives():
    first, *receives = ([message["messageId"] for [message] in in_groups(received(count))] for count in range(3, 41))
    assert receives[0] == first[::-1]
    assert {order[0] for order in (first, *receives)} == {"a", "b", "c"}


def received(count):
    return [{"messageId": name, "attributes": {"ApproximateReceiveCount": str(count)}} for name in "abc"]


@pytest.mark.parametrize("faulty", [{7}, {0, 99}, set(range(0, 100, 10))])
def test_a_failing_batch_is_halved_until_the_faulty_are_alone(faulty):
    acts = []

    def act(group):
        acts.append(group)
        if faulty & set(group):
            raise ValueError("at fault")

    failed = [thing for thing, _ in apply_isolating_failures(range(100), act)]
    assert failed == sorted(faulty)
    assert len(acts) <= 15 * len(faulty)


def test_where_time_runs_out_the_rest_is_left_for_another_try():
    times = iter([True, True, False])
    acts = []

    def act(group):
        acts.append(len(group))
        raise ValueError("all are at fault")

    failed = [thing for thing, _ in apply_isolating_failures(range(100), act, may_go_on=lambda: next(times, False))]
    assert (failed, acts) == (list(range(100)), [100, 50, 25])
