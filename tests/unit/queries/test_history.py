"""The history of a graph: with the changes in between, the graph of a time becomes the graph of a later time."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.events.event import DatasetUse
from headwater.queries.graphs import history, job_graph
from headwater.queries.service import LineageQueries
from headwater.queries.view.descriptions import schema_of
from headwater.times import just_after
from headwater_model.errors import TooLarge
from tests.examples import examples
from tests.fakes.memory_dynamodb import Calls
from tests.fields_model import FieldModel
from tests.runs_model import Model
from tests.runs_model.graph import directed
from tests.runs_model.schemas import dataset_facets
from tests.unit.facts.statements import X
from tests.unit.facts.strategies import DATASETS, JOBS, TIMES, declared_streams, streams
from tests.unit.queries.columns.every_column_query import is_remembered
from tests.unit.queries.every_query import loaded
from tests.unit.queries.test_graph_cost import a_chain, a_table

DIRECTIONS = ("both", "up", "down", "through")
NODES = [node.node_id for node in (*JOBS, *DATASETS)]
EVER = (TIMES[0], just_after(TIMES[-1]))


def model_state(model, node, depth, direction, time):
    """Compute the nodes, edges and columns of the graph as of a time, by the model."""
    model = model.before(time)
    graph = directed(model, node, depth, direction)
    if graph is None:
        return set(), set(), {}
    nodes, edges, _ = graph
    columns = {
        (dataset.node_id, path): kind
        for dataset in model.statements.datasets
        if dataset.node_id in nodes
        for path, kind in schema_of(dataset_facets(model.statements, dataset)).types.items()
    }
    return nodes, edges, columns


def applied(state, change):
    """Apply a change to a state."""
    nodes, edges, columns = state
    assert nodes.isdisjoint(change.added_nodes)
    assert nodes.issuperset(change.removed_nodes)
    assert edges.isdisjoint(change.added_edges)
    assert edges.issuperset(change.removed_edges)
    kept = {
        column: kind
        for column, kind in columns.items()
        if column not in {_key(gone) for gone in change.removed_columns}
    }
    assert len(columns) - len(kept) == len(change.removed_columns)
    for column in change.retyped_columns:
        assert kept[_key(column)] == column.before != column.type
    new = {_key(column): column.type for column in change.added_columns}
    assert not kept.keys() & new.keys()
    kept |= new | {_key(column): column.type for column in change.retyped_columns}
    return (
        (nodes - {*change.removed_nodes}) | {*change.added_nodes},
        (edges - {*change.removed_edges}) | {*change.added_edges},
        kept,
    )


def _key(column):
    return column.dataset.node_id, tuple(column.name.split("."))


@pytest.fixture(scope="module")
def often():
    """A chain of ten jobs after 30 runs of each; the 21st run of the fifth reads a further dataset."""
    events = list(a_chain(10, runs=30))
    events[204] = replace(events[204], inputs=(*events[204].inputs, DatasetUse(X)))
    return a_table(events)


def history_of(table, node, start, end, **how):
    """Report the history of a graph, with its cost in rounds and requests."""
    table.calls.clear()
    table.dynamo.calls = calls = Calls()
    history = LineageQueries(table).report_history(node, depth=20, direction="both", start=start, end=end, **how)
    return history, table.rounds, calls.requests["BatchGetItem"] + calls.requests["Query"]


def test_a_history_costs_a_graph_for_each_change_and_not_for_each_run(often):
    node = "job:pipelines:job-0004"
    history, rounds, requests = history_of(often, node, "2025-11-20T12:00:00.000150Z", "2025-11-21")
    quiet, quiet_rounds, quiet_requests = history_of(often, node, "2025-11-20T12:00:00.000220Z", "2025-11-21")

    assert [change.time for change in history.changes] == [f"2025-11-20T12:00:00.{at:06}Z" for at in (204, 214)]
    assert [(change.added_nodes, change.removed_nodes) for change in history.changes] == [
        ((X.node_id,), ()),
        ((), (X.node_id,)),
    ]
    assert [[run for _, run in change.causes] for change in history.changes] == [
        [f"00000000-0000-0000-0000-{number:012}"] for number in (204, 214)
    ]
    assert quiet.changes == []
    # The start's graph costs about as much as a change's: eleven datasets and ten jobs, ten hops wide.
    assert rounds <= 55
    assert requests <= 130
    assert quiet_rounds <= 28
    assert quiet_requests <= 70


def test_a_history_of_more_changes_than_a_response_has_goes_on_where_it_stopped(monkeypatch):
    table = a_table(a_chain(3))
    node, end = "job:pipelines:job-0001", "2025-11-21T00:00:00.000000Z"
    whole, _, _ = history_of(table, node, "2025-11-20", end)
    monkeypatch.setattr(history, "CHANGES_MAX", 1)
    changes, start = [], "2025-11-20"
    while start < end:
        page, _, _ = history_of(table, node, start, end)
        assert len(page.changes) <= 1
        changes, start = [*changes, *page.changes], page.until

    assert [[job.name for job, _ in change.causes] for change in whole.changes] == [["job-0001"], ["job-0002"]]
    assert changes == whole.changes


def test_more_than_a_graph_holds_is_refused(monkeypatch):
    monkeypatch.setattr(job_graph, "NODES_MAX", 3)
    with pytest.raises(TooLarge, match="depth"):
        history_of(a_table(a_chain(3)), "job:pipelines:job-0001", "2025-11-21", "2025-11-22")


@examples(100)
@given(streams().filter(is_remembered), st.sampled_from(DIRECTIONS), st.sampled_from((0, 1, 9)))
def test_the_graph_of_a_time_with_the_changes_since_is_that_of_a_later_time(statements, direction, depth):
    check_changes(LineageQueries(loaded(statements)), Model(statements), direction, depth)


@examples(60)
@given(declared_streams().filter(is_remembered), st.sampled_from(DIRECTIONS), st.sampled_from((0, 1, 9)))
def test_what_datasets_are_declared_to_be_made_of_has_a_history_too(statements, direction, depth):
    check_changes(LineageQueries(loaded(statements)), FieldModel(statements).runs, direction, depth)


def check_changes(queries, model, direction, depth):
    """Compare the graph of each time to the first graph with the changes since."""
    for node in NODES:
        history = queries.report_history(node, depth=depth, direction=direction, start=EVER[0], end=EVER[1])
        if history is None:
            continue
        assert history.until == EVER[1]
        state = model_state(model, node, depth, direction, EVER[0])
        changes = {change.time: change for change in history.changes}
        assert list(changes) == sorted(changes)
        assert len(changes) == len(history.changes)
        for time in TIMES:
            then = model_state(model, node, depth, direction, just_after(time))
            assert (time in changes) == (then != state)
            state = applied(state, changes[time]) if time in changes else state
            assert state == then
