"""The cost of queries of a time range: by datasets on the path, not by runs.

The limit of the design: a query for each dataset and direction (a page of 1 MB holds thousands of runs), a
batch of a hundred keys for all reports of a level's runs.
"""

from collections import Counter as Counts

import pytest

from headwater.facts.apply import apply_statements
from headwater.queries.ranges import accesses, field_operations, near_fields
from headwater.queries.ranges.runs_in_range import RunsInRange
from headwater.queries.results.columns import TimeRange
from headwater.queries.results.graphs import DOWN, UP
from headwater.queries.view import GraphView
from tests.fakes.memory_table import MemoryTable
from tests.unit.queries.columns.counting import (
    CHAIN,
    RUNS,
    Counter,
    a_chain,
    a_run,
    dataset,
    minute,
)

EVER = TimeRange(minute(0), minute(10_000))


def mappings(level, time_range=EVER, of=CHAIN // 2):
    return lambda fields: fields.find_mappings(dataset(of), time_range, level=level)


def a_window(run):
    """The window in which a run of each job of the chain started."""
    return TimeRange(minute(run * CHAIN), minute((run + 1) * CHAIN))


@pytest.mark.parametrize("level", [1, 2, 3, 5, 10])
def test_mappings_take_two_rounds_a_level_a_query_a_dataset_and_one_batch(often, level):
    result, cost = often.measure(mappings(level))

    hops = min(level, CHAIN // 2)
    assert len(result.items) == 2 * hops
    # The last datasets are read too, unless the level is reached before: no run wrote or read the ends.
    levels = min(level, hops + 1)
    assert cost.rounds <= 2 * levels
    assert cost.queries <= 2 * levels
    assert cost.gets <= levels


def test_many_distinct_reports_are_read_in_batches_of_a_hundred():
    """300 runs have 300 reports: a query finds the runs, and four batches read the reports."""
    runs = [
        a_run(number, "job", dataset(0), dataset(1), by_operations=True, name=f" {number}") for number in range(300)
    ]

    result, cost = Counter(runs).measure(mappings(1, of=1))

    assert len(result.items) == 1
    assert (cost.rounds, cost.queries) == (2, 2)
    assert cost.gets <= 4


@pytest.mark.parametrize(("direction", "queries"), [("up", 1), ("down", 1), ("both", 2)])
def test_a_fields_operations_take_a_query_a_direction_and_at_most_two_batches(often, direction, queries):
    detail, cost = often.measure(lambda fields: fields.find_detail(dataset(5), ("a",), EVER, direction))

    assert detail.nodes
    assert cost.queries <= queries
    assert cost.gets <= 2 * queries
    assert cost.rounds <= 3


@pytest.mark.parametrize(("direction", "queries"), [("up", 1), ("down", 1), ("both", 2)])
def test_a_fields_summary_and_whole_operations_take_a_query_a_direction_and_two_batches(often, direction, queries):
    for query in (
        lambda fields: fields.summarize_field(dataset(5), ("a",), EVER, direction),
        lambda fields: fields.find_operations(dataset(5), ("a",), EVER, direction),
    ):
        result, cost = often.measure(query)

        assert result.incoming or result.outgoing
        assert cost.queries <= queries
        assert cost.gets <= 2
        assert cost.rounds <= 3


def test_a_list_of_fields_takes_two_queries_and_two_batches_whether_the_schema_counts_or_not(often):
    for current in (False, True):
        listed, cost = often.measure(
            lambda fields, with_schema=current: fields.list_fields(dataset(5), EVER, current=with_schema)
        )

        assert len(listed.items) == 2
        assert (cost.queries, cost.gets) == (2, 1 + current)
        assert cost.rounds <= 2 + current


def test_all_relations_of_a_dataset_take_two_queries_more_for_each_neighbour_and_two_rounds_for_all():
    readers = [a_run(number, f"reader-{number}", dataset(0), dataset(1 + number)) for number in range(30)]

    def query(fields):
        return fields.summarize_dataset(dataset(0), EVER, "both")

    (single, few), (thirty, many) = (Counter(readers[:number]).measure(query) for number in (1, 30))

    assert ([len(summary.outgoing) for summary in (single, thirty)], thirty.outgoing[0].field_count) == ([1, 30], 2)
    assert many.rounds == few.rounds <= 6
    assert (few.queries, many.queries) == (2 + 2, 2 + 2 * 30)
    assert many.gets <= few.gets + 1


@pytest.mark.parametrize(("cap", "most"), [("PATHS_MAX", 2), ("FIELDS_MAX", 25)])
def test_a_fields_operations_stop_at_what_a_response_may_hold_the_newest_first(monkeypatch, cap, most):
    """A set has six names of fields on the way: of the read, both sides of the transform, and the write."""
    runs = [a_run(number, "job", dataset(0), dataset(1), by_operations=True, name=f" {number}") for number in range(5)]
    monkeypatch.setattr(field_operations, cap, most)

    result, _ = Counter(runs).measure(lambda fields: fields.find_operations(dataset(1), ("a",), EVER, "up"))

    assert result.truncated
    transforms = [[operation.name for operation in operation_set.operations][1] for operation_set in result.incoming]
    assert transforms == [f"copy a {number}" for number in (4, 3, 2, 1, 0)][: len(transforms)]
    assert 2 <= len(transforms) < 5


def test_all_relations_stop_at_as_many_pairs_as_a_response_may_hold(often, monkeypatch):
    monkeypatch.setattr(near_fields, "PAIRS_MAX", 3)

    summary, _ = often.measure(lambda fields: fields.summarize_dataset(dataset(5), EVER, "both"))

    assert summary.truncated
    assert sum(len(relations.pairs) for relations in (*summary.incoming, *summary.outgoing)) == 3


@pytest.mark.parametrize("levels", [1, 2, 3])
def test_accesses_take_four_rounds_a_level(often, levels):
    result, cost = often.measure(lambda fields: fields.find_accesses(dataset(5), EVER, levels=levels))

    # A level reaches a dataset more on each side, each with a run of two jobs for each time.
    assert len({access.dataset for access in result.items}) == 1 + 2 * levels
    assert len(result.items) == RUNS * 2 * 2 * levels
    assert cost.rounds <= 5 * levels
    assert cost.queries <= 8 * levels
    # The facts of fifty runs of each job are a batch.
    assert cost.gets <= 4 * levels


def test_accesses_stop_at_as_many_runs_as_a_walk_may_read(often, monkeypatch):
    monkeypatch.setattr(accesses, "FACTS_MAX", 10)

    result, _ = often.measure(lambda fields: fields.find_accesses(dataset(5), EVER, levels=2))

    # Five runs of each job at the dataset; behind them, no room is left for runs of other jobs.
    runs_at = Counts((access.dataset, access.access) for access in result.items)
    assert result.truncated
    assert runs_at[dataset(4), "read"] == runs_at[dataset(6), "write"] == RUNS
    assert (runs_at[dataset(3), "read"], runs_at[dataset(7), "write"]) == (0, 0)


def test_reports_cost_by_datasets_on_the_way_not_by_runs(once, often):
    for report in (
        lambda fields: fields.report_usage(dataset(0), ("a",), EVER),
        lambda fields: fields.report_provenance(dataset(CHAIN), ("a",), EVER),
    ):
        (_, first), (_, later) = once.measure(report), often.measure(report)

        assert (later.rounds, later.requests) == (first.rounds, first.requests)
        assert later.requests <= 4 * (CHAIN + 1)


def test_datasets_of_a_level_share_the_rows_that_a_time_range_may_read():
    table = MemoryTable()
    apply_statements(list(a_chain(4, runs=10)), table)
    range_runs = RunsInRange(GraphView(table), EVER, rows_max=15)

    range_runs.load_datasets([(dataset(1), UP), (dataset(1), DOWN)])
    assert (len(range_runs.written(dataset(1))), len(range_runs.read(dataset(1))), range_runs.truncated) == (7, 7, True)
    range_runs.load_datasets([(dataset(2), DOWN)])
    assert len(range_runs.read(dataset(2))) == 1


@pytest.mark.parametrize(
    "query",
    [
        lambda time_range: mappings(10, time_range),
        lambda time_range: lambda fields: fields.find_detail(dataset(5), ("a",), time_range, "both"),
        lambda time_range: lambda fields: fields.find_paths(dataset(5), ("a",), time_range),
        lambda time_range: lambda fields: fields.list_fields(dataset(5), time_range, current=True),
        lambda time_range: lambda fields: fields.find_operations(dataset(5), ("a",), time_range, "both"),
        lambda time_range: lambda fields: fields.summarize_dataset(dataset(5), time_range, "both"),
        lambda time_range: lambda fields: fields.find_accesses(dataset(5), time_range, levels=3),
        lambda time_range: lambda fields: fields.report_usage(dataset(0), ("a",), time_range),
        lambda time_range: lambda fields: fields.report_provenance(dataset(CHAIN), ("a",), time_range),
    ],
    ids=[
        *("mappings", "operations", "paths", "fields", "whole operations", "relations", "accesses"),
        *("usage", "provenance"),
    ],
)
@pytest.mark.parametrize("run", [0, RUNS - 1], ids=["the first run", "the last run"])
def test_a_window_of_one_run_costs_as_much_among_fifty_as_alone(once, often, query, run):
    (_, alone), (_, among) = once.measure(query(a_window(0))), often.measure(query(a_window(run)))

    assert (among.rounds, among.gets, among.queries, among.items) == (
        alone.rounds,
        alone.gets,
        alone.queries,
        alone.items,
    )
    assert among.bytes <= 1.2 * alone.bytes
