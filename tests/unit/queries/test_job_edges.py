"""Edges between jobs: of data that no dataset holds, and of control, which lead on where they are wanted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.facts import job_edges
from headwater.facts.job_edges import JOB_DEPENDENCIES
from headwater.facts.lattice import JOBS_MAX
from headwater.queries.results.graphs import Dependency
from headwater.queries.service import LineageQueries
from headwater_model.ids import JobId
from tests.examples import examples
from tests.runs_model import Model
from tests.runs_model.graph import dependencies, directed
from tests.unit.facts.statements import A, B, C, X, an_event, nodes
from tests.unit.facts.strategies import DATASETS, JOBS, TIMES, arrivals, linked_streams
from tests.unit.queries.every_query import loaded

KINDS = ("DATA", "CONTROL")


@examples(200)
@given(
    st.data(), st.sampled_from(("both", "up", "down", "through")), st.booleans(), st.sampled_from((None, *TIMES[1:]))
)
def test_every_graph_is_the_models_whatever_jobs_its_edges_join(data, direction, with_control, at):
    statements = data.draw(linked_streams())
    queries = LineageQueries(loaded(*data.draw(arrivals(statements))))
    model = Model(statements) if at is None else Model([statement for statement in statements if statement.time < at])
    depth, fold = data.draw(st.sampled_from((0, 1, 9))), data.draw(st.sampled_from((None, 9)))
    for node in [*JOBS, *DATASETS]:
        how = {"depth": depth, "direction": direction, "fold": fold, "at": at}
        graph = queries.find_graph(node.node_id, dependencies=with_control, **how)
        right = directed(model, node.node_id, depth, direction, None, KINDS if with_control else KINDS[:1])
        assert (graph is None) == (right is None)
        if graph is not None:
            shown = {shown_node.id.node_id for shown_node in (*graph.jobs, *graph.datasets)}
            assert (shown, set(graph.edges)) == right[:2]
            assert (graph.dependencies is not None) == with_control
            control = {(dependency.origin, dependency.destination) for dependency in graph.dependencies or ()}
            assert control == (dependencies(model, shown) if with_control else set())


@examples(60)
@given(linked_streams(), st.sampled_from((*JOBS, *DATASETS)))
def test_the_impact_is_what_lies_on_ways_down_from_the_start(statements, node):
    report = LineageQueries(loaded(statements)).report_impact(node.node_id, depth=9)
    right = directed(Model(statements), node.node_id, 9, "down")
    if right is not None:
        assert {report.node_id, *(impacted.node.id.node_id for impacted in report.impacted)} == right[0]


def jobs(*ids):
    return [{"job": {"namespace": job.namespace, "name": job.name}} for job in ids]


def control(second, run, job, **sides):
    return an_event(
        second, run, job, run_facets={JOB_DEPENDENCIES: {side: jobs(*others) for side, others in sides.items()}}
    )


def test_jobs_that_share_no_dataset_are_connected_by_control_where_that_is_wanted():
    rules = {"dependency_type": "IMPLICIT_DEPENDENCY", "sequence_trigger_rule": "FINISH_TO_START"}
    upstream = [{**jobs(A)[0], **rules, "status_trigger_rule": "EXECUTE_ON_SUCCESS"}]
    triggered = an_event(2, "b1", B, run_facets={JOB_DEPENDENCIES: {"upstream": upstream}})
    queries = LineageQueries(loaded([an_event(1, "a1", A, outputs=[X]), triggered, an_event(3, "c1", C)]))

    for start in (A, B, X):
        graph = queries.find_graph(start.node_id, depth=9, dependencies=True)
        assert nodes(graph) == "ABX"
        assert graph.dependencies == (
            Dependency(A.node_id, B.node_id, "IMPLICIT_DEPENDENCY", "FINISH_TO_START", "EXECUTE_ON_SUCCESS"),
        )
        assert graph.edges == ((A.node_id, X.node_id),)
    assert nodes(queries.find_graph(B.node_id, depth=9)) == "B"


def taking(*sources):
    """Return the facets of a job that takes the data of these jobs, without a dataset."""
    inputs = [{"type": "JOB", "namespace": source.namespace, "name": source.name} for source in sources]
    return {"lineage": {"entries": [{"type": "JOB", "inputs": inputs}]}}


def sourced(second, run, job, *sources, **more):
    """Return an event of a run that takes the data of these jobs."""
    return an_event(second, run, job, job_facets=taking(*sources), **more)


MANY = [JobId("emissions", f"job-{number:03}") for number in range(JOBS_MAX + 1)]


@pytest.mark.parametrize(("number", "truncated"), [(JOBS_MAX, False), (JOBS_MAX + 1, True)])
def test_a_graph_with_more_edges_of_one_job_than_its_node_lists_says_that_it_is_cut(number, truncated):
    readers = MANY[:number]
    own = [an_event(1, f"{place:02}", job) for place, job in enumerate(readers)]
    widely_read = loaded(
        [*own, an_event(1, "b1", B), *(sourced(2, f"{place:02}", job, B) for place, job in enumerate(readers))]
    )
    reading_much = loaded([*own, sourced(2, "b1", B, *readers)])
    for table in (widely_read, reading_much):
        graph = LineageQueries(table).find_graph(B.node_id, depth=1)
        assert ({job.id for job in graph.jobs}, graph.truncated) == ({B, *readers[:JOBS_MAX]}, truncated)
    # At the border no one looks who else reads the job.
    assert not LineageQueries(widely_read).find_graph(B.node_id, depth=0).truncated


def test_a_graph_with_more_dependencies_than_one_event_may_list_says_that_it_is_cut(monkeypatch):
    monkeypatch.setattr(job_edges, "REPORTED_MAX", 2)
    for number, truncated in ((2, False), (3, True)):
        events = [*(an_event(0, f"{place:02}", job) for place, job in enumerate(MANY[:3]))]
        queries = LineageQueries(loaded([*events, control(1, "b1", B, upstream=MANY[:number])]))
        graph = queries.find_graph(B.node_id, depth=1, dependencies=True)
        assert ({job.id for job in graph.jobs}, graph.truncated) == ({B, *MANY[:2]}, truncated)
