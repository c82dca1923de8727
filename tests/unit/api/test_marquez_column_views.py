"""Columns as Marquez prints them: every field, nulls included."""

from __future__ import annotations

from dataclasses import replace

import orjson
import pytest

from lineage.api.marquez.column_views import (
    column_node_id,
    render_column_lineage,
    render_columns,
    render_origins,
)
from lineage.queries.columns.results import ColumnGraph, ColumnInput, ColumnNode, Origin, Origins, Reporter
from lineage_model.columns import Column, Transformation
from lineage_model.ids import RunKey
from tests.builders_found import (
    CHECK,
    CHECKED,
    CHECKED_VERSION,
    RAW,
    RAW_VERSION,
    RUN,
    a_found_run,
    a_last_writer,
)

IDENTITY = Transformation("DIRECT", "IDENTITY", "identical", masking=False)
HASHED = Transformation("DIRECT", "TRANSFORMATION", "sha2", masking=True)
SUMMED = Transformation("DIRECT", "AGGREGATION", "sum", masking=False)
JOINED = Transformation("INDIRECT", "JOIN")
DELAY = ColumnInput(RAW, ("delay",), (IDENTITY,))
DAY_OF_PLANE = ColumnInput(RAW, ("plane", "day"), (JOINED,))
TELLER = Reporter(RunKey.of(CHECK.namespace, RUN), CHECK, CHECKED_VERSION)

CHECKED_PATH = "/api/v1/namespaces/s3%3A%2F%2Fflights/datasets/checked"
RUN_PATH = f"/api/v1/jobs/runs/{RUN}"
ORIGINS_PATH = "/api/v1/column-lineage/origins?nodeId=datasetField%3As3%3A%2F%2Fflights%3Achecked%3Adelay"


def a_column(field="delay", **changes):
    """The column `delay` of `checked`, which is the one of `raw`."""
    column = {"type": "int", "schema_known": True, "inputs": (DELAY,), "reporters": (TELLER,)}
    return ColumnNode(CHECKED, tuple(field.split(".")), **{**column, **changes})


def node(column):
    """The only node of a graph of it."""
    (form,) = render_columns(ColumnGraph((column,)))["graph"]
    return form


def ends(edges, origin):
    assert {edge["origin"] for edge in edges} <= {origin}
    return [edge["destination"] for edge in edges]


def test_a_node_tells_its_column_and_its_inputs():
    assert node(a_column()) == {
        "id": "datasetField:s3://flights:checked:delay",
        "type": "DATASET_FIELD",
        "data": {
            "namespace": "s3://flights",
            "name": "checked",
            "dataset": "checked",
            "datasetVersion": CHECKED_VERSION,
            "field": "delay",
            "fieldType": "int",
            "type": "int",
            "transformationDescription": "identical",
            "transformationType": "IDENTITY",
            "inputFields": [
                {
                    "namespace": "s3://flights",
                    "name": "raw",
                    "dataset": "raw",
                    "datasetVersion": None,
                    "field": "delay",
                    "transformationDescription": "identical",
                    "transformationType": "IDENTITY",
                    "transformations": [
                        {"type": "DIRECT", "subtype": "IDENTITY", "description": "identical", "masking": False}
                    ],
                }
            ],
            "datasetDependencies": [],
            "schemaKnown": True,
            "stale": False,
            "lastWrittenBy": None,
            "reportedBy": [
                {
                    "run": RUN,
                    "job": {"namespace": "emissions", "name": "emissions.check"},
                    "version": CHECKED_VERSION,
                    "declared": False,
                    "links": {"version": f"{CHECKED_PATH}/versions/{CHECKED_VERSION}", "run": RUN_PATH},
                }
            ],
            "links": {
                "dataset": CHECKED_PATH,
                "version": f"{CHECKED_PATH}/versions/{CHECKED_VERSION}",
                "run": RUN_PATH,
                "origins": ORIGINS_PATH,
            },
        },
        "inEdges": [
            {
                "origin": "datasetField:s3://flights:checked:delay",
                "destination": "datasetField:s3://flights:raw:delay",
            }
        ],
        "outEdges": [],
    }


def test_a_source_shows_the_version_that_was_read_and_its_edges_lead_to_the_column_without_one():
    form = node(a_column(inputs=(replace(DELAY, read_version=RAW_VERSION),)))
    assert [one["datasetVersion"] for one in form["data"]["inputFields"]] == [RAW_VERSION]
    assert [one["destination"] for one in form["inEdges"]] == ["datasetField:s3://flights:raw:delay"]


def test_a_column_of_which_nothing_is_told_is_a_node_all_the_same():
    form = node(ColumnNode(CHECKED, ("delay",)))

    data = form["data"]
    assert (data["fieldType"], data["type"], data["schemaKnown"]) == ("unknown", "unknown", False)
    assert (data["inputFields"], data["datasetDependencies"], data["reportedBy"]) == ([], [], [])
    assert (data["datasetVersion"], data["transformationType"]) == (None, None)
    assert data["links"] == {"dataset": CHECKED_PATH, "version": None, "run": None, "origins": ORIGINS_PATH}
    assert (form["inEdges"], form["outEdges"]) == ([], [])


def test_a_nested_column_is_a_path_and_a_name_with_a_dot_is_quoted():
    assert node(a_column("plane.seats"))["data"]["field"] == "plane.seats"
    assert column_node_id(CHECKED, ("plane.x", "seats")) == "datasetField:s3://flights:checked:`plane.x`.seats"


def test_dependencies_of_the_whole_dataset_stand_once_and_have_edges_where_a_column_is_named():
    dependencies = (ColumnInput(RAW, None), DAY_OF_PLANE)
    columns = [a_column(name, dependencies=dependencies) for name in ("a", "b")]
    form = render_columns(ColumnGraph(tuple(columns)))

    (dataset,) = form["datasets"]
    told = [(one["field"], [how["subtype"] for how in one["transformations"]]) for one in _dependencies(dataset)]
    assert (dataset["id"], told) == ("dataset:s3://flights:checked", [(None, []), ("plane.day", ["JOIN"])])
    for one in form["graph"]:
        assert [(source["name"], source["field"]) for source in one["data"]["inputFields"]] == [("raw", "delay")]
        assert _dependencies(one["data"]) == []
        assert ends(one["inEdges"], one["id"]) == [
            "datasetField:s3://flights:raw:delay",
            "datasetField:s3://flights:raw:plane.day",
        ]


def test_versions_of_a_dataset_depend_each_on_their_own():
    versions = [(RAW_VERSION, (DAY_OF_PLANE,)), (CHECKED_VERSION, (DELAY,))]
    columns = [a_column(version=version, dependencies=some) for version, some in versions]
    found = {one["id"]: one for one in render_columns(ColumnGraph(tuple(columns)))["datasets"]}

    assert [found[f"dataset:s3://flights:checked#{version}"]["datasetVersion"] for version, _ in versions] == [
        RAW_VERSION,
        CHECKED_VERSION,
    ]
    assert [
        [source["field"] for source in _dependencies(found[f"dataset:s3://flights:checked#{version}"])]
        for version, _ in versions
    ] == [["plane.day"], ["delay"]]


def test_an_input_of_which_nobody_told_the_column_is_the_nodes_own_dependency():
    column = a_column(inputs=(ColumnInput(RAW, None, (SUMMED,)), DELAY))
    form = node(column)

    assert [one["field"] for one in form["data"]["inputFields"]] == ["delay"]
    (told,) = _dependencies(form["data"])
    assert [how["type"] for how in told["transformations"]] == ["DIRECT"]
    assert ends(form["inEdges"], form["id"]) == ["datasetField:s3://flights:raw:delay"]


def test_what_is_an_input_and_a_dependency_has_one_edge():
    form = render_columns(ColumnGraph((a_column(dependencies=(replace(DELAY, transformations=(JOINED,)),)),)))
    (one,), (dataset,) = form["graph"], form["datasets"]

    assert ends(one["inEdges"], one["id"]) == ["datasetField:s3://flights:raw:delay"]
    assert len(one["data"]["inputFields"]) == len(_dependencies(dataset)) == 1


def test_two_thousand_columns_behind_one_filter_are_told_in_less_than_their_nodes_and_one_dependency():
    columns = [a_column(f"c{number}", inputs=(), dependencies=(DAY_OF_PLANE,)) for number in range(2_000)]
    alone = [replace(one, dependencies=()) for one in columns]
    with_filter, without = (len(orjson.dumps(render_columns(ColumnGraph(tuple(some))))) for some in (columns, alone))
    edge = len(orjson.dumps(render_columns(ColumnGraph((columns[-1],)))["graph"][0]["inEdges"]))
    assert with_filter - without <= 2_000 * edge + 1_000


def _dependencies(form):
    return form["datasetDependencies"]


def test_out_edges_point_to_what_is_made_of_the_column():
    form = node(a_column(outputs=(ColumnInput(RAW, ("b",)), ColumnInput(RAW, ("a",)))))

    assert ends(form["outEdges"], form["id"]) == [
        "datasetField:s3://flights:raw:a",
        "datasetField:s3://flights:raw:b",
    ]


def test_ids_carry_the_version_where_a_node_is_of_one():
    form = node(a_column(version=RAW_VERSION, inputs=(replace(DELAY, version=CHECKED_VERSION),)))

    assert form["id"] == f"datasetField:s3://flights:checked:delay#{RAW_VERSION}"
    assert ends(form["inEdges"], form["id"]) == [f"datasetField:s3://flights:raw:delay#{CHECKED_VERSION}"]
    assert form["data"]["datasetVersion"] == RAW_VERSION
    assert form["data"]["inputFields"][0]["datasetVersion"] == CHECKED_VERSION
    assert form["data"]["links"]["version"] == f"{CHECKED_PATH}/versions/{RAW_VERSION}"
    assert form["data"]["links"]["origins"] == f"{ORIGINS_PATH}%23{RAW_VERSION}"


def test_of_several_tellers_none_is_the_one():
    data = node(a_column(reporters=(TELLER, Reporter(RunKey.of(CHECK.namespace, "other"), CHECK, RAW_VERSION))))["data"]

    assert (data["datasetVersion"], data["links"]["version"], data["links"]["run"]) == (None, None, None)
    assert [one["run"] for one in data["reportedBy"]] == [RUN, "other"]


def test_a_declared_teller_has_no_run_to_go_to():
    (reporter,) = node(a_column(reporters=(Reporter(TELLER.run, None, None, declared=True),)))["data"]["reportedBy"]

    assert reporter == {
        "run": RUN,
        "job": None,
        "version": None,
        "declared": True,
        "links": {"version": None, "run": None},
    }


def test_a_stale_dataset_names_its_last_writer():
    data = node(a_column(stale=True, last_written_by=a_last_writer()))["data"]

    assert data["stale"] is True
    assert data["lastWrittenBy"] == {
        "job": {"namespace": "emissions", "name": "emissions.check"},
        "runId": RUN,
        "endedAt": "2025-11-20T12:00:00.500Z",
    }


@pytest.mark.parametrize(
    ("transformations", "old"),
    [
        ([], (None, None)),
        ([IDENTITY], ("IDENTITY", "identical")),
        ([HASHED], ("MASKED", "sha2")),
        ([Transformation("DIRECT", "normalised", "to UTC")], ("normalised", "to UTC")),
        ([SUMMED], (None, None)),
        ([JOINED, IDENTITY], ("IDENTITY", "identical")),
        ([Transformation("INDIRECT", "FILTER", masking=True)], (None, None)),
        ([Transformation("DIRECT")], (None, None)),
    ],
)
def test_the_deprecated_type_is_told_where_one_existed(transformations, old):
    (form,) = node(a_column(inputs=(replace(DELAY, transformations=tuple(transformations)),)))["data"]["inputFields"]

    assert (form["transformationType"], form["transformationDescription"]) == old


@pytest.mark.parametrize(
    ("inputs", "old"),
    [
        ([DELAY, ColumnInput(RAW, ("day",), (IDENTITY,))], "IDENTITY"),
        ([DELAY, ColumnInput(RAW, ("day",), (SUMMED,))], "IDENTITY"),
        ([DELAY, ColumnInput(RAW, ("day",), (HASHED,))], None),
        ([], None),
    ],
)
def test_the_deprecated_type_of_a_column_is_what_its_inputs_agree_on(inputs, old):
    assert node(a_column(inputs=tuple(inputs)))["data"]["transformationType"] == old


def test_nodes_are_sorted_by_id_and_the_nearest_stay_where_not_all_fit():
    near = [a_column(f"c{number}") for number in range(9, 0, -1)]
    whole = render_columns(ColumnGraph(tuple(near)))
    assert [one["data"]["field"] for one in whole["graph"]] == [f"c{number}" for number in range(1, 10)]
    assert whole["truncated"] is False

    room = len(orjson.dumps(orjson.dumps(whole).decode()))
    assert render_columns(ColumnGraph(tuple(near)), room) == whole
    cut = render_columns(ColumnGraph(tuple(near)), room // 2)
    assert [one["data"]["field"] for one in cut["graph"]] == ["c6", "c7", "c8", "c9"]
    assert cut["truncated"] is True
    assert len(orjson.dumps(orjson.dumps(cut).decode())) <= room // 2
    assert [one["data"]["field"] for one in render_columns(ColumnGraph(tuple(near)), 1)["graph"]] == ["c9"]


def test_a_graph_that_was_cut_before_says_so():
    assert render_columns(ColumnGraph((a_column(),), truncated=True))["truncated"] is True


def test_the_columns_of_a_dataset_are_null_where_nothing_is_told():
    assert render_column_lineage([]) is None


def test_the_columns_of_a_dataset_tell_their_inputs():
    generated = ColumnNode(CHECKED, ("checked_at",))
    data = node(a_column())["data"]

    assert render_column_lineage([a_column(), generated]) == [
        {
            "name": "delay",
            "inputFields": data["inputFields"],
            "transformationDescription": "identical",
            "transformationType": "IDENTITY",
        },
        {
            "name": "checked_at",
            "inputFields": [],
            "transformationDescription": None,
            "transformationType": None,
        },
    ]


def test_a_field_leads_to_the_records_that_its_runs_reported():
    column = Column(CHECKED, ("delay",))
    made = Origin(CHECKED_VERSION, a_found_run(), ("flights/2013-01-01.csv", "é"), RUN)

    assert render_origins(Origins(column, (made, Origin(RAW_VERSION, None, ())), truncated=True)) == {
        "field": {
            "id": "datasetField:s3://flights:checked:delay",
            "namespace": "s3://flights",
            "name": "checked",
            "dataset": "checked",
            "field": "delay",
        },
        "versions": [
            {
                "version": CHECKED_VERSION,
                "run": {
                    "id": RUN,
                    "job": {"namespace": "emissions", "name": "emissions.check"},
                    "state": "COMPLETED",
                    "startedAt": "2025-11-20T11:00:00Z",
                    "endedAt": "2025-11-20T12:00:00.500Z",
                },
                "links": {"version": f"{CHECKED_PATH}/versions/{CHECKED_VERSION}", "run": RUN_PATH},
                "roots": [
                    {
                        "rootId": "flights/2013-01-01.csv",
                        "href": "/api/v1/records/roots/flights%2F2013-01-01.csv",
                    },
                    {"rootId": "é", "href": "/api/v1/records/roots/%C3%A9"},
                ],
                "rootsReportedBy": RUN,
            },
            {
                "version": RAW_VERSION,
                "run": None,
                "links": {"version": f"{CHECKED_PATH}/versions/{RAW_VERSION}", "run": None},
                "roots": [],
                "rootsReportedBy": None,
            },
        ],
        "truncated": True,
    }
