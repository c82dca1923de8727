"""Marquez's routes of columns over real events: the emissions pipeline, whose jobs report what they make of what."""

import pytest

from tests.builders_events import CALCULATE, CHECK, NAMESPACE, STORE, a_dataset_event, a_job_event
from tests.unit.api.columns_pipeline import (
    FIELDS,
    FILTER,
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


def ends(form, node_id, side):
    """Return the other ends of a node's edges on one side; the edges begin at the node."""
    (node,) = (node for node in form["graph"] if node["id"] == node_id)
    assert {edge["origin"] for edge in node[side]} <= {node_id}
    return [edge["destination"] for edge in node[side]]


def version_of(api, dataset):
    return api.found(f"/namespaces{at(STORE)}/datasets{at(dataset)}")["currentVersion"]


def test_a_column_is_shown_with_its_inputs_and_no_more_than_was_requested(api):
    form = graph(api, field("estimated", "co2_kg"))

    (node,) = form["graph"]
    assert form["truncated"] is False
    assert (node["id"], node["data"]["type"], node["outEdges"]) == (field("estimated", "co2_kg"), "double", [])
    assert [(input_field["dataset"], input_field["field"]) for input_field in node["data"]["inputFields"]] == [
        ("checked", "distance"),
        ("checked", "seats"),
    ]
    assert ends(form, node["id"], "inEdges") == [field("checked", "distance"), field("checked", "seats")]


def test_each_depth_adds_the_sources_of_those_before(api):
    start = field("estimated", "co2_kg")
    of_checked = [field("checked", name) for name in ("distance", "seats")]
    of_raw = [field("raw", name) for name in ("distance", "flight", "seats")]

    assert ids(graph(api, start, depth=0)) == [start]
    assert ids(graph(api, start, depth=1)) == [*of_checked, start]
    assert ids(graph(api, start, depth=2)) == [*of_checked, start, *of_raw]
    assert graph(api, start, depth=20) == graph(api, start, depth=2)


def test_a_source_column_has_what_is_made_of_it_when_requested(api):
    start = field("raw", "distance")

    assert ids(graph(api, start, depth=5)) == [start]
    form = graph(api, start, depth=5, withDownstream="true")
    assert (ends(form, start, "inEdges"), ends(form, start, "outEdges")) == ([], [field("checked", "distance")])
    assert ids(form) == [field("checked", "distance"), field("estimated", "co2_kg"), start]


@pytest.mark.parametrize("word", ["true", "True", "TRUE"])
def test_with_downstream_is_a_word_in_any_case(api, word):
    assert len(ids(graph(api, field("raw", "seats"), depth=1, withDownstream=word))) == 2
    assert graph(api, field("raw", "seats"), withDownstream="False") == graph(api, field("raw", "seats"))


def test_a_field_is_spelled_either_way(api):
    spelled = field("checked", "seats").replace("datasetField", "dataset_field")

    assert graph(api, spelled) == graph(api, field("checked", "seats"))


def test_transformations_survive_and_the_deprecated_type_with_them(api):
    (node,) = graph(api, field("checked", "distance"))["graph"]

    returned = {input_field["field"]: input_field for input_field in node["data"]["inputFields"]}
    assert returned["distance"]["transformations"] == [IDENTITY]
    assert returned["distance"]["transformationType"] == "IDENTITY"
    assert returned["flight"]["transformations"] == [FILTER]
    assert returned["flight"]["transformationType"] is None
    assert node["data"]["transformationType"] == "IDENTITY"


def test_the_words_of_old_facets_are_shown_as_they_were_sent(api):
    columns = {"flight": [source("raw", "flight")]}
    checked = a_dataset_made("checked", columns, transformationType="MASKED", transformationDescription="hashed")
    api.load(a_step(CHECK, 11, ["raw"], [checked], run=LATER_RUN))

    (node,) = graph(api, field("checked", "flight"))["graph"]
    (returned,) = node["data"]["inputFields"]
    assert (returned["transformationType"], returned["transformationDescription"]) == ("MASKED", "hashed")
    assert returned["transformations"] == [
        {"type": "DIRECT", "subtype": "TRANSFORMATION", "description": "hashed", "masking": True}
    ]


def test_what_a_whole_dataset_depends_on_stands_once_with_an_edge_from_each_of_its_columns(api):
    whole = [source("raw", "flight", FILTER)]
    output = a_dataset_made("checked", {"seats": [source("raw", "seats", IDENTITY)]}, FIELDS, whole)
    api.load(a_step(CHECK, 11, ["raw"], [output], run=LATER_RUN))

    form = graph(api, f"dataset:{STORE}:checked")
    (checked,) = form["datasets"]
    (returned,) = checked["datasetDependencies"]
    assert (checked["id"], checked["datasetVersion"]) == (f"dataset:{STORE}:checked", None)
    assert (returned["dataset"], returned["field"], returned["transformations"]) == ("raw", "flight", [FILTER])
    assert [node["data"]["datasetDependencies"] for node in form["graph"]] == [[]] * len(form["graph"])
    assert ends(form, field("checked", "seats"), "inEdges") == [field("raw", "flight"), field("raw", "seats")]
    down = graph(api, field("raw", "flight"), depth=1, withDownstream="true")
    assert ends(down, field("raw", "flight"), "outEdges") == ids(form)


def test_columns_of_which_nobody_reported_depend_on_the_jobs_inputs(api):
    form = graph(api, field("raw", "flight"))
    (node,), (raw,) = form["graph"], form["datasets"]

    (returned,) = raw["datasetDependencies"]
    assert (returned["dataset"], returned["field"], returned["transformations"]) == ("landing", None, [])
    assert (node["data"]["inputFields"], node["inEdges"]) == ([], [])


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


def test_links_lead_on(api):
    (node,) = graph(api, field("estimated", "co2_kg"))["graph"]

    links = {name: path.removeprefix("/api/v1") for name, path in node["data"]["links"].items()}
    assert api.found(links["dataset"])["name"] == "estimated"
    assert api.found(links["version"])["version"] == version_of(api, "estimated")
    assert api.found(links["run"])["id"] == RUNS[CALCULATE]
    assert links["origins"].startswith("/column-lineage/origins?nodeId=")


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
