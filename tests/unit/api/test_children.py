"""A DAG and its tasks: who started what, by job and by run, as pages."""

import pytest

from tests.builders_events import a_run_event
from tests.unit.api.graph_api import GraphApi, at

DAG_RUN = "01941f29-7c00-7ea7-b5a3-0000000000aa"
DAG = f"/namespaces{at('airflow', 'jobs', 'nightly')}"
TASKS = (("nightly.load", 1, "COMPLETE"), ("nightly.check", 2, "FAIL"), ("nightly.report", 3, "START"))


def a_task(name, number, kind):
    """Return an event of a task's run, which names the run of its DAG; the DAG itself sends none."""
    parent = {"run": {"runId": DAG_RUN}, "job": {"namespace": "airflow", "name": "nightly"}}
    of_run = {"run": f"01941f29-7c00-7ea7-b5a3-{number:012}", "eventTime": f"2025-11-20T12:0{number}:00Z"}
    return a_run_event(eventType=kind, job=name, namespace="airflow", run_facets={"parent": parent}, **of_run)


@pytest.fixture(scope="module")
def api():
    return GraphApi(*(a_task(*task) for task in TASKS))


def test_the_tasks_of_a_dag_are_listed_with_the_state_of_their_last_run(api):
    listed = api.found(f"{DAG}/children")
    assert [(job["name"], job["simpleName"], job["latestRun"]["state"]) for job in listed["jobs"]] == [
        ("nightly.check", "check", "FAILED"),
        ("nightly.load", "load", "COMPLETED"),
        ("nightly.report", "report", "RUNNING"),
    ]
    assert (listed["totalCount"], listed["truncated"]) == (3, False)
    assert [run["state"] for run in listed["jobs"][0]["latestRuns"]] == ["FAILED"]

    page = api.found(f"{DAG}/children", limit="1", offset="1", form="summary")
    assert (page["totalCount"], page["truncated"]) == (3, False)
    (short,) = page["jobs"]
    assert (short["name"], short["parentJobName"], "facets" in short) == ("nightly.load", "nightly", False)
    assert short == api.found("/jobs", form="summary", limit="1", offset="2")["jobs"][0]


def test_failed_tasks_come_first_over_all_pages(api):
    listed = [api.found(f"{DAG}/children", sort="state", limit="1", offset=str(page))["jobs"][0] for page in range(3)]
    assert [job["simpleName"] for job in listed] == ["check", "report", "load"]


def test_the_runs_of_a_dags_run_are_listed_the_last_started_first(api):
    listed = api.found(f"/jobs/runs{at(DAG_RUN)}/children")
    names = [("nightly.report", "RUNNING"), ("nightly.check", "FAILED"), ("nightly.load", "COMPLETED")]
    assert [(run["job"]["name"], run["state"]) for run in listed["runs"]] == names
    assert (listed["totalCount"], listed["truncated"]) == (3, False)

    page = api.found(f"/jobs/runs{at(DAG_RUN)}/children", limit="1", offset="1", form="summary")
    (short,) = page["runs"]
    assert (short["job"], short["state"]) == ({"namespace": "airflow", "name": "nightly.check"}, "FAILED")
    assert (page["totalCount"], "facets" in short) == (3, False)


def test_a_task_has_no_children_and_an_unknown_parent_is_not_found(api):
    empty = {"totalCount": 0, "truncated": False}
    assert api.found(f"/namespaces{at('airflow', 'jobs', 'nightly.load')}/children") == {"jobs": [], **empty}
    assert api.found(f"/jobs/runs{at(listed_run(api))}/children") == {"runs": [], **empty}
    assert api.get(f"/namespaces{at('airflow', 'jobs', 'weekly')}/children") == (
        404,
        {"code": 404, "message": "Job 'weekly' not found."},
    )
    assert api.get("/jobs/runs/none/children") == (404, {"code": 404, "message": "Run 'none' not found."})


def listed_run(api):
    return api.found(f"/jobs/runs{at(DAG_RUN)}/children")["runs"][0]["id"]
