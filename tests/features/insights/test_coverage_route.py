"""The report on coverage: a company with a DAG, a job with columns, one with datasets alone, and a quiet one."""

import csv
from io import StringIO

import pytest

from tests.builders_events import FACETS, a_run_event
from tests.unit.api.graph_api import GraphApi
from tests.unit.api.proxy import get

SPARK = "https://github.com/OpenLineage/OpenLineage/tree/1.50.0/integration/spark"
TYPE = {"jobType": {"_producer": SPARK, "_schemaURL": f"{FACETS}/2-0-3/JobTypeJobFacet.json"}}
TYPE["jobType"] |= {"processingType": "BATCH", "integration": "SPARK", "jobType": "JOB"}
RAW = {"namespace": "s3://lake", "name": "raw"}
COLUMNS = {"columnLineage": {"fields": {"co2": {"inputFields": [{**RAW, "field": "fuel"}]}}}}
DAG = {"run": {"runId": "01941f29-7c00-7ea7-b5a3-0000000000aa"}, "job": {"namespace": "airflow", "name": "nightly"}}


def an_output(name, facets=None):
    return {"namespace": "s3://lake", "name": name, **({"facets": facets} if facets else {})}


@pytest.fixture(scope="module")
def api():
    return GraphApi(
        a_run_event(
            run="01941f29-7c00-7ea7-b5a3-000000000001", job="estimate", namespace="etl", inputs=[RAW],
            outputs=[an_output("co2", COLUMNS), an_output("log")], job_facets=TYPE, run_facets={"parent": DAG},
        ),
        a_run_event(
            run="01941f29-7c00-7ea7-b5a3-000000000002", job="copy", namespace="etl", inputs=[RAW],
            outputs=[an_output("copy")], job_facets=TYPE,
            run_facets={"extractionError": {"totalTasks": 2, "failedTasks": 1}},
        ),
        a_run_event(run="01941f29-7c00-7ea7-b5a3-000000000003", job="check", namespace="etl", inputs=[], outputs=[]),
        a_run_event(
            run="01941f29-7c00-7ea7-b5a3-000000000004", job="old", namespace="etl", eventTime="2025-10-01T00:00:00Z",
            inputs=[], outputs=[an_output("old")],
        ),
    )  # fmt: skip


NONE = dict.fromkeys(
    ("total", "columns", "tables", "nothing", "parent", "silent", "outputs", "certainOutputs", "incompleteJobs"), 0
)


def test_jobs_are_counted_by_what_they_report(api):
    report = api.found("/reports/coverage")
    etl = {
        **NONE,
        "total": 4,
        "columns": 1,
        "tables": 1,
        "nothing": 1,
        "silent": 1,
        "outputs": 4,
        "certainOutputs": 1,
        "incompleteJobs": 1,
    }
    dag = {**NONE, "total": 1, "parent": 1}
    assert {name: report[name] for name in NONE} == {name: etl[name] + dag[name] for name in NONE}
    assert report["namespaces"] == [{"namespace": "airflow", **dag}, {"namespace": "etl", **etl}]
    spark = {**NONE, "total": 2, "columns": 1, "tables": 1, "outputs": 3, "certainOutputs": 1, "incompleteJobs": 1}
    other = {**NONE, "total": 3, "nothing": 1, "parent": 1, "silent": 1, "outputs": 1}
    assert report["producers"] == [{"producer": None, **other}, {"producer": SPARK, **spark}]
    assert [(job["name"], job["coverage"], job["outputs"], job["certainOutputs"]) for job in report["jobs"]] == [
        ("nightly", "parent", 0, 0),
        ("check", "nothing", 0, 0),
        ("copy", "tables", 1, 0),
        ("estimate", "columns", 2, 1),
        ("old", "silent", 1, 0),
    ]
    assert not report["truncated"]


def test_a_namespace_and_a_number_of_days_narrow_it(api):
    report = api.found("/reports/coverage", namespace="etl", days="365")
    assert (report["total"], report["silent"], report["tables"]) == (4, 0, 2)
    assert api.found("/reports/coverage", namespace="none")["total"] == 0
    status, error = api.get("/reports/coverage", days="0")
    assert (status, error["message"]) == (400, "days: must be a whole number from 1 to 3650, got '0'")


def test_the_table_has_a_row_for_each_job(api):
    response = get(api.api, "/api/v1/reports/coverage", {"format": "csv", "namespace": "etl"})
    assert response.headers["Content-Type"].startswith("text/csv")
    rows = list(csv.DictReader(StringIO(response.body)))
    assert rows[2] == {
        "section": "job", "namespace": "etl", "name": "estimate", "producer": SPARK, "coverage": "columns",
        "updatedAt": "2025-11-20T12:00:00Z", "outputs": "2", "certainOutputs": "1", "incomplete": "false",
    }  # fmt: skip
    assert [row["name"] for row in rows] == ["check", "copy", "estimate", "old"]
