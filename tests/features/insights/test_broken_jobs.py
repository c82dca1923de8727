"""Jobs that fail, with the datasets that wait for them: those that the graph walked down from each shows."""

from hypothesis import given
from hypothesis import strategies as st

from headwater.api.values import when
from headwater.events.event import ParentRun
from headwater.features.insights import broken_jobs
from headwater.features.insights.broken_jobs import report_broken
from headwater.queries.service import LineageQueries
from headwater_model.ids import DatasetId, JobId
from tests.examples import examples
from tests.fakes.memory_dynamodb import Calls
from tests.features.insights.newspaper import Newspaper
from tests.runs_model.graph import directed
from tests.unit.facts.statements import A, B, C, X, Y, Z, an_event, at, letters, run_id
from tests.unit.facts.strategies import news_streams, streams
from tests.unit.queries.every_query import loaded

ALL = {"limit": 100, "offset": 0}


@examples(150)
@given(st.one_of(streams(), news_streams()))
def test_a_failing_job_holds_up_what_the_graph_walked_down_from_it_shows(statements):
    broken = report_broken(LineageQueries(loaded(statements)).view(), **ALL)
    jobs = broken["broken"]
    assert {entry["nodeId"]: entry["datasets"] for entry in jobs} == held_up(Newspaper(statements))
    order = [(-entry["datasets"], entry["since"], *entry["data"]["id"].values()) for entry in jobs]
    assert order == sorted(order)
    assert [*broken.values()] == [jobs, len(order), False, False]


def held_up(model):
    """Return the number of datasets below each job that fails, and whose last run failed."""
    failing = [news.of for news in model.list_feed(_AllDays(), kind="JOB_FAILS").items]
    last = {job: model.job(job).latest_run for job in failing}
    return {
        job.node_id: sum(node.startswith("dataset:") for node in directed(model, job.node_id, 20, "down")[0])
        for job in failing
        if last[job].state == "FAILED"
    }


class _AllDays:
    """All days."""

    def __contains__(self, day):
        return True


CHAIN = [
    an_event(1, "a1", A, inputs=[X], outputs=[Y]),
    an_event(2, "b1", B, inputs=[Y], outputs=[Z]),
    an_event(3, "c1", C, outputs=[DatasetId("s3://flights", "alone")]),
]


def a_failure(second, run, job, message=None, **more):
    facets = {"errorMessage": {"message": message}} if message else {}
    return an_event(second, run, job, type="FAIL", run_facets=facets, **more)


def a_copy(number):
    return DatasetId("s3://flights", f"copy {number}")


def of(broken):
    return [
        (entry["data"]["name"], entry["datasets"], letters(entry["runId"]), entry["failedRuns"])
        for entry in broken["broken"]
    ]


def test_what_holds_up_most_comes_first_with_its_failed_runs_and_error():
    stack = "no such column\n" + "\tat org.apache.Frame\n" * 500 + "Caused by: amount was dropped"
    failures = [a_failure(4, "c2", C, outputs=[]), a_failure(5, "a2", A), a_failure(6, "a3", A, stack)]
    broken = report_broken(LineageQueries(loaded([*CHAIN, *failures])).view(), **ALL)
    assert of(broken) == [("A", 2, "a3", 2), ("C", 1, "c2", 1)]
    assert [(entry["since"], entry["error"]) for entry in broken["broken"]] == [
        (when(at(5)), "no such column\nCaused by: amount was dropped"),
        (when(at(4)), None),
    ]


def test_a_page_is_of_the_whole_order(monkeypatch):
    failures = [a_failure(4, "a2", A), a_failure(5, "b2", B), a_failure(6, "c2", C)]
    queries = LineageQueries(loaded([*CHAIN, *failures]))
    page = report_broken(queries.view(), limit=1, offset=1)
    assert (of(page), page["totalCount"]) == ([("B", 1, "b2", 1)], 3)
    monkeypatch.setattr(broken_jobs, "JOBS_MAX", 2)
    page = report_broken(queries.view(), **ALL)
    assert (of(page), page["totalCount"], page["truncated"]) == ([("B", 1, "b2", 1), ("C", 1, "c2", 1)], 2, True)


def test_what_lies_below_all_of_them_is_read_once_and_up_to_a_number(monkeypatch):
    readers = [
        an_event(3, f"{number:02}", JobId("emissions", f"reader {number}"), inputs=[Y], outputs=[a_copy(number)])
        for number in range(20)
    ]
    table = loaded([*CHAIN, *readers, a_failure(30, "a2", A), a_failure(31, "c2", C)])
    assert of(report_broken(LineageQueries(table).view(), **ALL)) == [("A", 22, "a2", 1), ("C", 1, "c2", 1)]
    monkeypatch.setattr(broken_jobs, "BELOW_MAX", 10)
    broken = report_broken(LineageQueries(table).view(), **ALL)
    assert broken["datasetsTruncated"]
    assert broken["broken"][0]["datasets"] < 10


def test_what_the_tasks_of_a_job_make_waits_for_it_and_a_job_of_which_a_task_fails_is_not_broken():
    dag = JobId("emissions", "nightly")
    task = an_event(1, "a1", A, outputs=[Y], parent=ParentRun(run_id("d1"), dag))
    own = LineageQueries(loaded([*CHAIN[1:], task, a_failure(4, "d1", dag)]))
    assert of(report_broken(own.view(), **ALL)) == [("nightly", 2, "d1", 1)]
    failed = a_failure(5, "a2", A, outputs=[Y], parent=ParentRun(run_id("d2"), dag))
    both = LineageQueries(loaded([*CHAIN[1:], failed, a_failure(6, "d2", dag)]))
    assert of(report_broken(both.view(), **ALL)) == [("A", 2, "a2", 1)]


def test_the_children_of_a_failing_run_are_not_read_where_a_job_beyond_the_limit_is_known_to_fail_in_it(monkeypatch):
    monkeypatch.setattr(broken_jobs, "JOBS_MAX", 1)
    dag = JobId("emissions", "nightly")
    parent = ParentRun(run_id("d1"), dag)
    tasks = [an_event(1, f"{n:02}", JobId("emissions", f"task {n}"), parent=parent) for n in range(30)]
    table = loaded([*tasks, a_failure(5, "a1", A, parent=parent), a_failure(6, "d1", dag)])
    table.dynamo.calls = calls = Calls()
    assert of(report_broken(LineageQueries(table).view(), **ALL)) == []
    assert calls.items < 30
