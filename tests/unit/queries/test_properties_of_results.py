"""State is a function of the set of events: in any order of arrival, every result is the model's, byte for byte."""

from hypothesis import given
from hypothesis import strategies as st

from headwater.events.event import Event
from headwater.facts.apply import apply_statements
from headwater.queries.service import LineageQueries
from tests.examples import examples
from tests.unit.facts.strategies import DATASETS, JOBS, TIMES, arrivals, families, streams
from tests.unit.queries.every_query import differences, loaded, results_of, right_results

_WHOLE = 9
_LATER = "2025-11-21T00:00:00.000000Z"


@examples(120)
@given(streams())
def test_every_result_is_the_models(statements):
    assert differences(results_of(loaded(statements)), right_results(statements)) == {}


@examples(120)
@given(st.data())
def test_order_batches_and_repetition_change_no_result(data):
    statements = data.draw(streams())
    table = loaded(*data.draw(arrivals(statements)), changes_max=data.draw(st.sampled_from((0, 1, 5, 100))))
    assert differences(results_of(table), right_results(statements)) == {}


@examples(30)
@given(st.data())
def test_replaying_the_events_into_an_empty_table_or_the_same_one_gives_the_same_results(data):
    statements = data.draw(streams())
    table = loaded(*data.draw(arrivals(statements)))
    before = results_of(table)
    assert differences(results_of(loaded(statements)), before) == {}
    for statement in statements:
        apply_statements([statement], table)
    assert differences(results_of(table), before) == {}


@examples(100)
@given(streams(), st.sampled_from(TIMES))
def test_the_graph_of_a_time_is_that_of_the_events_before_it(statements, time):
    then = LineageQueries(loaded([statement for statement in statements if statement.time < time]))
    now = LineageQueries(loaded(statements))
    # Who the parent of a job is, is no matter of time.
    for node in childless(statements):
        past = now.find_graph(node.node_id, depth=_WHOLE, at=time)
        assert structure_of(past) == structure_of(then.find_graph(node.node_id, depth=_WHOLE))


@examples(100)
@given(streams())
def test_after_the_last_event_the_graph_of_that_time_is_the_present_one(statements):
    queries = LineageQueries(loaded(statements))
    for node in [*JOBS, *DATASETS]:
        past = queries.find_graph(node.node_id, depth=_WHOLE, at=_LATER)
        assert past == queries.find_graph(node.node_id, depth=_WHOLE)


@examples(100)
@given(streams())
def test_the_graph_is_the_same_from_each_of_its_nodes(statements):
    queries, starts = LineageQueries(loaded(statements)), childless(statements)
    for start in starts:
        graph = queries.find_graph(start.node_id, depth=_WHOLE)
        for node in (node for node in nodes_of(graph) if node in starts):
            other = queries.find_graph(node.node_id, depth=_WHOLE)
            assert structure_of(other) == structure_of(graph)


@examples(100)
@given(streams())
def test_a_graph_holds_together_by_what_it_shows_and_shows_nothing_hidden(statements):
    queries = LineageQueries(loaded(statements))
    for start in childless(statements):
        graph = queries.find_graph(start.node_id, depth=_WHOLE)
        if graph is None:
            continue
        shown = {node.node_id for node in nodes_of(graph)}
        first = queries.find_dataset(start).id if start in DATASETS else start
        assert reached(first.node_id, graph.edges) == shown
        assert not any(job.hidden for job in graph.jobs)
        assert not any(dataset.deleted and dataset.lifecycle != "DROP" for dataset in graph.datasets)


@examples(100)
@given(st.data(), st.lists(st.one_of(families(), streams(3)), min_size=1, max_size=3))
def test_the_graph_of_a_job_is_that_of_its_datasets_and_of_its_children_together(data, pieces):
    statements = [statement for piece in pieces for statement in piece]
    queries = LineageQueries(loaded(*([statement] for statement in data.draw(st.permutations(statements)))))
    for job in JOBS:
        graph = queries.find_graph(job.node_id, depth=_WHOLE)
        if graph is None:
            continue
        (own,) = (shown for shown in graph.jobs if shown.id == job)
        children = queries.list_child_jobs(job, limit=100, offset=0).items
        parts = [*own.inputs, *own.outputs, *(child.id for child in children)]
        together = [{(own.id, own.inputs, own.outputs)}, set(), set()]
        for part in filter(None, (queries.find_graph(node.node_id, depth=_WHOLE) for node in parts)):
            together = [known | more for known, more in zip(together, structure_of(part), strict=True)]
        assert structure_of(graph) == tuple(together)


def childless(statements):
    """Return the jobs that no event names as a parent, and the datasets."""
    parents = {statement.parent.job for statement in statements if isinstance(statement, Event) and statement.parent}
    return [*(job for job in JOBS if job not in parents), *DATASETS]


def nodes_of(graph):
    return [node.id for node in (*graph.jobs, *graph.datasets)] if graph else []


def structure_of(graph):
    """Return a graph's nodes and edges in no order, with the properties that decide the state of a job or dataset."""
    if graph is None:
        return None
    jobs = {(job.id, job.inputs, job.outputs) for job in graph.jobs}
    return jobs, {(dataset.id, dataset.stale, dataset.last_written_by) for dataset in graph.datasets}, set(graph.edges)


def reached(start, edges):
    """Every node that edges, either way, lead to."""
    connected, left = {start}, [start]
    while left:
        node = left.pop()
        beside = {far for edge in edges if node in edge for far in edge} - connected
        connected |= beside
        left += beside
    return connected
