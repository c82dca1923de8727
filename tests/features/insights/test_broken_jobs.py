"""Jobs that fail, with the datasets that wait for them: those that the graph walked down from each shows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.api.values import when
from headwater.events.event import ParentRun
from headwater.facts.visibility import Visibility
from headwater.features.insights import broken_jobs, feed
from headwater.features.insights.broken_jobs import report_broken
from headwater.queries.runs import failing_jobs
from headwater.queries.service import LineageQueries
from headwater_model.ids import DatasetId, JobId
from tests.examples import examples
from tests.features.insights.newspaper import Newspaper
from tests.runs_model.graph import directed
from tests.unit.facts.statements import A, B, C, X, Y, Z, an_event, at, letters, run_id
from tests.unit.facts.strategies import explicit, news_streams, streams
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


def test_a_job_without_a_good_run_is_broken_however_often_it_failed(monkeypatch):
    monkeypatch.setattr(failing_jobs, "RUNS_MAX", 3)
    failures = [a_failure(second, f"c{second}", C) for second in range(4, 8)]
    queries = LineageQueries(loaded([an_event(1, "a1", A), *failures]))
    (broken,) = report_broken(queries.view(), **ALL)["broken"]
    assert (broken["failedRuns"], broken["failsLonger"], broken["since"]) == (3, True, when(at(5)))
    assert feed.list_feed(["2025-11-20"], queries.view(), kind="JOB_FAILS", **ALL).items == []


def test_what_the_tasks_of_a_job_make_waits_for_it_and_a_job_of_which_a_task_fails_is_not_broken():
    dag = JobId("emissions", "nightly")
    task = an_event(1, "a1", A, outputs=[Y], parent=ParentRun(run_id("d1"), dag))
    own = LineageQueries(loaded([*CHAIN[1:], task, a_failure(4, "d1", dag)]))
    assert of(report_broken(own.view(), **ALL)) == [("nightly", 2, "d1", 1)]
    failed = a_failure(5, "a2", A, outputs=[Y], parent=ParentRun(run_id("d2"), dag))
    both = LineageQueries(loaded([*CHAIN[1:], failed, a_failure(6, "d2", dag)]))
    assert of(report_broken(both.view(), **ALL)) == [("A", 2, "a2", 1)]


def test_two_jobs_before_a_third_hold_up_what_that_makes_of_their_own_datasets():
    of_x, of_y = a_copy(1), a_copy(2)
    both = explicit(an_event(2, "c1", C, inputs=[X, Y], outputs=[of_x, of_y]), {(0, 0), (1, 1)})
    makers = [an_event(1, "a1", A, outputs=[X]), an_event(1, "b1", B, outputs=[Y])]
    failures = [a_failure(4, "a2", A), a_failure(5, "b2", B)]
    broken = report_broken(LineageQueries(loaded([*makers, both, *failures])).view(), **ALL)
    assert of(broken) == [("A", 2, "a2", 1), ("B", 2, "b2", 1)]


def test_an_owner_has_the_jobs_of_its_own():
    owned = {"ownership": {"owners": [{"name": "team:flights"}]}}
    failures = [a_failure(4, "a2", A, job_facets=owned), a_failure(5, "b2", B)]
    queries = LineageQueries(loaded([*CHAIN, *failures]))
    assert of(report_broken(queries.view(), owner="Team:Flights", **ALL)) == [("A", 2, "a2", 1)]
    assert of(report_broken(queries.view(), owner="team:else", **ALL)) == []


def test_a_caller_has_the_jobs_that_it_sees():
    other = JobId("elsewhere", "job")
    queries = LineageQueries(loaded([a_failure(4, "a1", A), a_failure(5, "d1", other)]))
    seen = queries.seen_by(Visibility(lambda name: name == "emissions", ["emissions"]))
    assert of(report_broken(seen.view(), **ALL)) == [("A", 0, "a1", 1)]


@pytest.mark.parametrize("state", ["COMPLETE", "ABORT"])
def test_a_job_that_does_not_fail_is_not_broken(state):
    queries = LineageQueries(loaded([a_failure(4, "a1", A), an_event(5, "a2", A, type=state)]))
    assert of(report_broken(queries.view(), **ALL)) == []
