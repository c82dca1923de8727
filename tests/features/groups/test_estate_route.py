"""The estate in short: all jobs with their datasets, as far as a caller sees them."""

from headwater.features.groups import routes
from tests.builders_events import STORE, a_dataset, a_dataset_event, a_facet, a_run_event
from tests.unit.api.document_examples import example
from tests.unit.api.graph_api import GraphApi

DAG = {"run": {"runId": "01941f29-7c00-7ea7-b5a3-0000000000aa"}, "job": {"namespace": "airflow", "name": "nightly"}}


def a_run(job="emissions.estimate", namespace="emissions", inputs=("checked",), outputs=("estimated",), **more):
    sides = {"inputs": [a_dataset(name) for name in inputs], "outputs": [a_dataset(name) for name in outputs]}
    return a_run_event(job=job, namespace=namespace, eventTime="2025-11-20T13:00:00Z", **sides, **more)


def test_the_example_is_the_estate_of_a_job_of_a_dag():
    api = GraphApi()
    owned = {"ownership": a_facet("OwnershipJob", owners=[{"name": "team:flights"}])}
    api.load(a_run(job_facets=owned, run_facets={"parent": DAG}))
    assert api.found("/reports/estate") == example("EstateReport")


def test_a_dataset_of_several_jobs_is_listed_once_and_more_jobs_than_a_request_reads_are_cut(monkeypatch):
    alias = a_facet("SymlinksDataset", identifiers=[{"namespace": STORE, "name": "co2", "type": "TABLE"}])
    named = a_dataset_event(a_dataset("estimated", facets={"symlinks": alias}))
    report = a_run("report", inputs=("co2",), outputs=(), run="01941f29-7c00-7ea7-b5a3-000000000002")
    api = GraphApi(a_run(), report, named)
    report = api.found("/reports/estate")
    assert [name["name"] for name in report["datasets"]] == ["checked", "estimated"]
    jobs = [(job["name"], job["inputs"], job["outputs"]) for job in report["jobs"]]
    assert jobs == [("emissions.estimate", [0], [1]), ("report", [1], [])]
    monkeypatch.setattr(routes, "JOBS_MAX", 1)
    cut = api.found("/reports/estate")
    assert (cut["truncated"], [job["name"] for job in cut["jobs"]]) == (True, ["emissions.estimate"])
