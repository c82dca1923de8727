"""Queues to functions: batches, windows, partial failures, redrive."""

from itertools import chain

import pytest


def test_a_full_batch_is_delivered_at_once_and_the_rest_when_its_window_closes(start):
    probe = start(batch=100, window_s=60)
    probe.send(*[{"n": n} for n in range(130)])
    probe.until(lambda: probe.seen)
    probe.stack.advance(61)
    probe.until(lambda: len(probe.seen) == 2)
    assert [len(batch) for batch in probe.taken] == [100, 30]
    first, rest = probe.seen
    assert rest["at"] - first["at"] > 60
    assert sorted(chain(*probe.taken)) == list(range(130))


def test_draining_closes_the_windows_and_ends_when_nothing_is_left(start):
    probe = start(batch=100, window_s=60)
    probe.send(*[{"n": n} for n in range(25)])
    returned = []
    probe.stack.drain(progress=returned.append)
    assert sorted(chain(*probe.taken)) == list(range(25))
    # A message that a poller has just received is in its queue still, and in the poller's hands; an invocation counts.
    assert 25 <= returned[0] <= 51


def test_after_a_partial_failure_only_the_failed_messages_come_back(probe):
    probe.send({"n": 1}, {"n": 2, "do": "fail"}, {"n": 3})
    probe.deliveries(2)
    assert probe.taken == [[1, 2, 3], [2]]
    assert [batch["receives"] for batch in probe.seen] == [[1, 1, 1], [2]]
    assert probe.stack.errors == []


@pytest.mark.parametrize("task", ["raise", "exit", "unknown id"])
def test_a_function_that_fails_as_a_whole_is_given_the_whole_batch_again(probe, task):
    probe.send({"n": 1}, {"n": 2, "do": task})
    probe.deliveries(2)
    assert probe.taken == [[1, 2], [1, 2]]


def test_a_poison_message_is_dead_after_exactly_its_receives_and_takes_no_other_along(probe):
    probe.send({"n": 1}, {"n": 2, "do": "fail"})
    probe.deliveries(probe.receives_max)
    probe.stack.advance(probe.visibility_s + 1)
    dead = []
    probe.until(lambda: dead.extend(probe.dead) or dead)
    assert dead == [{"n": 2, "do": "fail"}]
    assert [batch["receives"] for batch in probe.seen] == [[1, 1], [2], [3]]
    probe.stack.drain()
