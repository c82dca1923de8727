"""Routes as tables: what is requested, and the response once the runs of the document's examples have been."""

import json
from urllib.parse import quote

import pytest

from headwater.api.app import render_document
from headwater_model.ids import JobId, name_uuid
from tests.builders_events import AT_NOON, a_dataset, a_facet, a_job_event, a_parent, a_run_event
from tests.unit.api.columns_pipeline import a_dataset_made, source
from tests.unit.api.document_examples import (
    CHECK_EVENT,
    CHECKED_NODE,
    CO2_NODE,
    DISTANCE_NODE,
    END_S,
    ESTIMATE_EVENT,
    JOB_NAME,
    JOBS,
    NAMESPACE,
    RUN_ID,
    START_S,
    example,
)
from tests.unit.api.graph_api import GraphApi, at
from tests.unit.api.proxy import get

STORE, OF_JOBS = (f"/api/v1/namespaces{at(name)}" for name in (NAMESPACE, JOBS))
CHECKED, JOB, RUN = f"{STORE}/datasets/checked", f"{OF_JOBS}/jobs/{JOB_NAME}", f"/api/v1/jobs/runs/{RUN_ID}"
FIELDS = f"/v3/namespaces{at(NAMESPACE)}/{{}}/estimated/fields"
ENDPOINT, DATASET = (FIELDS.format(kind) for kind in ("endpoints", "datasets"))
LINEAGE = f"/v3/namespaces{at(NAMESPACE)}/datasets/estimated/lineage"
RANGE = {"start": START_S, "end": END_S}
JOB_NODE = f"job:{JOBS}:{JOB_NAME}"
DATASET_VERSION, JOB_VERSION = (example(name)["version"] for name in ("DatasetVersion", "JobVersion"))
JOB_LISTED = example("Jobs")["jobs"][0]

# Records need a bucket and queues; columns have the table OF_FIELDS.
_OF_OTHERS = ("/api/v1/records", "/api/v1/column")


def a_page(name, item, total=1):
    return {name: [item], "totalCount": total, "truncated": False}


def not_found(message):
    return {"code": 404, "message": message}


def refused(message):
    return {"code": 400, "message": message}


# After the run of the check
OF_RUNS = [
    ((STORE, {}), 200, example("Namespace")),
    (("/api/v1/namespaces/none", {}), 404, not_found("Namespace 'none' not found.")),
    ((CHECKED, {}), 200, example("Dataset")),
    ((f"{STORE}/datasets/none", {}), 404, not_found("Dataset 'none' not found.")),
    ((f"{STORE}/datasets", {"limit": 1}), 200, a_page("datasets", example("Dataset"), total=2)),
    (("/api/v1/namespaces/none/datasets", {}), 404, not_found("Namespace 'none' not found.")),
    ((f"{CHECKED}/versions", {}), 200, a_page("versions", example("DatasetVersion"))),
    ((f"{CHECKED}/versions/{DATASET_VERSION}", {}), 200, example("DatasetVersion")),
    ((f"{CHECKED}/versions/none", {}), 404, not_found("Dataset version 'none' not found.")),
    ((JOB, {}), 200, example("Job")),
    ((f"{OF_JOBS}/jobs/none", {}), 404, not_found("Job 'none' not found.")),
    ((f"{OF_JOBS}/jobs", {}), 200, a_page("jobs", JOB_LISTED)),
    ((f"{OF_JOBS}/jobs", {"lastRunStates": "FAILED"}), 200, {"jobs": [], "totalCount": 0, "truncated": False}),
    (("/api/v1/jobs", {}), 200, a_page("jobs", JOB_LISTED)),
    ((f"{JOB}/versions", {}), 200, a_page("versions", example("JobVersion"))),
    ((f"{JOB}/versions/{JOB_VERSION}", {}), 200, example("JobVersion")),
    ((f"{JOB}/versions/none", {}), 404, not_found("Job version 'none' not found.")),
    ((f"{JOB}/runs", {}), 200, a_page("runs", example("Run"))),
    ((RUN, {}), 200, example("Run")),
    (("/api/v1/jobs/runs/none", {}), 404, not_found("Run 'none' not found.")),
    ((f"{RUN}/facets", {"type": "run"}), 200, {"runId": RUN_ID, "facets": example("Run")["facets"]}),
    ((f"{RUN}/facets", {"type": "dataset"}), 200, {"runId": RUN_ID, "facets": {}}),
    ((f"{RUN}/facets", {}), 400, refused("type: must be one of run, job, dataset, got None")),
    (("/api/v1/lineage", {"nodeId": JOB_NODE}), 200, example("Graph")),
    (
        ("/api/v1/lineage", {"nodeId": JOB_NODE, "direction": "down", "form": "summary", "fold": 0}),
        200,
        example("ShortGraph"),
    ),
    (("/api/v1/lineage", {}), 400, refused("nodeId: must be given, and not blank, got None")),
    (("/api/v1/lineage", {"nodeId": "job:a:b"}), 404, not_found("Node 'job:a:b' not found.")),
    (("/api/v1/lineage/neighbours", {"nodeId": CHECKED_NODE, "side": "up"}), 200, example("Neighbours")),
    (
        ("/api/v1/lineage/history", {"nodeId": JOB_NODE, "start": "2025-11-20", "end": "2025-11-21"}),
        200,
        example("GraphHistory"),
    ),
    (
        ("/api/v1/lineage/history", {"nodeId": JOB_NODE, "start": "2025-11-21", "end": "2025-11-20"}),
        400,
        refused(
            "end: must not be before start (2025-11-21T00:00:00.000000Z), got '2025-11-20T00:00:00.000000Z'",
        ),
    ),
    (("/api/v1/lineage/history", {"nodeId": JOB_NODE}), 400, refused("start: must be given, got None")),
    (("/api/v1/runlineage/upstream", {"runId": RUN_ID}), 200, example("UpstreamRuns")),
    (("/api/v1/reports/impact", {"nodeId": f"dataset:{NAMESPACE}:raw", "depth": 0}), 200, example("ImpactReport")),
    (("/api/v1/runlineage/downstream", {"runId": RUN_ID}), 200, example("UpstreamRuns")),
    (("/api/v1/events/lineage", {"limit": 1}), 200, a_page("events", CHECK_EVENT, total=2)),
    (("/api/v1/search", {"q": "CHECKED"}), 200, a_page("results", example("SearchHit"))),
    ((f"{STORE}/datasets/none/versions", {}), 404, not_found("Dataset 'none' not found.")),
    ((f"{OF_JOBS}/jobs/none/versions", {}), 404, not_found("Job 'none' not found.")),
    ((f"{OF_JOBS}/jobs/none/runs", {}), 404, not_found("Job 'none' not found.")),
    (("/api/v1/jobs/runs/none/facets", {"type": "run"}), 404, not_found("Run 'none' not found.")),
    (("/api/v1/runlineage/upstream", {"runId": "none"}), 404, not_found("Run 'none' not found.")),
    (("/api/v1/lineage", {"nodeId": "dataset:a:b"}), 404, not_found("Node 'dataset:a:b' not found.")),
]
# After the run of the estimate, which reports its operations and record roots
OF_FIELDS = [
    (("/api/v1/column-lineage", {"nodeId": CO2_NODE}), 200, example("ColumnGraph")),
    (("/api/v1/column-lineage/origins", {"nodeId": CO2_NODE}), 200, example("Origins")),
    ((f"{ENDPOINT}/lineage", RANGE), 200, [example("FieldMapping")]),
    ((f"{ENDPOINT}/lineage", {**RANGE, "level": 1}), 200, [example("FieldMapping")]),
    ((f"{ENDPOINT}/co2_kg/lineage", {**RANGE, "direction": "backward"}), 200, example("FieldDetail")),
    ((f"{DATASET}/co2_kg/lineage", RANGE), 200, example("FieldPaths")),
    ((f"{DATASET}/co2_kg/lineage", {**RANGE, "view": "simple"}), 200, example("FieldPaths", 1)),
    ((f"{DATASET}/co2_kg/lineage", {**RANGE, "view": "detailed"}), 200, example("FieldPaths", 2)),
    ((LINEAGE, RANGE), 200, example("DatasetLineage")),
    ((f"{LINEAGE}/fields", RANGE), 200, example("LineageFields")),
    ((f"{LINEAGE}/fields", {**RANGE, "includeCurrent": "true"}), 200, example("LineageFields", 1)),
    ((f"{LINEAGE}/fields/co2_kg", {**RANGE, "direction": "both"}), 200, example("FieldSummary")),
    ((f"{LINEAGE}/fields/co2_kg/operations", {**RANGE, "direction": "incoming"}), 200, example("FieldOperations")),
    ((f"{LINEAGE}/allfieldlineage", {**RANGE, "direction": "incoming"}), 200, example("DatasetFieldLineage")),
    (("/api/v1/reports/usage", {**RANGE, "nodeId": DISTANCE_NODE}), 200, example("UsageReport")),
    (("/api/v1/reports/provenance", {**RANGE, "nodeId": CO2_NODE}), 200, example("ProvenanceReport")),
    (("/api/v1/reports/impact", {"nodeId": DISTANCE_NODE}), 200, example("ColumnImpactReport")),
]


def a_run(number, job, inputs=(), outputs=(), **changes):
    run = f"01941f29-7c00-7ea7-b5a3-{number:012}"
    return a_run_event(run=run, job=job, inputs=inputs, outputs=outputs, **changes)


PARENT_RUN = "01941f29-0000-7ea7-b5a3-4d2d5f0a1b2c"
NIGHTLY = {"parent": a_parent(PARENT_RUN, "nightly")}
NOMINAL = a_facet("NominalTimeRun", nominalStartTime=AT_NOON)
ODD_FACETS = {
    "datasetType": a_facet("DatasetType", datasetType="TOPIC"),
    "documentation": a_facet("DocumentationDataset", description="flights"),
    "lifecycleStateChange": a_facet("LifecycleStateChange", lifecycleStateChange="CREATE"),
    "dataSource": {**a_facet("DatasourceDataset"), "name": "kafka"},
}
CHECK_FACETS = {
    "jobType": a_facet("JobType", processingType="BATCH", integration="SPARK", jobType="SQL_JOB"),
    "sourceCodeLocation": {**a_facet("SourceCodeLocation"), "url": "https://git.example/check.py", "version": "4f1c"},
    "documentation": a_facet("DocumentationJob", description="rejects"),
}
STATISTICS = {"inputStatistics": a_facet("InputStatistics", rowCount=842)}
MADE = a_dataset_made("made", {"`a.b`": [source("checked", "flight")], "now": []}, ["`a.b`", "now"])
NO_SOURCES = {"name": "now", "inputFields": [], "transformationType": None, "transformationDescription": None}
CHECKED_ID = {"namespace": NAMESPACE, "name": "checked"}
# Runs, jobs and datasets with fields that those of the document lack
ODD = (
    a_run(1, "begun", eventType="START"),
    a_run(
        2,
        "nightly.check",
        [a_dataset("raw", inputFacets=STATISTICS)],
        [a_dataset("checked", fields=["flight"])],
        run_facets={**NIGHTLY, "nominalTime": NOMINAL},
        job_facets=CHECK_FACETS,
    ),
    a_run(2, "copy", eventType="OTHER", eventTime="2025-11-20T12:00:01Z"),
    a_run(3, "nightly", ["checked"], ["gone"], run_facets=NIGHTLY, eventTime="2025-11-20T12:01:00Z"),
    a_run(4, "other", run_facets=NIGHTLY),
    a_run(5, "nightly", ["checked"], [MADE], run_facets=NIGHTLY, eventTime="2025-11-20T12:02:00Z"),
    a_run(6, "other", [], [a_dataset("odd", facets=ODD_FACETS)], eventType="FAIL", eventTime="2025-11-20T12:03:00Z"),
    a_job_event(job="declared", inputs=[], outputs=["declared"]),
    a_run(7, "unknown", ["checked"], ["copied"]),
    a_run(8, "unknown", job_facets=CHECK_FACETS, eventTime="2025-11-20T12:04:00Z"),
)
ODD_RUN, ODD_JOBS, ODD_DATASETS = (
    "/api/v1/jobs/runs/01941f29-7c00-7ea7-b5a3-{:012}",
    f"{OF_JOBS}/jobs",
    f"{STORE}/datasets",
)
CODE = {"location": "https://git.example/check.py"}
NIGHTLY_ARGS = {"run_id": PARENT_RUN, "name": "nightly", "namespace": JOBS}
OF_NIGHTLY = {"parentJobName": "nightly", "parentJobUuid": name_uuid(JobId(JOBS, "nightly").node_id)}
BEGUN = {"startedAt": AT_NOON, "endedAt": None, "durationMs": None, "jobVersion": None, "facets": {}}
NEVER_RAN = {"latestRun": None, "latestRuns": None, "labels": [], "location": None, "description": None}
# A path, and the fields of the response that the case is about
OF_ODD = [
    (ODD_RUN.format(1), {"state": "RUNNING", **BEGUN, "inputDatasetVersions": [], "outputDatasetVersions": []}),
    (ODD_RUN.format(2), {"args": {"nominal_start_time": AT_NOON, **NIGHTLY_ARGS}, "nominalStartTime": AT_NOON}),
    (ODD_RUN.format(2), {"otherJobs": [{"namespace": JOBS, "name": "copy"}], "nominalEndTime": None}),
    (ODD_RUN.format(2), {"inputDatasetVersions": [{"facets": STATISTICS, "resolvedBy": "initial"}]}),
    (ODD_RUN.format(3), {"inputDatasetVersions": [{"facets": {}, "resolvedBy": "parentRun"}]}),
    (f"{ODD_JOBS}/nightly.check", {"name": "nightly.check", "simpleName": "check", **OF_NIGHTLY}),
    (f"{ODD_JOBS}/nightly", {"name": "nightly", "simpleName": "nightly", **OF_NIGHTLY}),
    (f"{ODD_JOBS}/other", {"name": "other", "simpleName": "other", **OF_NIGHTLY}),
    (f"{ODD_JOBS}/nightly.check", {**CODE, "labels": ["SQL_JOB", "SPARK"], "description": "rejects"}),
    (f"{ODD_JOBS}/nightly.check", {"facets": CHECK_FACETS, "lineageUnknown": False}),
    (f"{ODD_JOBS}/nightly.check/versions", {"versions": [{**CODE, "codeVersion": "4f1c", "lineageUnknown": False}]}),
    (f"{ODD_JOBS}/declared", NEVER_RAN),
    (f"{ODD_JOBS}/unknown", {"lineageUnknown": True, "inputs": [CHECKED_ID], "outputs": [{"name": "copied"}]}),
    (f"{ODD_DATASETS}/odd", {"type": "STREAM", "schemaLocation": None, "sourceName": "kafka", "fields": []}),
    (f"{ODD_DATASETS}/odd", {"description": "flights", "lastLifecycleState": "CREATE", "currentVersion": None}),
    (f"{ODD_DATASETS}/odd/versions", {"versions": [{"failed": True, "lifecycleState": "CREATE"}]}),
    (f"{ODD_DATASETS}/raw/versions", {"versions": [{"createdByRun": None, "failed": False}]}),
    (f"{ODD_DATASETS}/gone", {"stale": True, "lastWrittenBy": {"job": {"namespace": JOBS, "name": "nightly"}}}),
    (f"{ODD_DATASETS}/made", {"columnLineage": [{"name": "`a.b`", "inputFields": [{"field": "flight"}]}, NO_SOURCES]}),
]


def part_of(whole, example):
    """Return the fields that `wanted` names."""
    if isinstance(example, dict):
        return {name: part_of(whole[name], value) for name, value in example.items()}
    if isinstance(example, list):
        return [part_of(item, value) for item, value in zip(whole, example, strict=True)]
    return whole


@pytest.fixture(scope="module")
def of_odd():
    return GraphApi(*ODD).api


@pytest.mark.parametrize(("path", "response"), OF_ODD)
def test_requests_about_other_fields(of_odd, path, response):
    received = get(of_odd, path)
    assert (received.status, part_of(received.form, response)) == (200, response)


@pytest.fixture(scope="module")
def of_runs():
    return GraphApi({**CHECK_EVENT, "eventType": "START", "eventTime": "2025-11-20T11:00:00Z"}, CHECK_EVENT).api


@pytest.fixture(scope="module")
def of_fields():
    return GraphApi(ESTIMATE_EVENT).api


@pytest.mark.parametrize(("request_", "status", "response"), OF_RUNS)
def test_requests_about_runs(of_runs, request_, status, response):
    received = get(of_runs, *request_)
    assert (received.status, received.form) == (status, response)


@pytest.mark.parametrize(("request_", "status", "response"), OF_FIELDS)
def test_requests_about_fields(of_fields, request_, status, response):
    received = get(of_fields, *request_)
    assert (received.status, received.form) == (status, response)


@pytest.fixture(scope="module")
def of_both():
    return GraphApi(
        {**CHECK_EVENT, "eventType": "START", "eventTime": "2025-11-20T11:00:00Z"}, CHECK_EVENT, ESTIMATE_EVENT
    ).api


def test_the_documents_examples_request_what_is_there(of_both):
    """Those of each GET route of Marquez's and CDAP's kind; of parameters without which a route knows no answer."""
    for path, item in json.loads(render_document())["paths"].items():
        if "get" not in item or not path.startswith(("/api/v1/", "/v3/")) or path.startswith(_OF_OTHERS):
            continue
        query = {}
        for parameter in [*item.get("parameters", []), *item["get"].get("parameters", [])]:
            value = next(iter(parameter["schema"].get("examples", parameter["schema"].get("enum", []))), None)
            if parameter["in"] == "path":
                path = path.replace(f"{{{parameter['name']}}}", quote(value, safe=""))
            elif parameter.get("required") or parameter["name"] in ("q", "nodeId"):
                query[parameter["name"]] = value
        assert (path, get(of_both, path, query).status) == (path, 200)
