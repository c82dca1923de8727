"""Events of a batch that share a message, a pack."""

import json
from types import SimpleNamespace

import pytest

from headwater.events.ingest import CheckedEvent, EventQueue
from headwater.loading.load import EventLoad
from headwater_model.errors import Invalid, Unavailable

SMALL = {"eventType": "START"}


@pytest.fixture
def put():
    """Put events on a queue; list the numbers of events and the limits of its messages."""

    def put_events(*events):
        sent = []
        sqs = SimpleNamespace(send_message_batch=lambda Entries, **_: sent.extend(Entries) or {})  # noqa: N803
        assert EventQueue(sqs, None, "queue", "intake").put(events) == {}
        bodies = [json.loads(entry["MessageBody"]) for entry in sent]
        assert [event for body in bodies for event in body.get("events", [body])] == [event.body for event in events]
        limits = [entry.get("MessageAttributes", {}).get("writes", {}).get("StringValue") for entry in sent]
        return list(zip([len(body.get("events", [body])) for body in bodies], limits, strict=True))

    return put_events


@pytest.mark.parametrize(("events", "packs"), [(0, []), (1, [1]), (10, [10]), (11, [10, 1]), (25, [10, 10, 5])])
def test_ten_events_share_a_message(put, events, packs):
    assert put(*[CheckedEvent(SMALL, None)] * events) == [(size, None) for size in packs]


def test_long_and_costly_events_travel_alone(put):
    long = CheckedEvent({"plan": "x" * 50_000}, None)
    costly = CheckedEvent(SMALL, None, counts=2)

    assert [size for size, _ in put(long, long, costly, costly, CheckedEvent(SMALL, None))] == [1] * 5


def test_events_of_a_pack_have_the_same_limit(put):
    limits = [None, None, ("a",), ("a",), ("b",), None]
    messages = put(*(CheckedEvent(SMALL, limit) for limit in limits))

    assert messages == [(2, None), (2, '["a"]'), (1, '["b"]'), (1, None)]


def test_a_pack_fails_with_its_lasting_fault():
    """A passing fault makes the message wait for longer."""
    lasting, passing = Invalid.because("events", [], "must be a list"), Unavailable("busy")
    loads = EventLoad(), EventLoad(), EventLoad()
    for load, faults in zip(loads, ([lasting, passing], [passing, lasting], [passing]), strict=True):
        for fault in faults:
            load.fail("m", fault)

    assert loads[0] == loads[1] == EventLoad({"m": "Invalid: events: must be a list"}, refused=1)
    assert loads[2] == EventLoad({"m": "Unavailable: busy"}, {"m"})
