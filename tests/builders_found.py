"""What questions about runs find, as tests need it: the emissions pipeline at noon."""

from __future__ import annotations

from lineage.graph.entities import (
    Dataset,
    DatasetVersion,
    Job,
    JobVersion,
    LastWriter,
    Run,
    UsedVersion,
)
from lineage_model.ids import DatasetId, JobId

MORNING = "2025-11-20T11:00:00.000000Z"
NOON = "2025-11-20T12:00:00.500000Z"
STORE = "s3://flights"
RAW = DatasetId(STORE, "raw")
CHECKED = DatasetId(STORE, "checked")
CHECK = JobId("emissions", "emissions.check")
RUN = "01941f29-7c00-7ea7-b5a3-4d2d5f0a1b2c"
PARENT_RUN = "01941f29-0000-7ea7-b5a3-4d2d5f0a1b2c"
RAW_VERSION = "3f0c4f7e-51d4-3c1c-8a86-7f2a4f3f1d11"
CHECKED_VERSION = "9c5c7f64-6f5e-3a39-8f4b-0f6d2b1d9e22"
JOB_VERSION = "27b12297-0463-32be-bc26-b463467b981c"


def a_found_run(**changes):
    """The completed run of the check: it read `raw` and wrote `checked`."""
    run = {
        "id": RUN,
        "job": CHECK,
        "state": "COMPLETED",
        "created": MORNING,
        "updated": NOON,
        "started": MORNING,
        "ended": NOON,
        "job_version": JOB_VERSION,
        "inputs": (UsedVersion(RAW, RAW_VERSION, {"inputStatistics": {"rowCount": 842}}, "time"),),
        "outputs": (UsedVersion(CHECKED, CHECKED_VERSION),),
        "facets": {"processing_engine": {"version": "4.0", "name": "spark"}},
        "job_facets": {"sql": {"query": "select 1"}},
    }
    return Run(**{**run, **changes})


def a_found_dataset(**changes):
    """The dataset `checked`."""
    dataset = {
        "id": CHECKED,
        "type": "DB_TABLE",
        "created": MORNING,
        "updated": NOON,
        "physical_name": "checked",
        "source_name": "default",
        "fields": ({"name": "flight", "type": "string", "description": "its number"}, {"name": "day"}),
        "last_modified": NOON,
        "current_version": CHECKED_VERSION,
        "facets": {"schema": {"fields": [{"name": "flight"}]}},
    }
    return Dataset(**{**dataset, **changes})


def a_found_dataset_version(**changes):
    """The version of `checked` that the run wrote."""
    version = {
        "dataset": CHECKED,
        "version": CHECKED_VERSION,
        "created": NOON,
        "type": "DB_TABLE",
        "physical_name": "checked",
        "source_name": "default",
        "created_by": a_found_run(),
        "fields": ({"name": "flight", "type": "string"},),
    }
    return DatasetVersion(**{**version, **changes})


def a_found_job(**changes):
    """The job that checks."""
    job = {
        "id": CHECK,
        "type": "BATCH",
        "created": MORNING,
        "updated": NOON,
        "inputs": (RAW,),
        "outputs": (CHECKED,),
        "location": "https://git.example/check.py",
        "latest_run": a_found_run(),
        "latest_runs": (a_found_run(),),
        "current_version": JOB_VERSION,
        "labels": ("SQL", "spark"),
        "facets": {"sql": {"query": "select 1"}},
    }
    return Job(**{**job, **changes})


def a_found_job_version(**changes):
    """The version of the job that the run was of."""
    version = {
        "job": CHECK,
        "version": JOB_VERSION,
        "created": MORNING,
        "updated": NOON,
        "inputs": (RAW,),
        "outputs": (CHECKED,),
        "location": "https://git.example/check.py",
        "code_version": "4f1c2aa",
        "latest_run": a_found_run(),
    }
    return JobVersion(**{**version, **changes})


def a_last_writer():
    """The run that last wrote a stale dataset."""
    return LastWriter(CHECK, RUN, NOON)
