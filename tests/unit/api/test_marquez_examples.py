"""The examples of the OpenAPI document are what the API answers once the example's run has been."""

from __future__ import annotations

import pytest

from lineage.api import examples_columns
from lineage.api import examples_runs as examples
from tests.unit.api.marquez_asker import Asker, at

STORE, RUN = at(examples.NAMESPACE), examples.RUN_ID
JOB = f"/namespaces/{examples.JOBS}/jobs/{examples.JOB_NAME}"
CHECKED = f"/namespaces{STORE}/datasets/checked"


@pytest.fixture(scope="module")
def api():
    asker = Asker()
    asker.load({**examples.EVENT, "eventType": "START", "eventTime": "2025-11-20T11:00:00Z"}, examples.EVENT)
    return asker


@pytest.fixture(scope="module")
def estimated():
    asker = Asker()
    asker.load(examples_columns.EVENT)
    return asker


@pytest.mark.parametrize(
    ("path", "query", "example"),
    [
        (f"/namespaces{STORE}", {}, examples.NAMESPACE_FORM),
        (CHECKED, {}, examples.DATASET),
        (f"{CHECKED}/versions/{examples.DATASET_VERSION}", {}, examples.DATASET_VERSION_FORM),
        (JOB, {}, examples.JOB),
        (f"{JOB}/versions/{examples.JOB_VERSION}", {}, examples.JOB_VERSION_FORM),
        (f"/jobs/runs/{RUN}", {}, examples.RUN),
        ("/lineage", {"nodeId": f"job:{examples.JOBS}:{examples.JOB_NAME}"}, examples.GRAPH),
        ("/runlineage/upstream", {"runId": RUN}, examples.UPSTREAM),
        ("/events/lineage", {"limit": 1}, {"events": [examples.EVENT], "totalCount": 2, "truncated": False}),
        ("/search", {"q": "CHECKED"}, {"results": [examples.HIT], "totalCount": 1, "truncated": False}),
    ],
)
def test_an_example_is_a_real_answer(api, path, query, example):
    assert api.found(path, **query) == example


@pytest.mark.parametrize(
    ("path", "example"),
    [("/column-lineage", examples_columns.GRAPH), ("/column-lineage/origins", examples_columns.ORIGINS)],
)
def test_an_example_of_columns_is_a_real_answer(estimated, path, example):
    assert estimated.found(path, nodeId=examples_columns.NODE_ID) == example


def test_the_example_of_a_datasets_columns_is_a_real_answer(estimated):
    told = estimated.found(f"/namespaces{STORE}/datasets/estimated")["columnLineage"]
    assert told[0] == examples_columns.COLUMN_LINEAGE
