"""The report of impact, as JSON and as a table."""

import csv
from io import StringIO

import pytest

from tests.builders_events import CHECK, a_dataset, a_facet, a_run_event
from tests.unit.api import columns_pipeline
from tests.unit.api.columns_pipeline import field
from tests.unit.api.graph_api import GraphApi
from tests.unit.api.proxy import get
from tests.unit.api.test_marquez_routes import CHECK_JOB, CHECKED, PIPELINE, RAW

PATH = "/api/v1/reports/impact"


@pytest.fixture(scope="module")
def api():
    return GraphApi(*PIPELINE)


@pytest.fixture(scope="module")
def columns():
    return GraphApi(*columns_pipeline.PIPELINE)


def test_a_depth_of_one_is_two_jobs_each_way_from_a_dataset_and_one_from_a_job():
    api = GraphApi()
    for number in range(6):
        run, sides = f"00000000-0000-4000-8000-00000000000{number}", (f"d{number}", f"d{number + 1}")
        inputs, outputs = ([a_dataset(side)] for side in sides)
        api.load(a_run_event(run=run, job=f"j{number}", inputs=inputs, outputs=outputs))

    def jobs(nodes, name):
        return [node[name].rpartition(":")[2] for node in nodes if node["type"] == "JOB"]

    drawn = {
        (node, depth): (
            jobs(api.graph(node, depth=depth)["graph"], "id"),
            jobs(api.found("/reports/impact", nodeId=node, depth=depth)["impacted"], "nodeId"),
        )
        for node in ("dataset:s3://flights:d3", "job:emissions:j3")
        for depth in (0, 1)
    }
    assert list(drawn.values()) == [
        (["j2", "j3"], ["j3"]),
        (["j1", "j2", "j3", "j4"], ["j3", "j4"]),
        (["j3"], []),
        (["j2", "j3", "j4"], ["j4"]),
    ]


def test_a_table_has_a_row_for_each(api):
    response = get(api.api, PATH, {"nodeId": RAW, "format": "csv"})

    rows = list(csv.DictReader(StringIO(response.body)))
    assert response.headers["Content-Disposition"] == 'attachment; filename="impact.csv"'
    assert [(row["section"], row["hops"], row["id"]) for row in rows][:3] == [
        ("query", "", RAW),
        ("impacted", "1", CHECK_JOB),
        ("impacted", "2", CHECKED),
    ]
    assert (rows[1]["state"], rows[1]["started"]) == ("COMPLETED", "2025-11-20T09:00:00Z")


def test_a_table_of_a_column_has_a_row_for_each_column_job_and_dataset(columns):
    requested = {"nodeId": field("raw", "flight"), "format": "csv", "depth": 0}
    rows = list(csv.DictReader(StringIO(get(columns.api, PATH, requested).body)))

    assert [(row["hops"], row["type"], row["name"], row["field"], row["direct"]) for row in rows] == [
        ("", "", "raw", "flight", ""),
        ("1", "DATASET", "checked", "", "true"),
        ("1", "DATASET_FIELD", "checked", "distance", "false"),
        ("1", "DATASET_FIELD", "checked", "flight", "true"),
        ("1", "DATASET_FIELD", "checked", "seats", "false"),
        ("1", "JOB", CHECK, "", "true"),
    ]
    assert {(row["masked"], row["certain"], row["through"]) for row in rows[1:]} == {
        ("false", "true", field("raw", "flight"))
    }
    assert (rows[-1]["state"], rows[-1]["started"]) == ("COMPLETED", "2025-11-20T09:00:00Z")


@pytest.mark.parametrize(
    ("query", "status", "begins"),
    [
        ({"nodeId": "dataset:no:where"}, 404, "Node 'dataset:no:where' not found."),
        ({"nodeId": "run:a"}, 400, "nodeId: must be dataset:<namespace>:<name> or job:"),
        ({"nodeId": "datasetField:a:b:c"}, 404, "Node 'datasetField:a:b:c' not found."),
        ({"nodeId": "datasetField:a"}, 400, "nodeId: must be datasetField:<namespace>:<name>:<field>"),
        ({"nodeId": RAW, "start": "now-1d"}, 400, "start: "),
        ({}, 400, "nodeId: must be given"),
    ],
)
def test_what_breaks_a_rule_is_refused(api, query, status, begins):
    response = api.get("/reports/impact", **query)
    assert (response[0], response[1]["message"][: len(begins)]) == (status, begins)


def test_a_job_that_read_another_part_than_was_written_is_marked():
    def part(side, day):
        condition = {"type": "location", "locations": [f"s3://flights/raw/day={day}"]}
        return {f"{side}Facets": {"subset": a_facet("Subset", "1-0-0", **{f"{side}Condition": condition})}}

    api = GraphApi(
        a_run_event(job="read", inputs=[], outputs=[a_dataset("raw", **part("output", 2))]),
        a_run_event(
            run="01941f29-7c00-7ea7-b5a3-4d2d5f0a1b2d",
            job=CHECK,
            inputs=[a_dataset("raw", **part("input", 1))],
            outputs=[],
        ),
    )
    report = api.found("/reports/impact", nodeId="job:emissions:read")
    graph = api.found("/lineage", nodeId=RAW)["graph"]
    table = get(api.api, PATH, {"nodeId": "job:emissions:read", "format": "csv"}).body
    rows = list(csv.reader(StringIO(table)))

    assert [row.get("readsOtherPart") for row in report["impacted"]] == [None, True]
    assert [row[-1] for row in rows] == ["readsOtherPart", "", "", "true"]
    assert rows[0][-2] == "id"
    assert [node["readsOtherPartOf"] for node in graph if "readsOtherPartOf" in node] == [[RAW]]
