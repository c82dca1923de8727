"""Every request that Marquez's web page makes, with its parameters, without the page.

From `web/src/store/requests/*.ts` of MarquezProject/marquez at a89b89c (after 0.51.1). `getJobsByState` is left out: no
view of the page calls it.
"""

from __future__ import annotations

import json

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
# Not built: the statistics of its home page, and the search of a deployment with OpenSearch.
MISSING = [
    *((f"/api/v1/stats/{of}", {"period": "DAY", "timezone": "UTC"}) for of in ("lineage-events", "jobs", "datasets")),
    ("/api/v1/stats/sources", {"period": "WEEK", "timezone": "UTC"}),
    *((f"/api/v2beta/search/{of}", {"q": "check"}) for of in ("jobs", "datasets")),
]


def test_every_request_of_marquezs_page_succeeds_but_for_those_that_are_known_to_be_missing(api, cloud):
    checked = a_dataset("checked", STORE, fields=["flight"])
    cloud.load_events(a_run_event(run=RUN, job=CHECK, inputs=["raw"], outputs=[checked]))
    cloud.now_s += 60

    read = {f"{path} {query}": api.send("GET", path, query).status for path, query in READS}
    written = {f"{method} {path}": send(api, method, path, body).status for method, path, body in WRITES}
    missing = {path: api.send("GET", path, query).status for path, query in MISSING}

    assert {what: status for what, status in {**read, **written}.items() if status != 200} == {}
    assert set(missing.values()) == {404}


def send(api, method, path, body):
    return api.send(method, path, body=None if body is None else json.dumps(body))
