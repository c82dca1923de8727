"""The benchmarks of columns measure what they name: both kinds of column lineage mean the same and are accepted."""

from __future__ import annotations

import doctest

import pytest

from benchmarks import column_pipelines, fields
from benchmarks.column_pipelines import (
    COLUMNS,
    SOURCES,
    column_chain,
    dataset,
    sends_column_lineage,
    sends_columns,
    sends_operations,
    sends_schemas,
    wide_column_lineage,
    wide_operations,
)
from benchmarks.fields_ingest_work import VARIANTS
from benchmarks.fields_queries import all_runs, column_lineage, current_queries, field_node, past_queries
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
from benchmarks.pipelines import CHAIN
from benchmarks.query_world import ColumnWorld
from headwater.events.lineage_facets import columns_of_facet
from headwater.events.naming import NamingRules
from headwater.events.parse import parse_event
from headwater_model.operation_set import OperationSet
from headwater_model.operations import parse_operations

SIZES = Sizes(
    chains=2, runs=3, readers=4, hub_runs=2, too_many_readers=5, width=20, lineage_width=6, alike_runs=8, alike_width=8
)
STEP = column_chain(7)[3]


def sources(columns):
    """Return the sources of each column."""
    return {path: set(origins) for path, origins in columns.fields.items()}


def columns_by_lineage(event):
    return columns_of_facet(event["outputs"][0]["facets"]["columnLineage"])


def columns_by_operations(event):
    [output] = event["outputs"]
    operations = parse_operations(event["run"]["facets"]["headwater_operations"]["operations"])
    return OperationSet(operations).columns()[dataset(output["name"])]


def a_loaded_chain(runs=1):
    world = ColumnWorld()
    world.load(column_chain(0), runs)
    return world


def test_a_job_has_twenty_columns_with_sources_in_the_job_before():
    assert len(COLUMNS) == len(SOURCES) == 20
    for before, after in zip(column_chain(0), column_chain(0)[1:], strict=False):
        assert before.outputs == after.inputs


def test_column_lineage_and_operations_report_the_same():
    lineage, operations = sends_column_lineage(STEP, 0)[1], sends_operations(STEP, 0)[1]

    assert sources(columns_by_lineage(lineage)) == sources(columns_by_operations(operations))
    assert sources(columns_by_lineage(wide_column_lineage(5))) == sources(columns_by_operations(wide_operations(5)))


@pytest.mark.parametrize("sends", [sends_schemas, sends_column_lineage, sends_operations, sends_columns])
def test_events_with_columns_are_accepted(sends):
    start, complete = (parse_event(form, NamingRules(), now=None) for form in sends(STEP, 0))

    assert (start.type, complete.type) == ("START", "COMPLETE")
    assert len(complete.outputs[0].facets["schema"]["fields"]) == 20


def test_events_differ_by_their_column_lineage_alone():
    plain, lineage = sends_schemas(STEP, 0)[1], sends_columns(STEP, 0)[1]
    lineage["run"]["facets"].pop("headwater_operations")

    assert plain == lineage


def test_a_column_is_followed_through_its_whole_chain():
    last = dataset(column_chain(0)[-1].outputs[0])

    result, calls, rounds = a_loaded_chain().query(column_lineage(field_node(last, "distance")))

    assert result.count == CHAIN + 1
    assert 0 < rounds <= calls.reads <= calls.items
    assert (result.truncated, result.linked) == (False, False)


@pytest.mark.parametrize("queries", [current_queries(column_chain(0)), past_queries(column_chain(0), 1)])
def test_every_query_of_a_chain_has_a_result(queries):
    world = a_loaded_chain(runs=2)

    assert {name for name, api_query in queries.items() if world.query(api_query)[0].count == 0} == set()


def test_a_time_range_holds_the_runs_that_it_is_named_for():
    world = a_loaded_chain(runs=3)
    [path_of_one_run], [path_of_all_runs] = (
        world.query(queries["paths"])[0].document["paths"]
        for queries in (past_queries(column_chain(0), 1), all_runs(column_chain(0), 3))
    )

    assert (len(path_of_one_run["runs"]), len(path_of_all_runs["runs"])) == (1, 3)


@pytest.mark.large
def test_the_chains_table_is_queried_before_and_after_the_later_runs():
    figures = measure_chains(SIZES)

    states = {tuple(name.split("/")[:2]) for name in figures}
    assert {state for state, _ in states} == {"one run", "many runs", "first run", "all runs"}
    assert figures["one run/up/rounds"] == figures["many runs/up/rounds"] > 0
    assert figures["one run/dataset/count"] == figures["many runs/dataset/count"] == 20 * (CHAIN + 1)


def test_a_hub_has_a_column_in_each_of_its_readers_datasets():
    figures = measure_hub(SIZES)

    assert figures["one run/down/count"] == figures["many runs/down/count"] == 1 + SIZES.readers
    assert figures["one run/mappings/count"] == SIZES.readers
    assert measure_crowd(SIZES)["one run/down/count"] == 1 + SIZES.too_many_readers


def test_a_wide_dataset_is_queried_and_loaded():
    by_operation, by_lineage = measure_wide_operation(SIZES), measure_wide_lineage(SIZES)

    assert by_operation["wide/dataset/count"] == by_operation["wide/down/count"] == 2 * SIZES.width
    assert by_lineage["wide/dataset/count"] == 2 * SIZES.lineage_width
    assert by_operation["wide/event_bytes"] > by_operation["tenth/event_bytes"]
    # The size of the event of all pairs is estimated from one pair.
    pairs = SIZES.width**2
    assert 100 * pairs < by_lineage["full_event_bytes"] < 250 * pairs


def test_events_are_counted_with_and_without_columns():
    assert set(VARIANTS) == {
        variant for name in ("schemas", "lineage", "operations") for variant in (name, f"calls-{name}")
    }


@pytest.mark.parametrize("module", [fields, column_pipelines])
def test_the_examples_in_the_benchmarks_of_columns_hold(module):
    results = doctest.testmod(module)

    assert results.attempted > 0
    assert results.failed == 0


def test_a_column_that_flows_through_many_is_reported_with_all_of_them():
    figures = measure_copies(SIZES)
    assert 3 < figures["whole/usage/response"] / figures["quarter/usage/response"] < 5


def test_runs_that_report_alike_are_all_read_and_served_as_one():
    figures = measure_alike(SIZES)
    for kind in ("detail", "mappings"):
        quarter, whole = (figures[f"{name}/{kind}/items"] for name in ("quarter", "whole"))
        assert whole - quarter >= SIZES.alike_runs - SIZES.alike_runs // 4
    assert figures["whole/detail/count"] == figures["quarter/detail/count"] > 0
    assert figures["whole/mappings/response"] > figures["quarter/mappings/response"]
