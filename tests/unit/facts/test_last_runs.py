"""A node follows the last runs of its job from load to load; it equals the node of a search among all runs."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.events.event import DatasetUse, Event
from headwater.facts.apply import apply_statements
from headwater.facts.index_scan import facts_of
from headwater.facts.job_nodes import compute_nodes
from headwater.facts.keys import current_key
from tests.examples import examples
from tests.fakes.memory_table import MemoryTable
from tests.unit.facts.strategies import DATASETS, JOBS, RUNS, TIMES, stamped, streaming_runs, streams


def nodes_in(table):
    """The stored nodes by job, without edges left over."""
    rows = table.get(map(current_key, JOBS))
    return {job: {**rows[key].data, "extra": None} for job in JOBS if (key := current_key(job)) in rows}


def searched_nodes(table):
    nodes = compute_nodes(facts_of(JOBS, table), table)
    return {job: {**orjson.loads(orjson.dumps(node)), "extra": None} for job, node in nodes.items()}


@examples(100)
@given(st.one_of(streams(8), streaming_runs(6)), st.randoms(use_true_random=False))
def test_after_each_load_a_node_is_as_a_search_among_all_runs_finds_it(statements, dice):
    table, left = MemoryTable(), dice.sample(statements, len(statements))
    while left:
        size = dice.choice((1, 1, 2))
        apply_statements(left[:size], table)
        left = left[size:]
        assert nodes_in(table) == searched_nodes(table)


INPUTS = (DatasetUse(DATASETS[0]),)


def an_event(run, time, kind, inputs=INPUTS):
    return stamped(Event(kind="RUN", time=time, hash="", type=kind, run=run, job=JOBS[0], inputs=inputs))


@pytest.mark.parametrize("inputs", [(), INPUTS], ids=["without datasets", "with datasets"])
def test_a_last_run_that_turns_out_to_have_failed_earlier_gives_its_place_to_the_run_before(inputs):
    table = MemoryTable()
    for run, time, kind in ((1, 0, "START"), (0, 2, "COMPLETE"), (1, 3, "COMPLETE"), (2, 4, "START"), (1, 1, "FAIL")):
        apply_statements([an_event(RUNS[run], TIMES[time], kind, inputs)], table)
    assert nodes_in(table) == searched_nodes(table)
    node = nodes_in(table)[JOBS[0]]
    assert (node["with_io"] or node["without_io"]) == [TIMES[2], RUNS[0]]


def test_a_further_run_of_a_job_costs_no_search():
    table = MemoryTable()
    apply_statements([an_event(RUNS[0], TIMES[0], "START"), an_event(RUNS[0], TIMES[1], "COMPLETE")], table)
    searches = table.calls["query"]

    for time, kind in ((TIMES[2], "START"), (TIMES[3], "COMPLETE")):
        apply_statements([an_event(RUNS[1], time, kind)], table)
        assert nodes_in(table) == searched_nodes(MemoryTable(table.dynamo))

    assert table.calls["query"] == searches
