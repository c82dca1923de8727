"""CDAP's queries over real events: the designs' samples, and both ways in for columns."""

import pytest

from headwater_model.ids import DatasetId
from headwater_model.operations import render_operations
from tests.builders_events import a_dataset, a_facet, a_parent, a_run_event
from tests.builders_operations import MY_TABLE, USER_DATA, a_name_concatenation, a_read, a_transform, a_write
from tests.unit.api.document_examples import END_S, START_S
from tests.unit.api.graph_api import GraphApi
from tests.unit.api.proxy import get

RANGE = {"start": START_S, "end": END_S}
RUN, LATER_RUN, PIPELINE_RUN = (f"01941f29-7c00-7ea7-b5a3-{number:012}" for number in (1, 2, 3))
PERSON, EMPLOYEE = DatasetId("ns", "Person"), DatasetId("ns", "Employee")


def an_event_of(operations, inputs, outputs, **changes):
    """A run that reported its operations."""
    facet = a_facet("HeadwaterOperationsRun", operations=render_operations(operations))
    event = {
        "run_facets": {"headwater_operations": facet, **changes.pop("run_facets", {})},
        "inputs": [a_dataset(dataset.name, dataset.namespace) for dataset in inputs],
        "outputs": [a_dataset(dataset.name, dataset.namespace) for dataset in outputs],
    }
    return a_run_event(**{**event, **changes})


def fetch(served, path, **query):
    """The JSON of a question that has an answer."""
    response = get(served.api, path, {**RANGE, **query})
    assert (response.status, "X-Truncated" in response.headers) == (200, False)
    return response.form


UNIQUE_ID = "/v3/namespaces/myns/datasets/mytableds/fields/uniqueid/lineage"


@pytest.fixture
def concatenation():
    """The sample of CDAP's design of the API has run, once, in a pipeline."""
    served = GraphApi()
    parent = {"parent": a_parent(PIPELINE_RUN)}
    served.load(an_event_of(a_name_concatenation(), [USER_DATA], [MY_TABLE], run=RUN, run_facets=parent))
    return served


def test_the_unique_id_of_the_design_is_made_in_one_way(concatenation):
    assert fetch(concatenation, UNIQUE_ID) == {
        "fieldName": "uniqueid",
        "startTimeInSeconds": START_S,
        "endTimeInSeconds": END_S,
        "paths": [
            {
                "operations": [
                    {
                        "inputs": ["source"],
                        "outputs": ["offset", "body"],
                        "name": "read",
                        "description": "Reading the data from the file",
                        "source": {"namespace": "myns", "name": "user_data"},
                    },
                    {
                        "inputs": ["body"],
                        "outputs": ["firstName", "lastName", "age", "city", "state"],
                        "name": "parse",
                        "description": "parsing the input body field",
                    },
                    {
                        "inputs": ["firstName", "lastName"],
                        "outputs": ["name"],
                        "name": "concat",
                        "description": "concatenating the first name and last name",
                    },
                    {
                        "inputs": ["name"],
                        "outputs": ["uniqueid"],
                        "name": "create",
                        "description": "creating unique id from the name field",
                    },
                ],
                "runs": [PIPELINE_RUN],
            }
        ],
    }


def test_the_simple_view_of_the_design(concatenation):
    (path,) = fetch(concatenation, UNIQUE_ID, view="simple")["paths"]

    assert path["edges"] == [
        {
            "from": "body",
            "to": "uniqueid",
            "operations": ["parse", "concat", "create"],
            "source": {"namespace": "myns", "name": "user_data"},
        }
    ]


def test_the_detailed_view_of_the_design(concatenation):
    (path,) = fetch(concatenation, UNIQUE_ID, view="detailed")["paths"]

    assert {(edge["from"], edge["operation"], edge["to"]) for edge in path["edges"]} == {
        ("read.body", "parse", "parse.firstName"),
        ("read.body", "parse", "parse.lastName"),
        ("parse.firstName", "concat", "concat.name"),
        ("parse.lastName", "concat", "concat.name"),
        ("concat.name", "create", "create.uniqueid"),
    }


def test_a_dropped_field_goes_to_the_operation_that_dropped_it(concatenation):
    path = "/v3/namespaces/myns/endpoints/user_data/fields/body/lineage"

    assert {"drop", "drop#2"} <= {
        operation["name"] for operation in fetch(concatenation, path, direction="outgoing")["operations"]
    }
    assert fetch(concatenation, path, direction="incoming")["nodes"] == []


@pytest.mark.parametrize(("start", "end", "ways"), [(0, 1, 1), (1, 2, 0), (-1, 0, 0), (0, 0, 0), (-1, 1, 1)])
def test_a_run_counts_by_its_start_in_seconds_from_noon(concatenation, start, end, ways):
    noon_s = START_S + 12 * 3600

    assert len(fetch(concatenation, UNIQUE_ID, start=noon_s + start, end=noon_s + end)["paths"]) == ways


def a_schema(**types):
    return {"schema": a_facet("SchemaDatasetFacet", fields=[{"name": name, "type": types[name]} for name in types])}


@pytest.fixture
def typed():
    """A run whose operations give one type, and schemas that give others."""
    given = {"type": "TRANSFORM", "name": "concat", "outputs": [{"name": "name", "type": "varchar"}]}
    operations = (
        a_read("id", "first_name", source=PERSON),
        a_transform("concat", ["read.first_name"], ["name"]),
        a_transform("greet", ["concat.name"], ["greeting"]),
        a_write("read.id", "concat.name", "greet.greeting", destination=EMPLOYEE),
    )
    event = an_event_of(operations, [PERSON], [EMPLOYEE])
    event["run"]["facets"]["headwater_operations"]["operations"][1].update(given)
    event["inputs"][0]["facets"] = a_schema(id="long", first_name="string")
    event["outputs"][0]["facets"] = a_schema(id="long", name="string")
    return GraphApi(event)


def test_mappings_have_the_types_of_operations_else_of_schemas_else_none(typed):
    (mapping,) = fetch(typed, "/v3/namespaces/ns/endpoints/Employee/fields/lineage")

    assert mapping["fieldmap"] == [
        {"from": "first_name", "to": "greeting", "fromType": "string"},
        {"from": "id", "to": "id", "fromType": "long", "toType": "long"},
        {"from": "first_name", "to": "name", "fromType": "string", "toType": "varchar"},
    ]


def test_nodes_and_paths_have_the_types_of_their_fields(typed):
    detail = fetch(typed, "/v3/namespaces/ns/endpoints/Employee/fields/greeting/lineage", direction="backward")
    types = {"read.first_name": "string", "concat.name": "varchar", "greet.greeting": None}
    assert {node["id"]: node.get("type") for node in detail["nodes"]} == types

    path = "/v3/namespaces/ns/datasets/Employee/fields/name/lineage"
    paths = {view: fetch(typed, path, view=view) for view in ("simple", "detailed")}
    assert {path["fieldType"] for path in paths.values()} == {"varchar"}
    assert paths["simple"]["paths"][0]["edges"][0]["fromType"] == "string"
    assert [node["type"] for node in paths["detailed"]["paths"][0]["nodes"]] == ["string", "varchar"]
    assert "fieldType" not in fetch(typed, path.replace("/name/", "/greeting/"))
