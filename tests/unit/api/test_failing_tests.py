"""Results of tests, as dbt, Great Expectations and the specification's fixtures report them, over the API."""

import pytest

from tests.builders_events import CHECK, NAMESPACE, STORE, a_dataset, a_facet, a_run_event
from tests.unit.api.graph_api import GraphApi, at

JOB = f"/namespaces/{NAMESPACE}/jobs{at(CHECK)}"
RAW = f"/namespaces{at(STORE)}/datasets/raw"
FAILED = {"assertion": "accepted_values", "success": False, "column": "carrier"}
# dbt-ol sends a facet of the dataset: integration/common/tests/dbt/structured_logs/postgres/test
# of OpenLineage at 1.52.0.
OF_DBT = a_facet("DataQualityAssertionsDataset", assertions=[FAILED])
# The specification's own example: spec/tests/DataQualityAssertionsDatasetFacet/1.json, the first of its ten.
OF_SPEC = a_facet(
    "DataQualityAssertionsDataset",
    assertions=[
        {"assertion": "accepted_values", "column": "status", "success": True},
        {"assertion": "not_null", "column": "amount", "success": True},
    ],
)
# What dbt-ol sends of a singular test, which has no dataset: integration/common/tests/dbt/singular_test/result.json.
SINGULAR = {
    "name": "test.my_project.assert_row_count_within_range",
    "status": "fail",
    "severity": "warn",
    "type": "singular",
    "description": None,
    "expected": "0",
    "actual": "5",
    "content": "select * from my_schema.orders where amount not between 0 and 10000",
    "contentType": "sql",
    "params": {},
}


def a_test_run(hour=12, *, facets=None, input_facets=None, tests=None):
    """Return the end of a run of the check that tested `raw`."""
    raw = {**a_dataset("raw"), "facets": facets or {}, "inputFacets": input_facets or {}}
    run_facets = {"test": a_facet("TestRun", tests=tests)} if tests else {}
    time = f"2025-11-20T{hour}:00:00Z"
    return a_run_event(job=CHECK, inputs=[raw], outputs=[], run_facets=run_facets, eventTime=time)


@pytest.mark.parametrize("side", ["facets", "input_facets"])
def test_a_failed_test_is_a_dataset_s_wherever_the_facet_stands(side):
    api = GraphApi(a_test_run(**{side: {"dataQualityAssertions": OF_DBT}}))
    (result,) = api.found(f"{RAW}/tests")["tests"]
    assert result == {
        "nodeId": f"dataset:{STORE}:raw",
        "outcome": "FAILED",
        "at": "2025-11-20T12:00:00Z",
        "type": "accepted_values",
        "column": "carrier",
        **dict.fromkeys(("name", "severity", "expected", "actual", "description")),
        "job": {"namespace": NAMESPACE, "name": CHECK},
        "runId": result["runId"],
    }
    assert api.found("/tests") == {"tests": [result], "totalCount": 1, "truncated": False}
    assert api.found(RAW)["tests"] == {"passed": 0, "warned": 0, "failed": 1}


def test_expectations_of_great_expectations_are_tests():
    """The facet is as `OpenLineageValidationAction` of openlineage-integration-common 1.54.0 sends it, on GX 1.24.1."""
    url = "integration/common/openlineage/common/provider/ge-assertions-dataset-facet.json"
    sent = {
        "_producer": "https://github.com/OpenLineage/OpenLineage/tree/1.54.0/client/python",
        "_schemaURL": f"https://github.com/OpenLineage/OpenLineage/tree/main/{url}",
        "assertions": [
            {"column": "carrier", "expectationType": "expect_column_values_to_not_be_null", "success": False},
            {"expectationType": "expect_table_row_count_to_be_between", "success": True},
        ],
    }
    api = GraphApi(a_test_run(input_facets={"greatExpectations_assertions": sent}))
    results = api.found(f"{RAW}/tests")["tests"]
    assert [(test["outcome"], test["type"], test["column"]) for test in results] == [
        ("FAILED", "expect_column_values_to_not_be_null", "carrier"),
        ("PASSED", "expect_table_row_count_to_be_between", None),
    ]


def test_counts_are_in_graphs_lists_and_short_forms():
    api = GraphApi(a_test_run(facets={"dataQualityAssertions": OF_SPEC}, tests=[SINGULAR]))
    expected = {
        f"dataset:{STORE}:raw": {"passed": 2, "warned": 0, "failed": 0},
        f"job:{NAMESPACE}:{CHECK}": {"passed": 0, "warned": 1, "failed": 0},
    }
    for form in ("full", "summary"):
        graph = api.found("/lineage", nodeId=f"job:{NAMESPACE}:{CHECK}", form=form)["graph"]
        assert {node["id"]: node["data"].get("tests") for node in graph} == expected
    assert api.found(JOB)["tests"] == expected[f"job:{NAMESPACE}:{CHECK}"]


def test_a_test_without_a_dataset_is_the_job_s_and_its_details_are_shown():
    api = GraphApi(a_test_run(tests=[SINGULAR]))
    (result,) = api.found(f"{JOB}/tests")["tests"]
    shown = {name: SINGULAR[name] for name in ("name", "severity", "type", "description", "expected", "actual")}
    assert result.items() >= {"outcome": "WARNED", "column": None, **shown}.items()
    assert api.found(f"{RAW}/tests")["tests"] == []


def test_a_later_result_replaces_the_failure_and_history_keeps_it():
    api = GraphApi(
        a_test_run(13, input_facets={"dataQualityAssertions": {"assertions": [{**FAILED, "success": True}]}})
    )
    api.load(a_test_run(12, input_facets={"dataQualityAssertions": OF_DBT}))
    assert api.found("/tests")["tests"] == []
    assert [result["outcome"] for result in api.found(f"{RAW}/tests/history")["tests"]] == ["PASSED", "FAILED"]
    then = "2025-11-20T12:30:00Z"
    assert [result["outcome"] for result in api.found("/tests", lineageAt=then)["tests"]] == ["FAILED"]
    assert [result["outcome"] for result in api.found(f"{RAW}/tests", lineageAt=then)["tests"]] == ["FAILED"]


def test_a_search_by_state_finds_what_fails_with_or_without_words():
    api = GraphApi(a_test_run(facets={"dataQualityAssertions": OF_DBT}, tests=[SINGULAR]))

    def hits(**query):
        return [hit["nodeId"] for hit in api.found("/search", **query)["results"]]

    raw, check = f"dataset:{STORE}:raw", f"job:{NAMESPACE}:{CHECK}"
    assert (hits(state="failing"), hits(state="warning")) == ([raw], [check])
    assert (hits(state="failing", q="check"), hits(state="failing", q="raw", form="summary")) == ([], [raw])
    assert hits(state="failing", filter="job") == []
    for refused in ({"tag": "PII"}, {"filter": "column"}, {"q": "owner:ann"}):
        assert api.get("/search", state="failing", **refused)[0] == 400
    assert api.get("/search", state="broken")[0] == 400
