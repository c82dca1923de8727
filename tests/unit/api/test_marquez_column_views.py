"""Columns as Marquez prints them: every field, nulls included."""

from dataclasses import replace

import orjson
import pytest

from headwater.api.marquez.columns import render_columns
from headwater.queries.results.columns import ColumnGraph, ColumnInput, ColumnNode, Reporter
from headwater_model.columns import Column, Transformation
from headwater_model.ids import RunKey
from tests.builders_found import CHECK, CHECKED, CHECKED_VERSION, RAW, RAW_VERSION, RUN

IDENTITY = Transformation("DIRECT", "IDENTITY", "identical", masking=False)
HASHED = Transformation("DIRECT", "TRANSFORMATION", "sha2", masking=True)
SUMMED = Transformation("DIRECT", "AGGREGATION", "sum", masking=False)
JOINED = Transformation("INDIRECT", "JOIN")
DELAY = ColumnInput(RAW, ("delay",), (IDENTITY,))
DAY_OF_PLANE = ColumnInput(RAW, ("plane", "day"), (JOINED,))
REPORTER = Reporter(RunKey.of(CHECK, RUN), CHECK, CHECKED_VERSION)


def a_column(field="delay", **changes):
    """The column `delay` of `checked`, which is the one of `raw`."""
    column = {"type": "int", "schema_known": True, "inputs": (DELAY,), "reporters": (REPORTER,)}
    return ColumnNode(CHECKED, tuple(field.split(".")), **{**column, **changes})


def rendered(*arguments):
    return orjson.loads(orjson.dumps(render_columns(*arguments)))


def node(column):
    """The only node of a graph of it."""
    (form,) = rendered(ColumnGraph((column,)))["graph"]
    return form


def ends(edges, origin):
    assert {edge["origin"] for edge in edges} <= {origin}
    return [edge["destination"] for edge in edges]


def test_a_nested_column_is_a_path_and_a_name_with_a_dot_is_quoted():
    assert node(a_column("plane.seats"))["data"]["field"] == "plane.seats"
    assert Column(CHECKED, ("plane.x", "seats")).node_id == "datasetField:s3://flights:checked:`plane.x`.seats"


def test_dependencies_of_the_whole_dataset_stand_once_and_have_edges_where_a_column_is_named():
    dependencies = (ColumnInput(RAW, None), DAY_OF_PLANE)
    columns = [a_column(name, dependencies=dependencies) for name in ("a", "b")]
    form = rendered(ColumnGraph(tuple(columns)))

    (dataset,) = form["datasets"]
    returned = [
        (dependency["field"], [how["subtype"] for how in dependency["transformations"]])
        for dependency in _dependencies(dataset)
    ]
    assert (dataset["id"], returned) == ("dataset:s3://flights:checked", [(None, []), ("plane.day", ["JOIN"])])
    for node in form["graph"]:
        assert [(source["name"], source["field"]) for source in node["data"]["inputFields"]] == [("raw", "delay")]
        assert _dependencies(node["data"]) == []
        assert ends(node["inEdges"], node["id"]) == [
            "datasetField:s3://flights:raw:delay",
            "datasetField:s3://flights:raw:plane.day",
        ]


def test_versions_of_a_dataset_depend_each_on_their_own():
    versions = [(RAW_VERSION, (DAY_OF_PLANE,)), (CHECKED_VERSION, (DELAY,))]
    columns = [a_column(version=version, dependencies=dependencies) for version, dependencies in versions]
    datasets = {dataset["id"]: dataset for dataset in rendered(ColumnGraph(tuple(columns)))["datasets"]}

    assert [datasets[f"dataset:s3://flights:checked#{version}"]["datasetVersion"] for version, _ in versions] == [
        RAW_VERSION,
        CHECKED_VERSION,
    ]
    assert [
        [source["field"] for source in _dependencies(datasets[f"dataset:s3://flights:checked#{version}"])]
        for version, _ in versions
    ] == [["plane.day"], ["delay"]]


def test_an_input_of_which_nobody_reported_the_column_is_the_nodes_own_dependency():
    column = a_column(inputs=(ColumnInput(RAW, None, (SUMMED,)), DELAY))
    form = node(column)

    assert [input_field["field"] for input_field in form["data"]["inputFields"]] == ["delay"]
    (returned,) = _dependencies(form["data"])
    assert [how["type"] for how in returned["transformations"]] == ["DIRECT"]
    assert ends(form["inEdges"], form["id"]) == ["datasetField:s3://flights:raw:delay"]


def _dependencies(form):
    return form["datasetDependencies"]


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
def test_the_deprecated_type_is_shown_where_one_existed(transformations, old):
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
    nodes = [a_column(f"c{number}") for number in range(9, 0, -1)]
    whole = rendered(ColumnGraph(tuple(nodes)))
    assert [node["data"]["field"] for node in whole["graph"]] == [f"c{number}" for number in range(1, 10)]
    assert whole["truncated"] is False

    room = len(orjson.dumps(orjson.dumps(whole).decode()))
    assert rendered(ColumnGraph(tuple(nodes)), room) == whole
    cut = rendered(ColumnGraph(tuple(nodes)), room // 2)
    assert [node["data"]["field"] for node in cut["graph"]] == ["c6", "c7", "c8", "c9"]
    assert cut["truncated"] is True
    assert len(orjson.dumps(orjson.dumps(cut).decode())) <= room // 2
    assert [node["data"]["field"] for node in rendered(ColumnGraph(tuple(nodes)), 1)["graph"]] == ["c9"]
