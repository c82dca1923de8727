"""A dataset and a job as queries return them: the emissions pipeline at noon."""

from headwater.facts.run_facts import Run
from headwater.queries.results.entities import Dataset, Job
from headwater_model.ids import DatasetId, JobId

MORNING = "2025-11-20T11:00:00.000000Z"
NOON = "2025-11-20T12:00:00.500000Z"
STORE = "s3://flights"
RAW = DatasetId(STORE, "raw")
CHECKED = DatasetId(STORE, "checked")
CHECK = JobId("emissions", "emissions.check")
RUN = "01941f29-7c00-7ea7-b5a3-4d2d5f0a1b2c"
RAW_VERSION = "3f0c4f7e-51d4-3c1c-8a86-7f2a4f3f1d11"
CHECKED_VERSION = "9c5c7f64-6f5e-3a39-8f4b-0f6d2b1d9e22"


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


def a_found_job(**changes):
    """The job that checks."""
    job = {
        "id": CHECK,
        "type": "BATCH",
        "created": MORNING,
        "updated": NOON,
        "inputs": (RAW,),
        "outputs": (CHECKED,),
        "latest_run": Run(
            id=RUN, job=CHECK, state="COMPLETED", created=MORNING, updated=NOON, started=MORNING, ended=NOON
        ),
    }
    return Job(**{**job, **changes})
