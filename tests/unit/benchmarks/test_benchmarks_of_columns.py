"""The benchmarks of columns measure what they say: both ways of telling tell the same, and pass the door."""

from __future__ import annotations

import doctest

import pytest

from benchmarks import fields, fields_pipelines
from benchmarks.fields_intake_work import WAYS
from benchmarks.fields_pipelines import (
    COLUMNS,
    MADE_OF,
    column_chain,
    dataset,
    sends_column_lineage,
    sends_columns,
    sends_operations,
    sends_schemas,
    wide_column_lineage,
    wide_operations,
)
from benchmarks.fields_questions import all_runs, column_lineage, field_node, now_questions, past_questions
from benchmarks.fields_work import (
    Sizes,
    measure_alike,
    measure_chains,
    measure_copies,
    measure_crowd,
    measure_hub,
    measure_wide_lineage,
    measure_wide_operation,
)
from benchmarks.fields_world import ColumnWorld
from benchmarks.pipelines import CHAIN
from lineage.openlineage.column_facets import columns_of_facet
from lineage.openlineage.naming import NameRules
from lineage.openlineage.parse import parse_event
from lineage_model.operation_set import OperationSet
from lineage_model.operations import parse_operations

SIZES = Sizes(
    chains=2, runs=3, readers=4, hub_runs=2, too_many_readers=5, width=20, lineage_width=6, alike_runs=8, alike_width=8
)
STEP = column_chain(7)[3]


def sources(columns):
    """By column, the sources of it."""
    return {path: set(told) for path, told in columns.fields.items()}


def told_by_lineage(form):
    return columns_of_facet(form["outputs"][0]["facets"]["columnLineage"])


def told_by_operations(form):
    [output] = form["outputs"]
    operations = parse_operations(form["run"]["facets"]["headwater_operations"]["operations"])
    return OperationSet(operations).columns()[dataset(output["name"])]


def a_loaded_chain(runs=1):
    world = ColumnWorld()
    world.load(column_chain(0), runs)
    return world


def test_a_job_has_twenty_columns_made_of_those_of_the_job_before():
    assert len(COLUMNS) == len(MADE_OF) == 20
    for before, after in zip(column_chain(0), column_chain(0)[1:], strict=False):
        assert before.outputs == after.inputs


def test_both_ways_of_telling_tell_the_same():
    lineage, operations = sends_column_lineage(STEP, 0)[1], sends_operations(STEP, 0)[1]

    assert sources(told_by_lineage(lineage)) == sources(told_by_operations(operations))
    assert sources(told_by_lineage(wide_column_lineage(5))) == sources(told_by_operations(wide_operations(5)))


@pytest.mark.parametrize("sends", [sends_schemas, sends_column_lineage, sends_operations, sends_columns])
def test_events_that_tell_of_columns_pass_the_door(sends):
    start, complete = (parse_event(form, NameRules(), now=None) for form in sends(STEP, 0))

    assert (start.type, complete.type) == ("START", "COMPLETE")
    assert len(complete.outputs[0].facets["schema"]["fields"]) == 20


def test_events_differ_by_what_is_told_and_by_nothing_else():
    plain, told = sends_schemas(STEP, 0)[1], sends_columns(STEP, 0)[1]
    told["run"]["facets"].pop("headwater_operations")

    assert plain == told


def test_a_column_is_followed_through_its_whole_chain():
    last = dataset(column_chain(0)[-1].outputs[0])

    answer, calls, rounds = a_loaded_chain().ask(column_lineage(field_node(last, "distance")))

    assert answer.told == CHAIN + 1
    assert 0 < rounds <= calls.reads <= calls.items
    assert (answer.truncated, answer.linked) == (False, False)


@pytest.mark.parametrize("questions", [now_questions(column_chain(0)), past_questions(column_chain(0), 1)])
def test_every_question_of_a_chain_has_an_answer(questions):
    world = a_loaded_chain(runs=2)

    assert {name for name, question in questions.items() if world.ask(question)[0].told == 0} == set()


def test_a_window_holds_the_runs_that_it_is_named_for():
    world = a_loaded_chain(runs=3)
    [one], [every] = (
        world.ask(questions["paths"])[0].form["paths"]
        for questions in (past_questions(column_chain(0), 1), all_runs(column_chain(0), 3))
    )

    assert (len(one["runs"]), len(every["runs"])) == (1, 3)


@pytest.mark.large
def test_the_chains_table_is_asked_before_and_after_the_later_runs():
    figures = measure_chains(SIZES)

    states = {tuple(name.split("/")[:2]) for name in figures}
    assert {state for state, _ in states} == {"one run", "many runs", "first run", "all runs"}
    assert figures["one run/up/rounds"] == figures["many runs/up/rounds"] > 0
    assert figures["one run/dataset/told"] == figures["many runs/dataset/told"] == 20 * (CHAIN + 1)


def test_a_hub_has_a_column_in_each_of_its_readers_datasets():
    figures = measure_hub(SIZES)

    assert figures["one run/down/told"] == figures["many runs/down/told"] == 1 + SIZES.readers
    assert figures["one run/mappings/told"] == SIZES.readers
    assert measure_crowd(SIZES)["one run/down/told"] == 1 + SIZES.too_many_readers


def test_a_wide_set_is_asked_for_and_costs_little_to_take_in():
    by_operation, by_lineage = measure_wide_operation(SIZES), measure_wide_lineage(SIZES)

    assert by_operation["wide/dataset/told"] == by_operation["wide/down/told"] == 2 * SIZES.width
    assert by_lineage["wide/dataset/told"] == 2 * SIZES.lineage_width
    assert by_operation["wide/event_bytes"] > by_operation["tenth/event_bytes"]
    # The event of all pairs is told by what one pair takes.
    pairs = SIZES.width**2
    assert 100 * pairs < by_lineage["full_event_bytes"] < 250 * pairs


def test_events_are_counted_with_and_without_columns():
    assert set(WAYS) == {way for name in ("schemas", "lineage", "operations") for way in (name, f"calls-{name}")}


@pytest.mark.parametrize("module", [fields, fields_pipelines])
def test_the_examples_in_the_benchmarks_of_columns_hold(module):
    results = doctest.testmod(module)

    assert results.attempted > 0
    assert results.failed == 0


def test_a_column_that_flows_through_many_is_reported_with_all_of_them():
    figures = measure_copies(SIZES)
    assert 3 < figures["whole/usage/answer"] / figures["quarter/usage/answer"] < 5


def test_runs_that_report_alike_are_all_read_and_answered_as_one():
    figures = measure_alike(SIZES)
    for question in ("detail", "mappings"):
        quarter, whole = (figures[f"{name}/{question}/items"] for name in ("quarter", "whole"))
        assert whole - quarter >= SIZES.alike_runs - SIZES.alike_runs // 4
    assert figures["whole/detail/told"] == figures["quarter/detail/told"] > 0
    assert figures["whole/mappings/answer"] > figures["quarter/mappings/answer"]
