"""Waits between attempts: nobody who met another writer tries again at once."""

import pytest

from headwater.attempts import attempts
from headwater.facts.apply import apply_statements
from headwater.loading.event_index import EventIndex, IndexedEvent
from tests.fakes.memory_table import MemoryTable
from tests.unit.facts.statements import A, X, Y, an_event
from tests.unit.facts.strategies import TIMES


def test_attempts_wait_before_each_but_the_first_at_random_and_longer_each_time_up_to_a_bound():
    waits = [[] for _ in range(200)]
    for delays in waits:
        assert list(attempts(6, delays.append, longest_s=0.2)) == [0, 1, 2, 3, 4, 5]
    longest = [max(column) for column in zip(*waits, strict=True)]
    for wait, bound in zip(longest, (0.04, 0.08, 0.16, 0.2, 0.2), strict=True):
        assert bound / 2 < wait <= bound
    assert len({delays[0] for delays in waits}) > 100


def test_who_leaves_after_an_attempt_waits_no_more():
    waits = []
    for _ in attempts(6, waits.append):
        break
    assert waits == []


class LosingTable(MemoryTable):
    """A table on which one call to swap meets another writer; `waits` are those of the loader."""

    def __init__(self, losing):
        super().__init__()
        self.waits, self._losing = [], losing
        object.__setattr__(self, "sleep", self.waits.append)

    def swap(self, swaps):
        self._losing -= 1
        return [False] * len(swaps) if self._losing == -1 else super().swap(swaps)


def apply_an_event(table):
    apply_statements([an_event(1, "01", A, inputs=[X], outputs=[Y])], table)


def list_an_event(table):
    EventIndex(table).put([IndexedEvent(TIMES[0], "0" * 64)])


@pytest.mark.parametrize(
    ("write", "losing"), [(apply_an_event, 0), (apply_an_event, 1), (list_an_event, 0)], ids=["facts", "node", "list"]
)
def test_a_loader_that_met_another_waits_before_it_tries_again(write, losing):
    undisturbed, disturbed = LosingTable(1_000), LosingTable(losing)
    write(undisturbed)
    write(disturbed)
    assert (len(undisturbed.waits), len(disturbed.waits)) == (0, 1)
    assert list(disturbed.dynamo.items()) == list(undisturbed.dynamo.items())
