"""Loaders meet, die and start over: in the end every result is right.

Seeds make a run repeatable. `HYPOTHESIS_PROFILE=thorough` makes ten times as many.
"""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.events.event import DatasetUse, Event
from headwater.facts.apply import apply_statements
from headwater.queries.service import LineageQueries
from headwater_model.ids import DatasetId
from tests.examples import SHARE, examples, scaled
from tests.fakes.memory_dynamodb import MemoryDynamo
from tests.fakes.memory_table import MemoryTable
from tests.unit.facts.loaders import Killed, Simulation, SteppedTable
from tests.unit.facts.strategies import JOBS, RUNS, TIMES, stamped, streams
from tests.unit.queries.every_query import differences, results_of, right_results


class Checked:
    """The right results of a set of statements, and the table's states checked against them."""

    def __init__(self, statements):
        self._right = right_results(statements, times=())
        self._seen = set()

    def check(self, table):
        rows = ({**item, "version": None} for item in table.dynamo.items())
        state = repr(sorted(rows, key=lambda row: (row["pk"]["S"], row["sk"]["S"])))
        if state not in self._seen:
            assert differences(results_of(table, times=()), self._right) == {}
            self._seen.add(state)


# Takes long: 15 histories, 15 interleavings each, a step of a loader at a time.
@pytest.mark.timeout(900 * max(SHARE, 1))
@examples(60)
@given(streams(5), st.integers(0, 2**32))
def test_loaders_that_meet_and_die_leave_the_right_results(statements, seed):
    right = Checked(statements)
    dice = random.Random(seed)
    for _ in range(min(25, scaled(60))):
        right.check(Simulation(in_messages(statements, dice), dice).run())


# Takes long: a death at each row of each message of 15 histories.
@pytest.mark.timeout(900 * max(SHARE, 1))
@examples(15)
@given(streams(4), st.integers(0, 2**32))
def test_a_death_at_any_row_of_any_message_is_made_good_by_its_redelivery(statements, seed):
    right = Checked(statements)
    dice = random.Random(seed)
    messages = in_messages(statements, dice)
    for dying in range(len(messages)):
        row = 0
        while dies_at(row, messages, dying, dice, right):
            row += 1


@pytest.mark.timeout(900 * max(SHARE, 1))
def test_a_node_of_more_edges_than_a_transaction_holds_moves_whole():
    many = [DatasetUse(DatasetId("s3://flights", f"part-{number:03}")) for number in range(300)]
    writes = [many[:150], many[100:250], many[:1]]
    statements = [a_write(run, time, uses) for run, time, uses in zip(RUNS, TIMES, writes, strict=False)]
    right = {use.dataset: use.dataset == many[0].dataset for use in many[:250]}
    for seed in range(scaled(8)):
        dice = random.Random(seed)
        queries = LineageQueries(Simulation([[statement] for statement in statements], dice).run())
        for name, written in list(right.items())[::40]:
            graph = queries.find_graph(name.node_id, depth=0)
            assert [job.outputs for job in graph.jobs] == ([(many[0].dataset,)] if written else [])


def test_a_run_loaded_by_rivals_between_two_reads_is_counted_once():
    dynamo, writes = MemoryDynamo(), [a_write(run, TIMES[0], ()) for run in RUNS[:2]]
    before_reads = iter(([], writes))
    load = lambda write: apply_statements([write], MemoryTable(dynamo))  # noqa: E731
    meet = lambda method: method == "get" and list(map(load, next(before_reads, ())))  # noqa: E731
    apply_statements(writes[:1], MemoryTable(dynamo, before=meet))
    assert LineageQueries(MemoryTable(dynamo)).list_runs(JOBS[0], limit=9, offset=0).total == 2


def a_write(run, time, uses):
    event = Event(kind="RUN", time=time, hash="", type="COMPLETE", run=run, job=JOBS[0], outputs=tuple(uses))
    return stamped(event)


def in_messages(statements, dice):
    """Pack the statements into messages of a few each; now and then a message comes twice."""
    left, messages = dice.sample(statements, len(statements)), []
    while left:
        size = dice.choice((1, 1, 2, 3))
        messages.append(left[:size])
        left = left[size:]
    return [*messages, dice.choice(messages)] if dice.random() < 0.3 else messages


def dies_at(row, messages, dying, dice, right):
    """True if the loader of message `dying` dies before its row number `row`; the message comes again at the end."""
    table, rows_left, again = MemoryTable(), row, []

    def step(_late=None):
        nonlocal rows_left
        rows_left -= 1
        if rows_left < 0:
            raise Killed

    for number, message in enumerate(messages):
        if number != dying:
            apply_statements(message, table, changes_max=1)
            continue
        try:
            apply_statements(message, SteppedTable(table.dynamo, step, dice), changes_max=1)
        except Killed:
            again.append(message)
    for message in again:
        apply_statements(message, table, changes_max=1)
    right.check(table)
    return bool(again)
