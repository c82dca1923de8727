"""The benchmarks of queries measure what they name: both kinds of column lineage mean the same and are accepted."""

from __future__ import annotations

import doctest

import pytest

from benchmarks import queries
from benchmarks.column_pipelines import (
    COLUMNS,
    SOURCES,
    column_chain,
    dataset,
    sends_column_lineage,
    sends_columns,
    sends_operations,
    sends_schemas,
)
from benchmarks.pipelines import CHAIN
from benchmarks.queries_work import (
    Sizes,
    column_lineage,
    current_queries,
    field_node,
    measure_chains,
    measure_hub,
    past_queries,
)
from benchmarks.query_world import QueryWorld
from headwater.events.lineage_facets import columns_of_facet
from headwater.events.naming import NamingRules
from headwater.events.parse import parse_event
from headwater_model.operation_set import OperationSet
from headwater_model.operations import parse_operations

SIZES = Sizes(few_chains=1, chains=2, runs=3, readers=4, hub_runs=2)
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
    world = QueryWorld()
    world.load(column_chain(0), runs)
    return world


def test_a_job_has_twenty_columns_with_sources_in_the_job_before():
    assert len(COLUMNS) == len(SOURCES) == 20
    for before, after in zip(column_chain(0), column_chain(0)[1:], strict=False):
        assert before.outputs == after.inputs


def test_column_lineage_and_operations_report_the_same():
    lineage, operations = sends_column_lineage(STEP, 0)[1], sends_operations(STEP, 0)[1]

    assert sources(columns_by_lineage(lineage)) == sources(columns_by_operations(operations))


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
    assert calls.item_bytes > 0


@pytest.mark.parametrize("of_chain", [current_queries(column_chain(0)), past_queries(column_chain(0), 1)])
def test_every_query_of_a_chain_has_a_result(of_chain):
    world = a_loaded_chain(runs=2)

    assert {name for name, api_query in of_chain.items() if world.query(api_query)[0].count == 0} == set()


@pytest.mark.large
def test_a_chain_is_queried_among_few_and_many_jobs_and_after_later_runs():
    figures = measure_chains(SIZES)

    states = {name.split("/")[0] for name in figures}
    assert states == {"few jobs", "many jobs", "many runs", "first run"}
    for query, count in {"graph": 2 * CHAIN + 1, "dataset": 20 * (CHAIN + 1)}.items():
        assert {figures[f"{state}/{query}/count"] for state in states - {"first run"}} == {count}
    assert figures["few jobs/up/rounds"] == figures["many runs/up/rounds"] > 0


def test_a_hub_has_each_of_its_readers():
    figures = measure_hub(SIZES)

    assert figures["one run/graph/count"] == 1 + 2 * SIZES.readers
    assert figures["one run/down/count"] == figures["many runs/down/count"] == 1 + SIZES.readers
    assert figures["one run/mappings/count"] == SIZES.readers


@pytest.mark.parametrize("module", [queries])
def test_the_examples_in_the_benchmarks_of_queries_hold(module):
    results = doctest.testmod(module)

    assert results.attempted > 0
    assert results.failed == 0
