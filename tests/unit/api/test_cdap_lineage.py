"""CDAP's own routes, over real events: its shapes, its empty responses, and its refusals."""

import pytest

from headwater_model.ids import DatasetId
from headwater_model.operations import render_operations
from tests.builders_events import a_dataset, a_facet, a_parent, a_run_event
from tests.builders_operations import MY_TABLE, USER_DATA, a_name_concatenation, a_read, a_write
from tests.unit.api.document_examples import END_S, START_S
from tests.unit.api.graph_api import GraphApi, at
from tests.unit.api.proxy import get

RANGE = {"start": START_S, "end": END_S}
RUNS = [f"01941f29-7c00-7ea7-b5a3-{number:012}" for number in range(1, 5)]
STARTS = [f"2025-11-20T12:0{number}:00Z" for number in range(4)]
# Sources of the sample of CDAP's design: a file of people, and a table made of it.
OFFSET, BODY = "offset", "body"


def path_of(dataset, *more):
    return f"/v3/namespaces{at(dataset.namespace)}/datasets{at(dataset.name)}/lineage{at(*more)}"


def fetch(served, dataset, *more, **query):
    """Read the JSON of a whole response."""
    response = get(served.api, path_of(dataset, *more), {**RANGE, **query})
    assert (response.status, "X-Truncated" in response.headers) == (200, False), response.body
    return response.form


def entity(dataset):
    return {"namespace": dataset.namespace, "dataset": dataset.name, "entity": "DATASET"}


def a_run_of(operations, number=0, job="convert", **run_facets):
    """A run with these recorded operations: number 0 started first."""
    reads, writes = (
        [getattr(operation, side) for operation in operations if hasattr(operation, side)]
        for side in ("source", "destination")
    )
    facet = a_facet("HeadwaterOperationsRun", operations=render_operations(operations))
    return a_run_event(
        run=RUNS[number],
        job=job,
        eventTime=STARTS[number],
        run_facets={"headwater_operations": facet, **run_facets},
        inputs=[a_dataset(dataset.name, dataset.namespace) for dataset in reads],
        outputs=[a_dataset(dataset.name, dataset.namespace) for dataset in writes],
    )


@pytest.fixture(scope="module")
def concatenation():
    """The sample of CDAP's design of the API, run twice."""
    return GraphApi(*(a_run_of(a_name_concatenation(), number) for number in (0, 1)))


def test_fields_of_the_current_schema_alone_have_no_lineage():
    nested = {"name": "address", "type": "struct", "fields": [{"name": "street", "type": "string"}]}
    schema = a_facet("SchemaDatasetFacet", fields=[{"name": "id"}, {"name": "added"}, nested])
    operations = (a_read("id", "address/street", source=USER_DATA), a_write("read.id", "read.address/street"))
    run = a_run_of(operations)
    run["outputs"][0]["facets"] = {"schema": schema}
    served = GraphApi(run)

    def listed(**query):
        return [
            (field["name"], field["lineage"]) for field in fetch(served, operations[1].destination, "fields", **query)
        ]

    assert listed(includeCurrent="true") == [
        ("added", False),
        ("address", True),
        ("address/street", True),
        ("id", True),
    ]
    assert listed(includeCurrent="True", prefix="Add") == listed(includeCurrent="true")[:3]
    assert fetch(served, operations[1].destination, "fields", includeCurrent="false") == ["address/street", "id"]


def test_whole_operations_come_in_order_with_their_programs(concatenation):
    """The write has all its inputs, also with origins unrelated to the field."""
    ((whole, programs),) = (
        entry.values() for entry in fetch(concatenation, MY_TABLE, "fields", "name", "operations")["incoming"]
    )

    assert [operation["name"] for operation in whole] == ["read", "parse", "concat", "write"]
    assert whole[0] == {
        "name": "read",
        "description": "Reading the data from the file",
        "inputs": {"endPoint": {"namespace": "myns", "name": "user_data"}},
        "outputs": {"fields": [OFFSET, BODY]},
    }
    assert whole[1]["inputs"] == {"fields": [{"origin": "read", "name": BODY}]}
    assert whole[3] == {
        "name": "write",
        "inputs": {
            "fields": [
                {"origin": origin, "name": name}
                for origin, name in (
                    ("create", "uniqueid"),
                    ("concat", "name"),
                    *(("parse", name) for name in ("age", "city", "state")),
                )
            ]
        },
        "outputs": {"endPoint": {"namespace": "myns", "name": "mytableds"}},
    }
    assert [(entry["program"]["program"], entry["lastExecutedTimeInSeconds"]) for entry in programs] == [
        ("convert", 1_763_640_060)
    ]


def test_all_fields_of_a_dataset_with_what_they_are_made_of(concatenation):
    assert fetch(concatenation, MY_TABLE, "allfieldlineage", direction="incoming") == {
        "direction": "INCOMING",
        "start-ts": START_S * 1_000,
        "end-ts": END_S * 1_000,
        "entityId": entity(MY_TABLE),
        "fields": ["age", "city", "name", "state", "uniqueid"],
        "incoming": [
            {
                "entityId": entity(USER_DATA),
                "fieldCount": 1,
                "relations": [
                    {"source": BODY, "destination": name} for name in ("age", "city", "name", "state", "uniqueid")
                ],
            }
        ],
        "outgoing": [],
    }


LAKE = [DatasetId("lake", name) for name in ("a", "b", "c", "d")]


def a_copy(number, source, destination, **run_facets):
    """A run of a job of its own: a copy of a dataset."""
    operations = (a_read("id", source=source), a_write("read.id", destination=destination))
    return a_run_of(operations, number, job=f"job-{number}", **run_facets)


@pytest.fixture(scope="module")
def chain():
    """Three jobs with copies a to b, b to c and b to d; the last two have the same parent run."""
    served = GraphApi()
    parent = {"parent": a_parent(RUNS[3])}
    served.load(
        a_copy(0, LAKE[0], LAKE[1]), a_copy(1, LAKE[1], LAKE[2], **parent), a_copy(2, LAKE[1], LAKE[3], **parent)
    )
    return served


@pytest.mark.parametrize(
    ("name", "levels", "accessed"),
    [
        ("c", 1, ["b read job-1", "c write job-1"]),
        # A sibling: the walk goes up and down, as in CDAP.
        (
            "c",
            2,
            ["a read job-0", "b write job-0", "b read job-1", "b read job-2", "c write job-1", "d write job-2"],
        ),
        ("a", 1, ["a read job-0", "b write job-0"]),
    ],
)
def test_a_datasets_lineage_goes_as_many_levels_as_requested(chain, name, levels, accessed):
    lineage = fetch(chain, DatasetId("lake", name), levels=levels)

    assert (lineage["start"], lineage["end"]) == (START_S, END_S)
    assert accessed == [
        f"{lineage['data'][relation['data']]['entityId']['dataset']} {relation['accesses'][0]} "
        f"{lineage['programs'][relation['program']]['entityId']['program']}"
        for relation in lineage["relations"]
    ]


def test_relations_of_one_program_collapse():
    served = GraphApi()
    operations = (a_read("id", source=LAKE[0]), a_write("read.id", destination=LAKE[0]))
    served.load(*(a_run_of(operations, number) for number in range(4)))

    def relations(*collapse):
        parameters = {"collapse": list(collapse)} if collapse else {}
        return [
            (relation["accesses"], len(relation["runs"]))
            for relation in fetch(served, LAKE[0], **parameters)["relations"]
        ]

    assert relations() == relations("component") == [(["read"], 1)] * 4 + [(["write"], 1)] * 4
    assert relations("run") == [(["read"], 4), (["write"], 4)]
    assert relations("ACCESS") == [(["read", "write"], 1)] * 4
    assert relations("access", "run") == [(["read", "write"], 4)]


def test_runs_roll_up_to_the_run_at_their_root(chain):
    lineage = fetch(chain, LAKE[2], rollup="workflow", levels=1)

    (program,) = lineage["programs"]
    assert lineage["programs"][program]["entityId"]["type"] == "Workflow"
    assert [(relation["program"], relation["runs"]) for relation in lineage["relations"]] == [(program, [RUNS[3]])] * 2


ROUTES = [(), ("fields",), ("fields", "id"), ("fields", "id", "operations"), ("allfieldlineage",)]
NOBODY = DatasetId("ns", "nobody")


@pytest.mark.parametrize(
    ("more", "query", "empty"),
    [
        (ROUTES[0], {}, {"start": RANGE["start"], "end": RANGE["end"], "relations": [], "data": {}, "programs": {}}),
        (ROUTES[1], {}, []),
        (ROUTES[1], {"includeCurrent": "true"}, []),
        (ROUTES[2], {"direction": "both"}, {"incoming": [], "outgoing": []}),
        (ROUTES[3], {}, {"incoming": [], "outgoing": []}),
        (ROUTES[3], {"direction": "incoming"}, {"incoming": []}),
        (
            ROUTES[4],
            {"direction": "both"},
            {
                "direction": "BOTH",
                "start-ts": RANGE["start"] * 1_000,
                "end-ts": RANGE["end"] * 1_000,
                "entityId": entity(NOBODY),
                "fields": [],
                "incoming": [],
                "outgoing": [],
            },
        ),
    ],
)
def test_what_is_unknown_is_empty(concatenation, more, query, empty):
    assert fetch(concatenation, NOBODY, *more, **query) == empty
    assert fetch(concatenation, NOBODY, *more, **query, end=RANGE["start"]).keys() == empty.keys() if empty else True


@pytest.mark.parametrize(
    ("more", "query", "fault"),
    [
        *((more, {"start": None, "direction": "both"}, "start: must be whole seconds") for more in ROUTES),
        *((more, {"start": "now-90000d", "direction": "both"}, "start: must not be before 1970") for more in ROUTES),
        (ROUTES[0], {"levels": 0}, "levels: must be a whole number from 1 to 1000"),
        (ROUTES[0], {"collapse": ["run", "program"]}, "collapse: must be one of access, run, component"),
        (ROUTES[0], {"rollup": "job"}, "rollup: must be one of workflow"),
        (ROUTES[1], {"includeCurrent": "yes"}, "includeCurrent: must be one of true, false"),
        (ROUTES[2], {}, "direction: must be one of"),
        (ROUTES[2], {"direction": "up"}, "direction: must be one of"),
        (ROUTES[3], {"direction": "up"}, "direction: must be one of"),
        (ROUTES[4], {}, "direction: must be one of"),
    ],
)
def test_what_breaks_a_rule_is_400(concatenation, more, query, fault):
    given = {name: value for name, value in {**RANGE, **query}.items() if value is not None}

    response = get(concatenation.api, path_of(MY_TABLE, *more), given)

    assert (response.status, response.form["message"][: len(fault)]) == (400, fault)


def test_operations_forward_go_to_writes_and_drops(concatenation):
    (making,) = fetch(concatenation, USER_DATA, "fields", BODY, "operations", direction="outgoing")["outgoing"]

    assert {operation["name"] for operation in making["operations"]} == {
        *("read", "parse", "concat", "drop", "drop#2", "create", "write")
    }
    dropping = next(operation for operation in making["operations"] if operation["name"] == "drop")
    assert dropping["outputs"] == {"fields": []}
