"""Every request that Marquez's web page makes, with its parameters, without the page.

From `web/src/store/requests/*.ts` of MarquezProject/marquez at a89b89c (after 0.51.1). `getJobsByState` is left out: no
view of the page calls it.
"""

import json

import pytest

from tests.builders_events import CHECK, NAMESPACE, RUN, STORE, a_dataset, a_run_event

JOBS, STORED = (f"/api/v1/namespaces/{name}" for name in (NAMESPACE, "s3%3A%2F%2Fflights"))
JOB, DATASET = f"{JOBS}/jobs/{CHECK}", f"{STORED}/datasets/checked"
RUN_PATH = f"/api/v1/jobs/runs/{RUN}"
NODES = (f"job:{NAMESPACE}:{CHECK}", f"dataset:{STORE}:checked")
PAGE = {"limit": 20, "offset": 0}
READS = [
    ("/api/v1/tags", {}),
    ("/api/v1/namespaces", {}),
    ("/api/v1/jobs", {"limit": 25, "offset": 0}),
    ("/api/v1/jobs", {**PAGE, "lastRunStates": "COMPLETED"}),
    (f"{JOBS}/jobs", {**PAGE, "lastRunStates": "FAILED"}),
    (JOB, {}),
    (f"{JOB}/runs", PAGE),
    (f"{RUN_PATH}/facets", {"type": "run"}),
    (f"{RUN_PATH}/facets", {"type": "job"}),
    (f"{STORED}/datasets", PAGE),
    (DATASET, {}),
    (f"{DATASET}/versions", PAGE),
    *(("/api/v1/lineage", {"nodeId": node, "depth": 2}) for node in NODES),
    *(("/api/v1/column-lineage", {"nodeId": node, "depth": 2, "withDownstream": "true"}) for node in NODES[1:]),
    *(
        ("/api/v1/search", {"q": "check", "sort": sort, "limit": 100, **kind})
        for sort in ("NAME", "UPDATE_AT")
        for kind in ({}, {"filter": "JOB"}, {"filter": "DATASET"})
    ),
    (
        "/api/v1/events/lineage",
        {
            "limit": 100,
            "before": "2025-11-21T00:00:00.000Z",
            "after": "2025-11-19T00:00:00.000Z",
            "offset": 0,
            "sortDirection": "desc",
        },
    ),
]
READS += [
    *(
        (f"/api/v1/stats/{of}", {"period": period, "timezone": "Europe/Paris"})
        for of in ("lineage-events", "jobs", "datasets", "sources")
        for period in ("DAY", "WEEK")
    ),
    *((f"/api/v2beta/search/{of}", {"q": "check"}) for of in ("jobs", "datasets")),
]
WRITES = [
    ("PUT", "/api/v1/tags/PII", {"description": "personal data"}),
    ("POST", f"{DATASET}/tags/PII", None),
    ("DELETE", f"{DATASET}/tags/PII", None),
    ("POST", f"{DATASET}/fields/flight/tags/PII", None),
    ("DELETE", f"{DATASET}/fields/flight/tags/PII", None),
    ("POST", f"{JOB}/tags/PII", None),
    ("DELETE", f"{JOB}/tags/PII", None),
    ("DELETE", DATASET, None),
    ("DELETE", JOB, None),
]


@pytest.fixture
def loaded(api, cloud):
    """The API, after a check wrote flights."""
    checked = a_dataset("checked", STORE, fields=["flight"])
    cloud.load_events(a_run_event(run=RUN, job=CHECK, inputs=["raw"], outputs=[checked]))
    cloud.now_s += 60
    return api


def test_every_request_of_marquezs_page_succeeds(loaded):
    read = {f"{path} {query}": loaded.send("GET", path, query).status for path, query in READS}
    written = {f"{method} {path}": send(loaded, method, path, body).status for method, path, body in WRITES}

    assert {what: status for what, status in {**read, **written}.items() if status != 200} == {}


def send(api, method, path, body):
    return api.send(method, path, body=None if body is None else json.dumps(body))
