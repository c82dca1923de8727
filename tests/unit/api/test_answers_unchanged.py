"""Without our own parameters every answer of Marquez's routes stays as it was before they came, byte for byte."""

import hashlib

import pytest

from tests.builders_events import CALCULATE, CHECK, NAMESPACE, STORE
from tests.unit.api.graph_api import GraphApi, at
from tests.unit.api.proxy import get
from tests.unit.api.test_marquez_routes import CHECK_JOB, CHECKED, PIPELINE, RAW, RUNS

JOBS, DATASETS = f"/namespaces/{NAMESPACE}/jobs", f"/namespaces{at(STORE)}/datasets"
WHOLE = {"direction": "both", "form": "full"}
# The beginning of the SHA-256 of an answer, its request, and the parameters that name the default.
RESPONSES = [
    ("12c61c4eba89cdf5", "/lineage", {"nodeId": CHECK_JOB}, WHOLE),
    ("bf884b8437ac7826", "/lineage", {"nodeId": RAW, "depth": 0}, WHOLE),
    ("ae071e70335e58ad", "/lineage", {"nodeId": RAW, "lineageAt": "2025-11-20T09:00:00Z"}, WHOLE),
    ("69733a522627b12e", "/search", {"q": "c"}, {}),
    ("66b15412b0219e65", "/search", {"q": "d", "filter": "column"}, {}),
    ("69733a522627b12e", "/search", {"q": "c", "sort": "updated_at"}, {}),
    ("f6d7d31f2d4338d2", "/jobs", {}, {}),
    ("d48551323d30eb73", JOBS, {"limit": 1, "offset": 1}, {}),
    ("f6d7d31f2d4338d2", "/jobs", {"lastRunStates": "COMPLETED"}, {}),
    ("7529766d5c24c111", DATASETS, {}, {}),
    ("31f6659d905c2298", f"{JOBS}/{CHECK}/runs", {}, {}),
    ("5a177df8f33dbe0b", "/events/lineage", {}, {}),
    ("a50112fecb13dd63", "/events/lineage", {"limit": 2, "sortDirection": "asc"}, {}),
    ("605860a47411a458", "/runlineage/upstream", {"runId": RUNS[CALCULATE]}, {}),
    ("259bc67bc7a5db5f", "/column-lineage", {"nodeId": CHECKED, "depth": 2}, {}),
    ("bfe569ab14c12a53", "/column-lineage", {"nodeId": RAW, "withDownstream": "true"}, {}),
]


@pytest.fixture(scope="module")
def api():
    return GraphApi(*PIPELINE).api


@pytest.mark.parametrize(("sha256", "path", "query", "default"), RESPONSES)
def test_a_response_without_our_parameters_stays_byte_for_byte(api, sha256, path, query, default):
    for given in (query, {**query, **default}):
        response = get(api, f"/api/v1{path}", given)
        assert (response.status, hashlib.sha256(response.body.encode()).hexdigest()[:16]) == (200, sha256)
