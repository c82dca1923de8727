"""What questions found, as Marquez prints it: every field, nulls included."""

from __future__ import annotations

import orjson
import pytest

from lineage.api.marquez.dataset_views import render_dataset, render_dataset_data, render_dataset_version
from lineage.api.marquez.graph_views import render_upstream
from lineage.api.marquez.job_views import render_job, render_job_data, render_job_version
from lineage.api.marquez.namespaces import render_namespace
from lineage.api.marquez.run_views import render_run
from lineage.api.marquez.search import render_hit
from lineage.graph.entities import Namespace, SearchHit, UpstreamInput, UpstreamRun
from lineage.openlineage.event import ParentRun
from lineage_model.ids import JobId, name_uuid
from tests.builders_found import (
    CHECK,
    CHECKED,
    CHECKED_VERSION,
    JOB_VERSION,
    NOON,
    PARENT_RUN,
    RAW,
    RAW_VERSION,
    RUN,
    a_found_dataset,
    a_found_dataset_version,
    a_found_job,
    a_found_job_version,
    a_found_run,
    a_last_writer,
)

CHECK_ID = {"namespace": "emissions", "name": "emissions.check"}
RAW_ID = {"namespace": "s3://flights", "name": "raw"}
CHECKED_ID = {"namespace": "s3://flights", "name": "checked"}

A_RUN = {
    "id": RUN,
    "createdAt": "2025-11-20T11:00:00Z",
    "updatedAt": "2025-11-20T12:00:00.500Z",
    "nominalStartTime": None,
    "nominalEndTime": None,
    "state": "COMPLETED",
    "startedAt": "2025-11-20T11:00:00Z",
    "endedAt": "2025-11-20T12:00:00.500Z",
    "durationMs": 3_600_500,
    "args": {},
    "jobVersion": {**CHECK_ID, "version": JOB_VERSION},
    "inputDatasetVersions": [
        {
            "datasetVersionId": {**RAW_ID, "version": RAW_VERSION},
            "facets": {"inputStatistics": {"rowCount": 842}},
            "resolvedBy": "time",
        }
    ],
    "outputDatasetVersions": [{"datasetVersionId": {**CHECKED_ID, "version": CHECKED_VERSION}, "facets": {}}],
    "facets": {"processing_engine": {"version": "4.0", "name": "spark"}},
    "job": CHECK_ID,
    "otherJobs": [],
    "otherJobsTruncated": False,
    "truncated": False,
}
FIELDS = [
    {"name": "flight", "type": "string", "tags": [], "description": "its number"},
    {"name": "day", "type": None, "tags": [], "description": None},
]
DATASET_DATA = {
    "id": CHECKED_ID,
    "type": "DB_TABLE",
    "name": "checked",
    "physicalName": "checked",
    "createdAt": "2025-11-20T11:00:00Z",
    "updatedAt": "2025-11-20T12:00:00.500Z",
    "namespace": "s3://flights",
    "sourceName": "default",
    "fields": FIELDS,
    "tags": [],
    "lastModifiedAt": "2025-11-20T12:00:00.500Z",
    "description": None,
    "lastLifecycleState": None,
    "stale": False,
    "lastWrittenBy": None,
    "temporary": False,
}
A_JOB = {
    "id": CHECK_ID,
    "type": "BATCH",
    "name": "emissions.check",
    "simpleName": "emissions.check",
    "parentJobName": None,
    "parentJobUuid": None,
    "createdAt": "2025-11-20T11:00:00Z",
    "updatedAt": "2025-11-20T12:00:00.500Z",
    "namespace": "emissions",
    "inputs": [RAW_ID],
    "outputs": [CHECKED_ID],
    "location": "https://git.example/check.py",
    "description": None,
    "latestRun": A_RUN,
}


def plain(form):
    """As a client reads it."""
    return orjson.loads(orjson.dumps(form))


def test_a_run_is_printed_whole():
    assert plain(render_run(a_found_run())) == A_RUN


def test_a_run_that_has_only_begun_has_nulls():
    run = a_found_run(state="RUNNING", ended=None, job_version=None, inputs=(), outputs=(), facets={})

    assert plain(render_run(run)) == {
        **A_RUN,
        "state": "RUNNING",
        "endedAt": None,
        "durationMs": None,
        "jobVersion": None,
        "inputDatasetVersions": [],
        "outputDatasetVersions": [],
        "facets": {},
    }


def test_a_runs_arguments_are_its_nominal_times_and_its_parent():
    parent = ParentRun(PARENT_RUN, JobId("emissions", "emissions"))
    run = a_found_run(nominal_start=NOON, nominal_end=None, parent=parent, other_jobs=(JobId("emissions", "copy"),))

    assert plain(render_run(run)) == {
        **A_RUN,
        "nominalStartTime": "2025-11-20T12:00:00.500Z",
        "args": {
            "nominal_start_time": "2025-11-20T12:00:00.500Z",
            "run_id": PARENT_RUN,
            "name": "emissions",
            "namespace": "emissions",
        },
        "otherJobs": [{"namespace": "emissions", "name": "copy"}],
    }


def test_a_dataset_is_printed_whole():
    assert plain(render_dataset(a_found_dataset())) == {
        **DATASET_DATA,
        "currentVersion": CHECKED_VERSION,
        "columnLineage": None,
        "columnLineageTruncated": False,
        "facets": {"schema": {"fields": [{"name": "flight"}]}},
        "deleted": False,
    }


def test_a_dataset_without_a_current_writer_is_stale_and_names_its_last():
    printed = plain(render_dataset_data(a_found_dataset(stale=True, last_written_by=a_last_writer())))

    assert printed == {
        **DATASET_DATA,
        "stale": True,
        "lastWrittenBy": {"job": CHECK_ID, "runId": RUN, "endedAt": "2025-11-20T12:00:00.500Z"},
    }


def test_a_stream_has_a_schema_location():
    assert plain(render_dataset_data(a_found_dataset(type="STREAM"))) == {
        **DATASET_DATA,
        "type": "STREAM",
        "schemaLocation": None,
    }


def test_a_field_is_text_or_null_whatever_its_producer_sent():
    fields = ({"name": "flight", "type": {"struct": []}, "description": 7, "fields": [{"name": "x"}]},)

    assert plain(render_dataset_data(a_found_dataset(fields=fields))) == {
        **DATASET_DATA,
        "fields": [{"name": "flight", "type": None, "tags": [], "description": None}],
    }


def test_a_dataset_version_is_printed_whole():
    assert plain(render_dataset_version(a_found_dataset_version())) == {
        "id": CHECKED_ID,
        "type": "DB_TABLE",
        "name": "checked",
        "physicalName": "checked",
        "createdAt": "2025-11-20T12:00:00.500Z",
        "version": CHECKED_VERSION,
        "namespace": "s3://flights",
        "sourceName": "default",
        "fields": [{"name": "flight", "type": "string", "tags": [], "description": None}],
        "tags": [],
        "lifecycleState": None,
        "description": None,
        "currentSchemaVersion": None,
        "createdByRun": A_RUN,
        "facets": {},
        "failed": False,
    }


def test_an_initial_version_was_created_by_no_run():
    assert plain(render_dataset_version(a_found_dataset_version(created_by=None)))["createdByRun"] is None


def test_a_job_is_printed_whole():
    assert plain(render_job(a_found_job())) == {
        **A_JOB,
        "latestRuns": [A_RUN],
        "facets": {"sql": {"query": "select 1"}},
        "currentVersion": JOB_VERSION,
        "labels": ["SQL", "spark"],
        "tags": [],
        "lineageUnknown": False,
        "deleted": False,
    }


def test_a_job_that_never_ran_has_nulls():
    job = a_found_job(latest_run=None, latest_runs=(), current_version=None, facets={}, labels=(), inputs=())

    assert plain(render_job(job)) == {
        **A_JOB,
        "inputs": [],
        "latestRun": None,
        "latestRuns": None,
        "facets": {},
        "currentVersion": None,
        "labels": [],
        "tags": [],
        "lineageUnknown": False,
        "deleted": False,
    }


def test_a_jobs_node_tells_its_current_run():
    assert plain(render_job_data(a_found_job())) == {**A_JOB, "currentRunUuid": RUN, "lineageUnknown": False}


def test_a_node_of_a_version_tells_the_version_and_its_runs():
    job = plain(render_job_data(a_found_job(version=JOB_VERSION, runs=(RUN,))))
    dataset = plain(render_dataset_data(a_found_dataset(version=CHECKED_VERSION)))

    assert (job["version"], job["runs"]) == (JOB_VERSION, [RUN])
    assert dataset == {**DATASET_DATA, "version": CHECKED_VERSION}


@pytest.mark.parametrize(
    ("parent", "simple"),
    [("emissions", "check"), ("emissions.check", "emissions.check"), ("nightly", "emissions.check")],
)
def test_the_parent_is_told_and_the_name_stays(parent, simple):
    job = JobId("emissions", parent)
    printed = plain(render_job(a_found_job(parent=ParentRun(PARENT_RUN, job))))

    assert (printed["name"], printed["simpleName"]) == ("emissions.check", simple)
    assert (printed["parentJobName"], printed["parentJobUuid"]) == (parent, name_uuid(job.node_id))


def test_a_job_version_is_printed_whole():
    assert plain(render_job_version(a_found_job_version(lineage_unknown=True))) == {
        "id": {**CHECK_ID, "version": JOB_VERSION},
        "name": "emissions.check",
        "createdAt": "2025-11-20T11:00:00Z",
        "updatedAt": "2025-11-20T12:00:00.500Z",
        "version": JOB_VERSION,
        "namespace": "emissions",
        "location": "https://git.example/check.py",
        "inputs": [RAW_ID],
        "outputs": [CHECKED_ID],
        "latestRun": A_RUN,
        "codeVersion": "4f1c2aa",
        "lineageUnknown": True,
    }


def test_a_namespace_is_printed_whole():
    assert render_namespace(Namespace("emissions", NOON, NOON, hidden=True)) == {
        "name": "emissions",
        "createdAt": "2025-11-20T12:00:00.500Z",
        "updatedAt": "2025-11-20T12:00:00.500Z",
        "ownerName": "anonymous",
        "description": None,
        "isHidden": True,
    }


def test_a_hit_names_its_node():
    assert [render_hit(SearchHit(CHECK, NOON)), render_hit(SearchHit(CHECKED, NOON))] == [
        {
            "type": "JOB",
            "name": "emissions.check",
            "updatedAt": "2025-11-20T12:00:00.500Z",
            "namespace": "emissions",
            "nodeId": "job:emissions:emissions.check",
        },
        {
            "type": "DATASET",
            "name": "checked",
            "updatedAt": "2025-11-20T12:00:00.500Z",
            "namespace": "s3://flights",
            "nodeId": "dataset:s3://flights:checked",
        },
    ]


def test_an_upstream_run_tells_who_made_what_it_read():
    inputs = (UpstreamInput(RAW, RAW_VERSION, None, "initial"), UpstreamInput(CHECKED, CHECKED_VERSION, RUN, "time"))

    assert plain(render_upstream(UpstreamRun(a_found_run(state="RUNNING", ended=None, job_version=None), inputs))) == {
        "job": {**CHECK_ID, "version": None},
        "run": {"id": RUN, "start": "2025-11-20T11:00:00Z", "end": None, "status": "RUNNING"},
        "inputs": [
            {**RAW_ID, "version": RAW_VERSION, "producedByRunId": None, "resolvedBy": "initial"},
            {**CHECKED_ID, "version": CHECKED_VERSION, "producedByRunId": RUN, "resolvedBy": "time"},
        ],
    }
