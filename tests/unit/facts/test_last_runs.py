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
from headwater.facts.table import Row, Swap
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


def an_event(run, time, kind):
    uses = {"inputs": (DatasetUse(DATASETS[0]),), "outputs": (DatasetUse(DATASETS[1]),)}
    return stamped(Event(kind="RUN", time=time, hash="", type=kind, run=run, job=JOBS[0], **uses))


@pytest.mark.parametrize("forgotten", [False, True], ids=["a node of this release", "a node of an earlier release"])
def test_a_further_run_of_a_job_costs_a_search_only_after_a_node_without_its_last_runs(forgotten):
    table = MemoryTable()
    apply_statements([an_event(RUNS[0], TIMES[0], "START"), an_event(RUNS[0], TIMES[1], "COMPLETE")], table)
    if forgotten:
        node = table.get([current_key(JOBS[0])])[current_key(JOBS[0])]
        rest = {name: value for name, value in node.data.items() if name != "with_io"}
        assert table.swap([Swap(Row(*node.key, rest, node.version))]) == [True]
    searches = table.calls["query"]

    for time, kind in ((TIMES[2], "START"), (TIMES[3], "COMPLETE")):
        apply_statements([an_event(RUNS[1], time, kind)], table)
        assert nodes_in(table) == searched_nodes(MemoryTable(table.dynamo))

    assert table.calls["query"] - searches == (1 if forgotten else 0)
