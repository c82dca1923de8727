"""Routes as tables: what is requested, and the response once the runs of the document's examples have been."""

from __future__ import annotations

import pytest

from lineage.api.examples import columns, operations, reports, runs
from tests.unit.api.marquez_asker import Asker, at
from tests.unit.api.proxy import ask

STORE, JOBS = (f"/api/v1/namespaces{at(name)}" for name in (runs.NAMESPACE, runs.JOBS))
CHECKED, JOB, RUN = f"{STORE}/datasets/checked", f"{JOBS}/jobs/{runs.JOB_NAME}", f"/api/v1/jobs/runs/{runs.RUN_ID}"
FIELDS = f"/v3/namespaces{at(runs.NAMESPACE)}/{{}}/estimated/fields"
ENDPOINT, DATASET = (FIELDS.format(kind) for kind in ("endpoints", "datasets"))
RANGE = {"start": operations.START_S, "end": operations.END_S}
DISTANCE = "datasetField:s3://flights:checked:distance"
JOB_NODE = f"job:{runs.JOBS}:{runs.JOB_NAME}"


def a_page(name, item, total=1):
    return {name: [item], "totalCount": total, "truncated": False}


def not_found(message):
    return {"code": 404, "message": message}


def refused(message):
    return {"code": 400, "message": message}


# After the run of the check
OF_RUNS = [
    ((STORE, {}), 200, runs.NAMESPACE_RESOURCE),
    (("/api/v1/namespaces/none", {}), 404, not_found("Namespace 'none' not found.")),
    ((CHECKED, {}), 200, runs.DATASET),
    ((f"{STORE}/datasets/none", {}), 404, not_found("Dataset 'none' not found.")),
    ((f"{STORE}/datasets", {"limit": 1}), 200, a_page("datasets", runs.DATASET, total=2)),
    (("/api/v1/namespaces/none/datasets", {}), 404, not_found("Namespace 'none' not found.")),
    ((f"{CHECKED}/versions", {}), 200, a_page("versions", runs.DATASET_VERSION_RESOURCE)),
    ((f"{CHECKED}/versions/{runs.DATASET_VERSION}", {}), 200, runs.DATASET_VERSION_RESOURCE),
    ((f"{CHECKED}/versions/none", {}), 404, not_found("Dataset version 'none' not found.")),
    ((JOB, {}), 200, runs.JOB),
    ((f"{JOBS}/jobs/none", {}), 404, not_found("Job 'none' not found.")),
    ((f"{JOBS}/jobs", {}), 200, a_page("jobs", runs.JOB_LISTED)),
    ((f"{JOBS}/jobs", {"lastRunStates": "FAILED"}), 200, {"jobs": [], "totalCount": 0, "truncated": False}),
    (("/api/v1/jobs", {}), 200, a_page("jobs", runs.JOB_LISTED)),
    ((f"{JOB}/versions", {}), 200, a_page("versions", runs.JOB_VERSION_RESOURCE)),
    ((f"{JOB}/versions/{runs.JOB_VERSION}", {}), 200, runs.JOB_VERSION_RESOURCE),
    ((f"{JOB}/versions/none", {}), 404, not_found("Job version 'none' not found.")),
    ((f"{JOB}/runs", {}), 200, a_page("runs", runs.RUN)),
    ((RUN, {}), 200, runs.RUN),
    (("/api/v1/jobs/runs/none", {}), 404, not_found("Run 'none' not found.")),
    ((f"{RUN}/facets", {"type": "run"}), 200, {"runId": runs.RUN_ID, "facets": runs.RUN["facets"]}),
    ((f"{RUN}/facets", {"type": "dataset"}), 200, {"runId": runs.RUN_ID, "facets": {}}),
    ((f"{RUN}/facets", {}), 400, refused("type: must be one of run, job, dataset, got None")),
    (("/api/v1/lineage", {"nodeId": JOB_NODE}), 200, runs.GRAPH),
    (("/api/v1/lineage", {}), 400, refused("nodeId: must be given, and not blank, got None")),
    (("/api/v1/lineage", {"nodeId": "job:a:b"}), 404, not_found("Node 'job:a:b' not found.")),
    (("/api/v1/runlineage/upstream", {"runId": runs.RUN_ID}), 200, runs.UPSTREAM),
    (("/api/v1/events/lineage", {"limit": 1}), 200, a_page("events", runs.EVENT, total=2)),
    (("/api/v1/search", {"q": "CHECKED"}), 200, a_page("results", runs.HIT)),
]
# After the run of the estimate, which reports its operations and record roots
OF_FIELDS = [
    (("/api/v1/column-lineage", {"nodeId": columns.NODE_ID}), 200, columns.GRAPH),
    (("/api/v1/column-lineage/origins", {"nodeId": columns.NODE_ID}), 200, columns.ORIGINS),
    ((f"{ENDPOINT}/lineage", RANGE), 200, [operations.MAPPING]),
    ((f"{ENDPOINT}/lineage", {**RANGE, "level": 1}), 200, [operations.MAPPING]),
    ((f"{ENDPOINT}/co2_kg/lineage", {**RANGE, "direction": "backward"}), 200, operations.DETAIL),
    ((f"{DATASET}/co2_kg/lineage", RANGE), 200, operations.PATHS),
    ((f"{DATASET}/co2_kg/lineage", {**RANGE, "view": "simple"}), 200, operations.SIMPLE),
    ((f"{DATASET}/co2_kg/lineage", {**RANGE, "view": "detailed"}), 200, operations.DETAILED),
    (("/api/v1/reports/usage", {**RANGE, "nodeId": DISTANCE}), 200, reports.USAGE),
    (("/api/v1/reports/provenance", {**RANGE, "nodeId": reports.NODE_ID}), 200, reports.PROVENANCE),
]


@pytest.fixture(scope="module")
def of_runs():
    asker = Asker()
    asker.load({**runs.EVENT, "eventType": "START", "eventTime": "2025-11-20T11:00:00Z"}, runs.EVENT)
    return asker.api


@pytest.fixture(scope="module")
def of_fields():
    asker = Asker()
    asker.load(columns.EVENT)
    return asker.api


@pytest.mark.parametrize(("request_", "status", "response"), OF_RUNS)
def test_requests_about_runs(of_runs, request_, status, response):
    answer = ask(of_runs, *request_)
    assert (answer.status, answer.form) == (status, response)


@pytest.mark.parametrize(("request_", "status", "response"), OF_FIELDS)
def test_requests_about_fields(of_fields, request_, status, response):
    answer = ask(of_fields, *request_)
    assert (answer.status, answer.form) == (status, response)


def test_the_columns_of_a_dataset_stand_in_its_resource(of_fields):
    (column, *_) = ask(of_fields, f"{STORE}/datasets/estimated").form["columnLineage"]
    assert column == columns.COLUMN_LINEAGE
