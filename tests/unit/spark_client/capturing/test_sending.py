from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from spark_client.capturing.session.counts import Counts
from spark_client.capturing.session.sender import Sender
from spark_client.event_payloads import Event, EventJson
from spark_client.record_requests import DeliveryCounts
from tests.waiting import LONG_S, until


class Transport:
    """Transport that accepts events as it is set to: at once, never or not at all."""

    place = "a list"

    def __init__(self, *, error: Exception | None = None, refused: int = 0) -> None:
        self.taken: list[Mapping[str, Any]] = []
        self.error = error
        self.refused = refused
        self.open = threading.Event()
        self.open.set()

    def send(self, events: Sequence[EventJson]) -> DeliveryCounts:
        self.open.wait()
        if self.error:
            raise self.error
        self.taken += map(json.loads, events)
        return DeliveryCounts(len(events) - self.refused, self.refused)

    def hurry(self) -> None:
        pass

    def close(self, timeout_s: float) -> bool:
        if self.error:
            raise self.error
        return True


def a_sender(
    transport: Transport, counts: Counts | None = None, events_max: int = 100, max_bytes: int = 10_000
) -> Sender:
    return Sender(transport, counts or Counts(), events_max=events_max, max_bytes=max_bytes)


def test_events_arrive_in_their_order_each_once() -> None:
    transport, counts = Transport(), Counts()
    sender = a_sender(transport, counts, events_max=2_000, max_bytes=1_000_000)
    assert all(sender.put([Event(n=n), Event(n=n, end=True)]) for n in range(500))
    assert sender.flush(LONG_S)
    assert transport.taken == [event for n in range(500) for event in ({"n": n}, {"n": n, "end": True})]
    assert (counts.snapshot()["sent"], counts.snapshot()["not_sent"], sender.left) == (1000, 0, 0)


def test_a_full_queue_refuses_both_of_a_pair_at_once() -> None:
    transport = Transport()
    transport.open.clear()
    sender = a_sender(transport, events_max=4)
    assert [sender.put([Event(n=n), Event(n=n)]) for n in range(4)] == [True, True, False, False]
    assert sender.left == 4
    assert sender.put([Event(n="the last")], always=True)
    transport.open.set()
    assert sender.flush(LONG_S)
    assert [event["n"] for event in transport.taken] == [0, 0, 1, 1, "the last"]
    assert sender.put([Event(n=9)])


def test_the_queue_is_bounded_by_bytes_too() -> None:
    transport = Transport()
    transport.open.clear()
    sender = a_sender(transport, max_bytes=250)
    assert [sender.put([Event(text="x" * 100)]) for _ in range(4)] == [True, True, False, False]
    transport.open.set()
    assert sender.flush(LONG_S)
    assert sender.put([Event(text="x" * 100)])


def test_the_thread_ends_with_the_last_event_and_a_later_event_is_sent_all_the_same() -> None:
    transport, before = Transport(), set(threading.enumerate())
    sender = a_sender(transport)
    for number in (1, 2):
        sender.put([Event(n=number)])
        assert sender.finish(LONG_S)
        until(lambda: set(threading.enumerate()) <= before)
    assert transport.taken == [{"n": 1}, {"n": 2}]


def test_a_flush_waits_no_longer_than_its_timeout() -> None:
    transport = Transport()
    transport.open.clear()
    sender = a_sender(transport)
    sender.put([Event()])
    assert not sender.flush(0.1)  # it returns while the transport hangs
    transport.open.set()
    assert sender.flush(LONG_S)


@pytest.mark.parametrize(("is_sent", "expected_waits_s"), [(True, [1.0] * 3), (False, [1.0])], ids=["slow", "stuck"])
def test_the_last_events_are_waited_for_as_long_as_some_are_sent_every_second(
    is_sent: bool, expected_waits_s: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Slow(Transport):
        def send(self, events: Sequence[EventJson]) -> DeliveryCounts:
            batches.acquire()
            return super().send(events)

    class NotingCondition(threading.Condition):
        """Condition that notes the seconds of a wait; the wait ends when a batch is sent, or at once."""

        def wait_for(self, predicate: Callable[[], bool], timeout: float | None = None) -> bool:
            if timeout is None:
                return super().wait_for(predicate)
            waits_s.append(timeout)
            if is_sent:
                batches.release()
            return is_sent and super().wait_for(predicate, LONG_S)

    waits_s: list[float] = []
    batches = threading.Semaphore(0)
    monkeypatch.setattr(threading, "Condition", NotingCondition)
    sender = a_sender(Slow(), events_max=1_000, max_bytes=1_000_000)
    for _ in range(3):
        sender.put([Event(n=n) for n in range(200)])

    assert sender.finish(600, 1.0) is is_sent
    assert waits_s == expected_waits_s


def test_a_transport_that_raises_is_one_warning_and_counted(caplog: pytest.LogCaptureFixture) -> None:
    transport, counts = Transport(error=ConnectionError("gone")), Counts()
    sender = a_sender(transport, counts)
    for n in range(20):
        sender.put([Event(n=n)])
        sender.flush(LONG_S)
    assert counts.snapshot()["not_sent"] == 20
    assert not sender.finish(1)
    assert [record.message for record in caplog.records if record.levelno == logging.WARNING] == [
        "capture: events are not sent: ConnectionError: gone"
    ]


def test_events_that_were_refused_are_counted() -> None:
    transport, counts = Transport(refused=1), Counts()
    sender = a_sender(transport, counts)
    sender.put([Event(n=1), Event(n=2), Event(n=3)])
    assert sender.flush(LONG_S)
    assert (counts.snapshot()["sent"], counts.snapshot()["not_sent"]) == (2, 1)
