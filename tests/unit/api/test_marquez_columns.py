"""Marquez's routes of columns over real events: the emissions pipeline, whose jobs report what they make of what."""

import pytest

from tests.builders_events import CALCULATE, CHECK, NAMESPACE, STORE, a_dataset_event, a_job_event
from tests.unit.api.columns_pipeline import (
    IDENTITY,
    LATER_RUN,
    PIPELINE,
    RUNS,
    SUM,
    a_dataset_made,
    a_step,
    field,
    source,
)
from tests.unit.api.graph_api import GraphApi, at


@pytest.fixture
def api():
    """The pipeline has run once."""
    return GraphApi(*PIPELINE)


def graph(api, node_id, **query):
    return api.found("/column-lineage", nodeId=node_id, **query)


def ids(form):
    return [node["id"] for node in form["graph"]]


def version_of(api, dataset):
    return api.found(f"/namespaces{at(STORE)}/datasets{at(dataset)}")["currentVersion"]


def test_a_version_is_selected_in_three_ways(api):
    version, start = version_of(api, "estimated"), field("estimated", "co2_kg")
    form = graph(api, f"{start}#{version}", depth=2)

    assert f"{start}#{version}" in ids(form)
    assert all("#" in node_id for node_id in ids(form))
    assert len(ids(form)) == 6
    (links,) = (node["data"]["links"] for node in form["graph"] if node["id"] == f"{start}#{version}")
    assert (links["version"].rpartition("/")[2], links["origins"].rpartition("%23")[2]) == (version, version)
    assert graph(api, start, depth=2, datasetVersion=version) == form
    assert graph(api, f"{start}#{version}", depth=2, datasetVersion=version.upper()) == form
    assert graph(api, start, depth=2, lineageAt="2025-11-21") == form
    # Unix seconds, as the proposal has it.
    assert graph(api, start, depth=2, lineageAt="1763683200") == form


def test_what_was_declared_without_a_run_is_shown_so():
    api = GraphApi()
    checked = a_dataset_made("checked", {"seats": [source("raw", "seats", IDENTITY)]})
    api.load(a_job_event(job=CHECK, inputs=["raw"], outputs=[checked]))
    described = a_dataset_made("summed", {"seats": [source("checked", "seats", SUM)]})
    api.load(a_dataset_event(described))

    (of_job,) = graph(api, field("checked", "seats"))["graph"][0]["data"]["reportedBy"]
    (of_dataset,) = graph(api, field("summed", "seats"))["graph"][0]["data"]["reportedBy"]
    assert (of_job["declared"], of_job["job"]["name"], of_job["links"]) == (True, CHECK, {"version": None, "run": None})
    assert (of_dataset["declared"], of_dataset["job"]) == (True, None)
    data = graph(api, field("checked", "seats"))["graph"][0]["data"]
    assert (data["fieldType"], data["type"], data["schemaKnown"]) == ("unknown", "unknown", False)
    (origin,) = api.found("/column-lineage/origins", nodeId=field("summed", "seats"))["versions"]
    assert (origin["run"], origin["links"]["run"], origin["roots"], origin["rootsReportedBy"]) == (None, None, [], None)


def test_a_column_that_no_job_writes_any_more_names_its_last_writer(api):
    api.load(a_step(CHECK, 11, ["raw"], ["rejected"], run=LATER_RUN))

    (node,) = graph(api, field("checked", "seats"))["graph"]
    writer = {"job": {"namespace": NAMESPACE, "name": CHECK}, "runId": RUNS[CHECK], "endedAt": "2025-11-20T09:00:00Z"}
    assert (node["data"]["stale"], node["data"]["lastWrittenBy"]) == (True, writer)


def test_a_dataset_lists_its_columns(api):
    path = f"/namespaces{at(STORE)}/datasets"
    (node,) = graph(api, field("estimated", "co2_kg"))["graph"]

    returned = api.found(f"{path}/estimated")["columnLineage"]
    assert returned == [
        {
            "name": "co2_kg",
            "inputFields": [{**input_field, "datasetVersion": None} for input_field in node["data"]["inputFields"]],
            "transformationDescription": None,
            "transformationType": None,
        }
    ]
    listed = {dataset["name"]: dataset["columnLineage"] for dataset in api.found(path)["datasets"]}
    assert listed["estimated"] == returned
    assert [column["name"] for column in listed["checked"]] == ["distance", "flight", "seats"]
    assert listed["landing"] is listed["raw"] is None


def test_from_a_field_to_the_records_that_its_run_reported(api):
    returned = api.found("/column-lineage/origins", nodeId=field("estimated", "co2_kg"))

    assert returned["field"]["id"] == field("estimated", "co2_kg")
    (origin,) = returned["versions"]
    assert (origin["version"], origin["run"]["id"]) == (version_of(api, "estimated"), RUNS[CALCULATE])
    assert origin["roots"] == [
        {"rootId": "flights/2013-01-01.csv", "href": "/api/v1/records/roots/flights%2F2013-01-01.csv"}
    ]
    assert origin["rootsReportedBy"] == RUNS[CALCULATE]
    versioned = f"{field('estimated', 'co2_kg')}#{origin['version']}"
    assert api.found("/column-lineage/origins", nodeId=versioned)["versions"] == returned["versions"]
