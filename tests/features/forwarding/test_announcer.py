"""Announcements: which events, in which lane, in which order, and how many at once."""

import json

import pytest

from headwater.features.forwarding.announcements import EVENTS_MAX, LANES, lane_of, parse_announcement
from headwater_model.errors import Invalid
from tests.builders_events import a_dataset, a_dataset_event, a_job_event, a_run_event
from tests.features.forwarding.simulation import World

SHA = "0123456789abcdef" * 4
KEY = f"events/year=2025/month=11/day=20/{SHA}.jsonl.gz"
RUN, OTHER_RUN = "01941f29-7c00-7ea7-b5a3-4d2d5f0a1b21", "01941f29-7c00-7ea7-b5a3-4d2d5f0a1b22"


def of_run(kind, time, namespace="flights", run=RUN):
    return a_run_event(run=run, eventType=kind, eventTime=f"2025-11-20T{time}Z", namespace=namespace)


def announced(world):
    """The bodies of the queue's messages, without the object."""
    bodies = [json.loads(message.body) for message in world.queue.accepted]
    return [(body["lane"], body["lines"]) for body in bodies]


def test_events_of_a_run_go_by_their_time_and_at_equal_times_from_its_start_to_its_end():
    world = World()
    order = [
        of_run("START", "12:00:00"),
        of_run("RUNNING", "12:00:00"),
        of_run("COMPLETE", "12:00:00"),
        of_run("OTHER", "12:00:01"),
        of_run("FAIL", "12:00:02"),
    ]
    world.load(reversed(order))
    world.drain()
    assert world.endpoint.taken == order


def test_an_event_is_of_the_namespace_of_its_job_or_else_of_its_dataset():
    world = World()
    chosen = [
        of_run("START", "12:00:00", "flights-2013"),
        a_job_event(namespace="flights"),
        a_dataset_event(a_dataset("raw", "flights")),
    ]
    others = [
        of_run("START", "12:00:00", "payments"),
        a_job_event(namespace="payments", inputs=[a_dataset("raw", "flights")]),
        a_dataset_event(a_dataset("raw", "payments")),
    ]
    world.load([*chosen, *others])
    world.drain()
    assert sorted(world.endpoint.taken, key=json.dumps) == sorted(chosen, key=json.dumps)


def test_a_run_has_one_lane_however_its_id_is_written():
    assert lane_of(of_run("START", "12:00:00")) == lane_of(of_run("FAIL", "13:00:00", run=RUN.upper()))
    assert len({lane_of(a_job_event(job=f"job-{number}")) for number in range(200)}) == LANES


def test_many_events_of_a_lane_are_announced_in_parts_and_arrive_in_their_order():
    world = World()
    order = [of_run("RUNNING", f"12:{number // 60:02}:{number % 60:02}") for number in range(2 * EVENTS_MAX + 3)]
    world.load(order)
    assert [len(lines) for _, lines in announced(world)] == [EVENTS_MAX, EVENTS_MAX, 3]
    world.drain()
    assert world.endpoint.taken == order


def test_a_part_that_the_queue_did_not_take_is_sent_before_the_next():
    """SQS may refuse one entry of a call and take another: no call has two of one lane."""
    world = World()
    order = [of_run("RUNNING", f"12:00:{number:02}") for number in range(EVENTS_MAX + 3)]
    world.queue.faults = [1, 1]
    world.load(order)
    world.drain()
    assert world.endpoint.taken == order


@pytest.mark.parametrize(
    ("sent", "rule"),
    [
        ("no JSON", "message: must be JSON"),
        ("[]", "key: must be an object of the raw log"),
        ({"key": 7}, "key: must be"),
        ({"key": f"events/bodies/{SHA}.json.gz"}, "key: must be"),
        ({"key": f"facts/year=2025/month=11/day=20/{SHA}.jsonl.gz"}, "key: must be"),
        ({"lane": "3"}, "lane: must be a number"),
        ({"lines": 7}, "lines: must be numbers"),
        ({"lines": [-1]}, "lines: must be numbers"),
        ({"lines": [True]}, "lines: must be numbers"),
        ({"lines": [0, 1, 0]}, "lines: must be different, and 25 at most"),
        ({"lines": list(range(26))}, "lines: must be different, and 25 at most"),
    ],
)
def test_what_is_no_announcement_is_refused(sent, rule):
    body = sent if isinstance(sent, str) else json.dumps({"key": KEY, "lane": 3, "lines": [0], **sent})
    with pytest.raises(Invalid, match=f"^{rule}"):
        parse_announcement(body)
