"""The children of jobs and runs: what names them as its parent, as its last event with a parent has it."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from headwater.events.event import ParentRun
from headwater.facts.visibility import Visibility
from headwater.queries.graphs import edges
from headwater.queries.runs import runs as run_queries
from headwater.queries.service import LineageQueries
from headwater_model.ids import JobId
from tests.examples import examples
from tests.fakes.memory_dynamodb import Calls
from tests.runs_model import Model
from tests.runs_model.results import rendered
from tests.unit.facts.statements import A, B, C, X, an_event, run_id
from tests.unit.facts.strategies import JOBS, RUNS, families, streams
from tests.unit.queries.every_query import loaded

PAGE = {"limit": 100, "offset": 0}
OF_A, OF_C = ParentRun(run_id("a1"), A), ParentRun(run_id("c1"), C)


@st.composite
def views(draw):
    """Draw the view of a caller who may read some of the namespaces of `JOBS`, by name or by a pattern."""
    names = draw(st.sets(st.sampled_from(sorted({job.namespace for job in JOBS})), min_size=1))
    patterns = [name[:3] + "*" if draw(st.booleans()) else name for name in sorted(names)]
    return Visibility(names.__contains__, patterns, strict=draw(st.booleans()))


@examples(200)
@given(st.data(), views())
def test_a_caller_is_shown_the_children_in_the_namespaces_that_it_may_read(data, view):
    statements = data.draw(st.lists(st.one_of(families(), streams(2)), min_size=1, max_size=3))
    statements = [statement for piece in statements for statement in piece]
    one_by_one = [[statement] for statement in data.draw(st.permutations(statements))]
    queries = LineageQueries(loaded(*one_by_one)).seen_by(view)
    model = Model(statements).seen_by(view)
    for job in filter(view.sees, JOBS):
        assert rendered(queries.list_child_jobs(job, **PAGE)) == rendered(model.list_child_jobs(job))
    for run in RUNS:
        assert rendered(queries.list_child_runs(run, **PAGE)) == rendered(model.list_child_runs(run))


def many(number, namespace):
    """Return the events of so many jobs of a namespace, each with a run of the parent `A`."""
    return [
        replace(an_event(place, f"{place:02}", JobId(namespace, f"task-{place:02}")), parent=OF_A)
        for place in range(number)
    ]


def test_no_more_children_are_read_than_the_limit_and_the_list_says_that_there_are_more(monkeypatch):
    monkeypatch.setattr(edges, "CHILD_JOBS_MAX", 5)
    monkeypatch.setattr(run_queries, "CHILDREN_MAX", 5)
    table = loaded(many(30, A.namespace))
    table.dynamo.calls = calls = Calls()
    jobs = LineageQueries(table).list_child_jobs(A, limit=2, offset=1)
    assert ([child.id.name for child in jobs.items], jobs.total, jobs.truncated) == (["task-01", "task-02"], 5, True)
    assert calls.items < 40

    table.dynamo.calls = calls = Calls()
    runs = LineageQueries(table).list_child_runs(run_id("a1"), in_short=True, limit=2, offset=1)
    assert ([run.job.name for run in runs.items], runs.total, runs.truncated) == (["task-28", "task-27"], 5, True)
    assert calls.items <= 14


def test_children_of_other_namespaces_leave_out_none_of_the_parents_own(monkeypatch):
    monkeypatch.setattr(edges, "CHILD_JOBS_MAX", 5)
    monkeypatch.setattr(run_queries, "CHILDREN_MAX", 5)
    table = loaded([*many(20, "aaa"), *many(20, "zzz"), *many(3, A.namespace)])
    mine = Visibility({A.namespace, "zzz"}.__contains__, (A.namespace, "zzz"))
    for queries, least in ((LineageQueries(table), 3), (LineageQueries(table).seen_by(mine), 8)):
        listed = queries.list_child_jobs(A, **PAGE)
        assert listed.truncated
        assert listed.total >= least
        assert sum(child.id.namespace == A.namespace for child in listed.items) == 3


def test_a_strict_deployment_begins_the_graph_of_a_job_with_the_tasks_that_the_caller_may_read():
    queries = LineageQueries(loaded([an_event(1, "b1", B, outputs=[X], parent=OF_A), *many(1, "zzz")]))
    for strict, tasks in ((True, {A, B}), (False, {A, B, JobId("zzz", "task-00")})):
        mine = queries.seen_by(Visibility({A.namespace, X.namespace}.__contains__, (A.namespace,), strict=strict))
        assert {child.id for child in mine.find_graph(A.node_id, depth=9).jobs} == tasks
