"""The benchmarks of runs measure what they name: pipelines, counts, and two loads that leave the same table."""

from __future__ import annotations

import doctest

import pytest

from benchmarks import events
from benchmarks.event_units import READ, REQUESTS, count_units
from benchmarks.events_work import Recorder, batches, measure_calls, memory_load
from benchmarks.pipelines import chain, parsed_runs, run_events
from headwater.events.naming import NamingRules
from headwater.events.parse import parse_event
from headwater.facts.apply import apply_statements
from headwater.facts.catalogue import PARTITIONS, SNAPSHOT
from headwater.facts.table import GraphTable
from tests.fakes.memory_dynamodb import MemoryDynamo


def keys_after(runs):
    """Return the keys of the table that such runs of two jobs make."""
    dynamo = MemoryDynamo()
    apply_statements(
        [event for step in chain(0)[:2] for event in runs(step)], GraphTable(dynamo.client(), "graph", None, "b")
    )
    return {(item["pk"]["S"], item["sk"]["S"].rpartition("#")[0]) for item in dynamo.items()}


def every_event(step):
    """Return all that producers send of three runs."""
    return [parse_event(form, NamingRules(), now=None) for run in range(3) for form in run_events(step, run)]


def test_a_run_has_two_events_of_three_inputs_and_two_outputs_of_which_one_is_read_next():
    first, second, *_ = chain(7)
    start, complete = run_events(first, 0)

    assert (start["eventType"], complete["eventType"]) == ("START", "COMPLETE")
    assert (len(complete["inputs"]), len(complete["outputs"])) == (3, 2)
    assert set(first.outputs) & set(second.inputs) == {"chain_00007/stage_1"}


def test_a_completed_run_without_its_start_makes_as_many_rows():
    # Where it stands by start differs, so the rows of runs by start are distinguished by their number alone.
    ours, whole = keys_after(lambda step: parsed_runs(step, 3)), keys_after(every_event)

    assert len(ours) == len(whole)
    assert {key for key in ours if not by_start(key)} == {key for key in whole if not by_start(key)}


def by_start(key):
    """True if the row is of a job's or a dataset's runs by their start."""
    return key[1].startswith(("RUN#", "CHILD#", "BACKWARD#", "FORWARD#"))


def test_the_items_that_are_put_plainly_are_those_that_ours_leaves():
    recorder = Recorder()
    [group] = batches(1, 25)
    left = {}
    for batch in group:
        memory_load(recorder)(batch)
        left.update({(item["pk"], item["sk"]): item for item in recorder.written()})

    # A catalogue's changes are moved into its snapshot.
    stays = {key for key in left if key[0] not in PARTITIONS or key[1] == SNAPSHOT}
    stored = {(item["pk"]["S"], item["sk"]["S"]) for item in recorder.items()}
    assert stays <= stored <= left.keys()


@pytest.mark.large
def test_a_batch_takes_fewer_requests_for_an_event_than_events_one_at_a_time():
    together, alone = measure_calls(1, 25, runs=1), measure_calls(1, 1, runs=1)

    assert together["reads"] + together["writes"] < alone["reads"] + alone["writes"]


@pytest.mark.parametrize("module", [events])
def test_the_examples_in_the_benchmarks_of_runs_hold(module):
    results = doctest.testmod(module)

    assert results.attempted > 0
    assert results.failed == 0


def test_an_event_costs_few_write_units_and_requests_in_each_situation():
    units = count_units(200)

    written = [sum(of_event.values()) - of_event[READ] - of_event[REQUESTS] for of_event in units.values()]
    # Two less without the features.
    assert [bound - 3 < number <= bound for number, bound in zip(written, (41, 12, 19), strict=True)] == [True] * 3
    assert max(of_event[REQUESTS] for of_event in units.values()) <= 5
