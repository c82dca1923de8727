"""The cost of queries of columns: by the datasets on the path alone, not by the number of runs.

Each alias (symlink) of a dataset costs a query of its own.
"""

from dataclasses import replace

import pytest

from headwater.events.event import ParentRun
from headwater.facts.visibility import Visibility
from headwater.queries.runs import input_versions
from headwater_model.ids import DatasetId, JobId
from tests.unit.facts.strategies import stamped
from tests.unit.queries.columns.counting import (
    CHAIN,
    LAKE,
    RUNS,
    Counter,
    a_chain,
    a_run,
    dataset,
    field_node,
    minute,
    run_id,
    version_of,
)


def up(depth, **selectors):
    return lambda fields: fields.find_columns(field_node(CHAIN), depth=depth, **selectors)


def up_of(number):
    return lambda fields: fields.find_columns(field_node(number), depth=20)


def down(depth, **selectors):
    return lambda fields: fields.find_columns(field_node(0), depth=depth, downstream=True, **selectors)


def up_from_version(depth, run):
    version = version_of(CHAIN, run * CHAIN + CHAIN - 1)
    return lambda fields: fields.find_columns(field_node(CHAIN, version=f"#{version}"), depth=depth)


@pytest.mark.parametrize("hops", [0, 1, 2, 5, CHAIN])
@pytest.mark.parametrize(
    ("history", "query", "rounds", "requests"),
    [
        pytest.param("once", up, (1, 6), (4, 8), id="up, with the version read"),
        pytest.param("once", down, (1, 5), (5, 6), id="down, with the version read"),
        pytest.param("often", lambda hops: up_from_version(hops, RUNS - 1), (3, 6), (4, 7), id="between versions"),
        pytest.param("often", lambda hops: up(hops, at=minute(9_000)), (3, 9), (4, 13), id="up, as of a time"),
        pytest.param("often", lambda hops: down(hops, at=minute(9_000)), (5, 9), (10, 12), id="down, as of a time"),
    ],
)
def test_each_hop_costs_so_many_rounds_and_requests(request, hops, history, query, rounds, requests):
    """`rounds` and `requests` are those of a hop, and those of the start."""
    graph, cost = request.getfixturevalue(history).measure(query(hops))

    assert len(graph.columns) == 1 + hops
    assert cost.rounds <= rounds[0] * hops + rounds[1]
    assert cost.requests <= requests[0] * hops + requests[1]


def test_a_way_up_reads_nothing_of_the_other_readers_of_its_sources():
    copy, readers = a_run(0, "copy", dataset(0), dataset(1)), range(1, 301)
    others = [a_run(number, f"reader-{number}", dataset(0), dataset(1 + number)) for number in readers]
    alone, among = (Counter([copy, *others_of_run]).measure(up_of(1)) for others_of_run in ((), others))

    assert [column.dataset for column in among[0].columns] == [dataset(1), dataset(0)]
    assert (among[1].rounds, among[1].requests, among[1].items) == (
        alone[1].rounds,
        alone[1].requests,
        alone[1].items,
    )


@pytest.mark.parametrize("columns", [("a",), ()], ids=["of its columns", "without columns"])
@pytest.mark.parametrize(
    "query",
    [
        lambda fields: fields.find_columns(field_node(0), depth=5, downstream=True),
        lambda fields: fields.report_column_impact(field_node(0), depth=5),
        lambda fields: fields.find_graph(dataset(0).node_id, depth=5),
        lambda fields: fields.report_impact(dataset(0).node_id, depth=5),
    ],
    ids=["columns", "impact of a column", "graph", "impact"],
)
def test_readers_of_other_namespaces_cost_whoever_may_not_see_them_few_requests(query, columns):
    """They are shown by their ids, with nothing behind them: a request has a hundred."""
    ours = a_run(0, "copy", dataset(0), dataset(1))
    readers = [
        replace(
            a_run(number, f"reader-{number}", dataset(0), DatasetId("s3://theirs", f"d-{number}"), columns=columns),
            job=JobId("theirs", f"reader-{number}"),
        )
        for number in range(1, 16)
    ]
    visibility = Visibility(lambda namespace: "theirs" not in namespace, ["pipelines", LAKE], strict=True)
    (_, alone), (_, among) = (
        Counter(events).measure(lambda fields: query(fields.seen_by(visibility)))
        for events in ([ours], [ours, *map(stamped, readers)])
    )
    assert among.requests <= alone.requests + 6


def test_a_dataset_with_its_columns_takes_four_rounds_and_eight_requests(often):
    def query(queries):
        together = queries.together()
        return together.find_dataset(dataset(5)), together.columns_of([dataset(5)])

    (described, columns), cost = often.measure(query)

    assert (described.id, len(columns[dataset(5)].columns)) == (dataset(5), 2)
    assert cost.rounds <= 4
    assert cost.requests <= 8


def test_a_list_of_datasets_with_their_columns_takes_two_requests_each_and_few_rounds():
    runs = [a_run(number, f"job-{number}", dataset(number), dataset(number + 1)) for number in range(30)]

    def query(queries):
        together = queries.together()
        page = together.list_datasets(LAKE, limit=20, offset=0)
        return page, together.columns_of([listed.id for listed in page.items])

    (page, columns), cost = Counter(runs).measure(query)

    assert (len(page.items), len(columns), page.total) == (20, 20, 31)
    assert cost.rounds <= 6
    # The names of eight partitions; the columns of a page.
    assert cost.requests <= 2 * 20 + 15


@pytest.mark.parametrize(
    ("query", "sources"),
    [
        (up(2), 3),
        (up(20), CHAIN),
        (down(20), CHAIN),
        (lambda fields: fields.find_columns(dataset(5).node_id, depth=20, downstream=True), CHAIN),
        (lambda fields: fields.columns_of([dataset(5)]), 0),
    ],
    ids=["up, depth 2", "up, depth 20", "down, depth 20", "a dataset both ways", "a dataset's resource"],
)
def test_the_present_costs_after_fifty_runs_as_after_one_but_for_a_row_a_source(once, often, query, sources):
    """The newest version of a source may be younger than its reader: then the row before it is read as well."""
    (_, first), (_, later) = once.measure(query), often.measure(query)

    assert (later.rounds, later.gets, later.queries) == (first.rounds, first.gets, first.queries)
    assert first.items <= later.items <= first.items + sources
    assert later.bytes <= 1.2 * first.bytes


@pytest.mark.parametrize(
    "query",
    [up(20, at=minute(CHAIN)), up_from_version(20, 0), down(20, at=minute(CHAIN))],
    ids=["as of a time", "of a version", "downstream as of a time"],
)
def test_the_past_costs_as_much_whatever_happened_since(once, often, query):
    (_, then), (_, now) = once.measure(query), often.measure(query)

    assert (now.rounds, now.gets, now.queries, now.items) == (then.rounds, then.gets, then.queries, then.items)
    assert now.bytes <= 1.25 * then.bytes  # a job's row notes the runs of its last batch


def test_a_wide_set_costs_as_few_requests_as_a_narrow_one():
    """A set of 200 copied columns takes as many rows as a set of two."""

    def requested(width):
        columns = tuple(f"c-{number}" for number in range(width))
        run = a_run(0, "job", dataset(0), dataset(1), by_operations=True, columns=columns)
        return Counter([run]).measure(lambda fields: fields.find_columns(dataset(1).node_id, depth=1, downstream=True))

    (few, narrow), (many, wide) = requested(2), requested(200)

    assert (len(few.columns), len(many.columns)) == (4, 400)
    assert (wide.rounds, wide.requests, wide.items) == (narrow.rounds, narrow.requests, narrow.items)


@pytest.mark.parametrize(("at", "most", "spared"), [(None, 1_000, 7), (minute(20), 1_000, 0), (None, 5, -1)])
def test_the_versions_read_by_many_runs_of_a_parent_cost_a_query_and_are_those_of_a_query_each(
    monkeypatch, at, most, spared
):
    dag = ParentRun(run_id(999), JobId("airflow", "nightly"))

    def written(number, target, **more):
        event = a_run(50 + number, f"late-{number}", dataset(99), dataset(target))
        return stamped(replace(event, time=minute(number).replace(":00.", ":30."), **more))

    # Half a minute before a reader starts, a stranger writes d-3, a second sibling d-5, and d-7 the parent itself.
    writers = [written(2, 3), written(4, 5, parent=dag), written(6, 7, parent=dag, run=dag.run, job=dag.job)]
    chain = [stamped(replace(run, parent=dag)) for run in a_chain(CHAIN)]
    # The facts name nine writers of d-3 at most, from `a-0` on: the sibling is none of them.
    later = [a_run(100 + number, f"a-{number}", dataset(99), dataset(3)) for number in range(9)]
    counter = Counter([*chain, *writers, *later])

    columns = lambda fields: fields.find_columns(field_node(CHAIN), depth=CHAIN, downstream=True, at=at)  # noqa: E731
    monkeypatch.setattr(input_versions, "CHILDREN_MAX", most)
    shared, cost = counter.measure(columns)
    monkeypatch.setattr(input_versions, "MANY_READS", 1_000)
    alone, each_cost = counter.measure(columns)

    assert shared == alone
    assert version_of(3, 2) in {source.read_version for column in shared.columns for source in column.inputs}
    assert each_cost.queries - cost.queries == spared
