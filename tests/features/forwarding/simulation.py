"""A loader and a forward function between a FIFO queue, a bucket and an endpoint, with the test's faults."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from io import BytesIO

from botocore.exceptions import ClientError

from headwater.events.naming import NamingRules
from headwater.events.parse import parse_event
from headwater.features.forwarding.announcements import Announcer, Marks
from headwater.features.forwarding.endpoint import Unreachable
from headwater.features.forwarding.forwarder import AnnouncedMessage, Forwarder
from headwater.loading.event_log import EventLog, RawEvent
from headwater_model.errors import Unavailable
from tests.fakes.memory_table import MemoryTable

DAY = "2025-11-20"
CHOSEN = "flights*"
# The time in which SQS drops repeated messages, and the queue's visibility time-out.
DEDUPLICATED_S, INVISIBLE_S = 300, 1800
RECEIVED_MAX = 10


class Killed(BaseException):
    """The function died."""


class Bucket:
    """S3 with objects of the log."""

    def __init__(self):
        self.objects = {}

    def put_object(self, *, Key, Body, **_):  # noqa: N803 - boto3's own names
        self.objects[Key] = Body

    def get_object(self, *, Bucket, Key):  # noqa: N803 - boto3's own names
        if Key not in self.objects:
            raise ClientError({"Error": {"Code": "NoSuchKey"}}, "GetObject")
        return {"Body": BytesIO(self.objects[Key])}


@dataclass
class Message:
    """A message of the queue."""

    number: int
    body: str
    group: str
    sent_s: float
    visible_s: float = 0.0
    receives: int = 0


@dataclass
class Fifo:
    """A FIFO queue by SQS's rules: order and a single batch at a time in a group, and no repetition in five minutes."""

    now_s: float = 0.0
    messages: list[Message] = field(default_factory=list)
    accepted: list[Message] = field(default_factory=list)
    attributes: list[dict] = field(default_factory=list)
    # Answers to the next calls: how many entries fail, or an exception.
    faults: list = field(default_factory=list)
    _known: dict = field(default_factory=dict)

    def send_message_batch(self, *, QueueUrl, Entries):  # noqa: N803 - boto3's own names
        fault = self.faults.pop(0) if self.faults else 0
        if isinstance(fault, BaseException):
            raise fault
        failed, taken = Entries[:fault], Entries[fault:]
        for entry in taken:
            self._take(entry)
        return {"Failed": [{"Id": entry["Id"], "Code": "InternalError"} for entry in failed]}

    def _take(self, entry):
        id_ = entry["MessageDeduplicationId"]
        if self.now_s - self._known.get(id_, -DEDUPLICATED_S) < DEDUPLICATED_S:
            return
        self._known[id_] = self.now_s
        message = Message(len(self.accepted), entry["MessageBody"], entry["MessageGroupId"], self.now_s)
        self.messages.append(message)
        self.accepted.append(message)
        self.attributes.append(entry.get("MessageAttributes", {}))

    def receive(self):
        """Receive up to ten messages of idle groups, in their order."""
        busy = {message.group for message in self.messages if message.receives and message.visible_s > self.now_s}
        received = [message for message in self.messages if message.group not in busy][:RECEIVED_MAX]
        for message in received:
            message.receives += 1
            message.visible_s = self.now_s + INVISIBLE_S
        return received

    def end(self, received, failed, wait_s=30):
        """Delete the messages; make the failed messages visible after the wait instead."""
        for message in received:
            if str(message.number) in failed:
                message.visible_s = self.now_s + wait_s
            else:
                self.messages.remove(message)


class Endpoint:
    """The receiving service: its events, in the order of arrival; `act` decides the response to an event."""

    def __init__(self):
        self.taken = []
        self.act = lambda event: 201

    def post(self, body):
        event = json.loads(body)
        status = self.act(event)
        if isinstance(status, BaseException):
            if isinstance(status, Killed):
                self.taken.append(event)  # after the post, before anything else
            raise status
        if status // 100 == 2:
            self.taken.append(event)
        return status


class World:
    """A stack with forwarding of the namespaces of `CHOSEN`."""

    def __init__(self):
        self.bucket, self.queue, self.dead, self.endpoint = Bucket(), Fifo(), Fifo(), Endpoint()
        self.log = EventLog(None, self.bucket, "archive")
        self.announcer = Announcer(self.queue, "forward", (CHOSEN,), Marks(MemoryTable(), now_s=0))
        self.forwarder = Forwarder(self.bucket, "archive", self.endpoint, (CHOSEN,), self.dead, "dead")

    def load(self, events, *, dies=False):
        """Load a batch; False if its messages come again, because the loader died or the queue refused."""
        stored = self.log.store([RawEvent(parse_event(event, NamingRules(), now=None), event) for event in events], DAY)
        if dies:
            return False
        try:
            self.announcer.announce(stored)
        except Unavailable:
            return False
        return True

    def step(self, may_go_on=lambda: True):
        """Run the forward function on a batch; return its result, None if it died."""
        received = self.queue.receive()
        messages = [
            AnnouncedMessage(str(message.number), message.body, message.group, message.sent_s, message.receives)
            for message in received
        ]
        try:
            result = self.forwarder.forward(messages, now_s=self.queue.now_s, may_go_on=may_go_on)
        except Killed:
            return None
        self.queue.end(received, result.failed)
        return result

    def advance(self, seconds):
        """Let time pass."""
        self.queue.now_s += seconds
        self.dead.now_s += seconds

    def drain(self):
        """Let time pass until every message was worked off."""
        for _ in range(1_000):
            if not self.queue.messages:
                return
            self.step()
            self.advance(INVISIBLE_S)
        raise AssertionError("the queue does not drain")

    def announced(self):
        """List the announced events, in the order of the queue."""
        events = []
        for message in self.queue.accepted:
            announcement = json.loads(message.body)
            lines = self._events(announcement["key"])
            events += [lines[line] for line in announcement["lines"]]
        return events

    def _events(self, key):
        return [event for event, _ in self.log.lines(key)]

    def buried(self):
        """Count each event in the dead letters."""
        letters = [json.loads(message.body) for message in self.dead.accepted]
        return Counter(text(self._events(letter["key"])[line]) for letter in letters for line in letter["lines"])


def out_of_reach():
    """The error of a silent endpoint."""
    return Unreachable("the endpoint did not respond (ReadTimeoutError)")


def text(event):
    """Render an event as text to compare."""
    return json.dumps(event, sort_keys=True)


def unique(events):
    """List each event once, at its first place."""
    return list({text(event): event for event in events}.values())


def by_run(events):
    """Group the events by run, in their order."""
    runs = {}
    for event in events:
        runs.setdefault(event["run"]["runId"], []).append(event)
    return runs
