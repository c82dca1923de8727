"""Random schedules of dying loaders and forward functions, and of a failing endpoint.

Each event of a chosen namespace arrives at least once, or is a dead letter. The first arrivals of a run's events are
in the order of their announcement. Events of further namespaces never arrive.
"""

import gzip
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from headwater.aws.queues import send_all
from headwater.features.forwarding.announcements import Announcement
from tests.builders_events import a_run_event
from tests.examples import examples
from tests.features.forwarding.simulation import Killed, World, by_run, out_of_reach, text, unique

RUNS = [f"01941f29-7c00-7ea7-b5a3-4d2d5f0a1b{number:02}" for number in range(6)]
NAMESPACES = ["flights", "flights-2013", "payments"]
POISON = "poison"


def an_event(run, minute, kind, job, namespace):
    time = f"2025-11-20T12:{minute:02}:00Z"
    return a_run_event(run=run, eventTime=time, eventType=kind, job=job, namespace=namespace, inputs=[], outputs=[])


EVENTS = st.builds(
    an_event,
    st.sampled_from(RUNS),
    st.integers(0, 4),
    st.sampled_from(["START", "RUNNING", "COMPLETE"]),
    st.sampled_from(["read", "read", "read", POISON]),
    st.sampled_from(NAMESPACES),
)
# The queue's response to the next calls of the announcer: a number of failed entries, or a death.
QUEUE_FAULTS = st.lists(st.sampled_from([0, 0, 1, 7, "killed"]), max_size=3)
LOADS = st.tuples(st.just("load"), st.lists(EVENTS, min_size=1, max_size=12), st.booleans(), QUEUE_FAULTS)
# The endpoint's response to the next events.
ACTS = st.lists(st.sampled_from([201, 201, 201, 500, 429, 401, "unreachable", "killed"]), max_size=8)
STEPS = st.tuples(st.just("forward"), ACTS, st.integers(0, 8))
# Repeated events, by their places among the loaded events, in a batch with new events.
AGAIN = st.tuples(st.just("again"), st.lists(st.integers(0, 30), min_size=1, max_size=4), st.lists(EVENTS, max_size=2))
WAITS = st.tuples(st.just("wait"), st.sampled_from([1, 31, 299, 301, 2_000]))
SCHEDULES = st.lists(LOADS | STEPS | STEPS | AGAIN | WAITS, max_size=14)


def load(world, events, dies, faults):
    """Load events; return them if their messages come again, else an empty list."""
    world.queue.faults = [Killed() if fault == "killed" else fault for fault in faults]
    try:
        loaded = world.load(events, dies=dies)
    except Killed:
        loaded = False
    world.queue.faults = []
    return [] if loaded else events


def forward(world, acts, number):
    """Let the function work on a batch; it has time for `number` events."""
    left, acts = [number], list(acts)

    def act(event):
        if event["job"]["name"] == POISON:
            return 422
        chosen = acts.pop(0) if acts else 201
        return {"unreachable": out_of_reach(), "killed": Killed()}.get(chosen, chosen)

    def may_go_on():
        left[0] -= 1
        return left[0] >= 0

    world.endpoint.act = act
    world.step(may_go_on)


def play(schedule):
    """Play a schedule to its end, where nothing fails; return the world, the events, and how many loads failed."""
    world, again, sent, failures = World(), [], [], 0
    for kind, *given_ in schedule:
        if kind == "load":
            failed = load(world, *given_)
            again, failures = again + failed, failures + bool(failed)
            sent += given_[0]
        elif kind == "again":
            places, more = given_
            events = [*(sent[place % len(sent)] for place in places if sent), *more]
            assert world.load(events)
            sent += more
        elif kind == "forward":
            forward(world, *given_)
        else:
            world.advance(*given_)
    if again:
        assert world.load(again)
    world.endpoint.act = lambda event: 422 if event["job"]["name"] == POISON else 201
    world.drain()
    return world, unique(sent), failures


@examples(800)
@given(SCHEDULES)
def test_every_chosen_event_arrives_in_the_order_of_its_run_or_is_a_dead_letter(schedule):
    world, sent, _ = play(schedule)

    chosen = {text(event) for event in sent if event["job"]["namespace"].startswith("flights")}
    poison = {text(event) for event in sent if event["job"]["name"] == POISON} & chosen
    assert {text(event) for event in world.endpoint.taken} == chosen - poison
    assert world.buried().keys() == poison
    arrived = by_run(unique(world.endpoint.taken))
    announced = unique(world.announced())
    assert arrived == by_run([event for event in announced if event["job"]["name"] != POISON])


@examples(400)
@given(SCHEDULES)
def test_an_event_that_is_delivered_again_among_others_is_announced_once(schedule):
    """A loader's death between announcement and mark costs a further announcement."""
    world, _, failures = play(schedule)
    most = max(Counter(map(text, world.announced())).values(), default=0)
    assert most <= 1 + failures


LINES = st.lists(st.binary(max_size=30) | st.sampled_from([b"{}", b"null", b'{"event":', b'{"event": {"job": 7}}']))


@examples(300)
@given(lines=LINES, cut=st.integers(0, 60), changed=st.integers(0, 60), numbers=st.sets(st.integers(0, 3), min_size=1))
def test_an_announcement_of_a_damaged_object_is_a_dead_letter_at_once(lines, cut, changed, numbers):
    world = World()
    packed = bytearray(gzip.compress(b"\n".join(lines), mtime=0))
    packed[changed % len(packed)] ^= 0xFF
    announcement = Announcement(f"events/year=2025/month=11/day=20/{'0' * 64}.jsonl.gz", 3, sorted(numbers))
    world.bucket.objects[announcement.key] = bytes(packed[: max(1, len(packed) - cut)])
    send_all(world.queue, "forward", [announcement.message("1")])
    assert (world.step().failed, world.queue.messages) == ({}, [])
    assert [each["reason"]["StringValue"] for each in world.dead.attributes] == ["unreadable"]
