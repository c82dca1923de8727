"""The report on jobs that fail, over the API."""

import pytest

from tests.builders_events import CALCULATE, CHECK, a_facet, a_run_event
from tests.unit.api.document_examples import JOBS, example
from tests.unit.api.graph_api import GraphApi
from tests.unit.api.test_marquez_routes import CHECK_JOB, PIPELINE

OWNED = {"ownership": a_facet("OwnershipJob", owners=[{"name": "team:flights"}])}
FAILED_RUNS = [f"01941f29-7c00-7ea7-b5a3-0000000000f{number}" for number in (1, 2)]


def a_failure(run, day, job=CHECK, message=None, **more):
    facets = {"errorMessage": a_facet("ErrorMessageRun", message=message, programmingLanguage="JAVA")}
    return a_run_event(
        run=run, job=job, eventType="FAIL", eventTime=f"2025-12-{day}T12:00:00Z", inputs=[], outputs=[],
        run_facets=facets if message else {}, **more,
    )  # fmt: skip


@pytest.fixture(scope="module")
def api():
    api = GraphApi(*PIPELINE)
    api.load(a_failure(FAILED_RUNS[0], "01"))
    api.load(a_failure(FAILED_RUNS[1], "02", message="no such column\n\tat a.Frame(A.java:1)", job_facets=OWNED))
    api.load(a_failure("01941f29-7c00-7ea7-b5a3-0000000000f3", "01", job=CALCULATE))
    return api


def test_a_failing_job_says_since_when_why_and_how_many_datasets_wait_for_it(api):
    report = api.found("/reports/broken")
    first = report["broken"][0]
    assert (first["nodeId"], first["datasets"], first["failedRuns"], first["failsLonger"]) == (CHECK_JOB, 3, 2, False)
    assert (first["since"], first["runId"]) == ("2025-12-01T12:00:00Z", FAILED_RUNS[1])
    assert first["error"] == "no such column"
    assert (first["data"]["latestRun"]["state"], first["data"]["owners"][0]["name"]) == ("FAILED", "team:flights")
    assert [(entry["data"]["name"], entry["datasets"]) for entry in report["broken"]] == [(CHECK, 3), (CALCULATE, 1)]
    assert (report["totalCount"], report["truncated"], report["datasetsTruncated"]) == (2, False, False)


def test_the_example_is_the_report_of_a_job_that_failed_once():
    api = GraphApi()
    estimate = {"job": "emissions.estimate", "namespace": JOBS, "inputs": [], "outputs": []}
    api.load(
        a_run_event(**{**estimate, "outputs": ["estimated"]}, eventTime="2025-11-20T13:00:00Z"),
        a_run_event(
            **estimate,
            run=FAILED_RUNS[0],
            eventType="FAIL",
            eventTime="2025-11-21T13:00:00Z",
            run_facets={"errorMessage": a_facet("ErrorMessageRun", message="no such column: seats")},
        ),
    )
    assert api.found("/reports/broken") == example("BrokenReport")


def test_it_is_paged_and_of_an_owner(api):
    assert [entry["data"]["name"] for entry in api.found("/reports/broken", limit=1, offset=1)["broken"]] == [CALCULATE]
    owned = api.found("/reports/broken", owner="team:flights")
    assert [entry["data"]["name"] for entry in owned["broken"]] == [CHECK]
    assert api.found("/reports/broken", owner="team:else")["totalCount"] == 0
    assert api.get("/reports/broken", owner=" ")[0] == 400
