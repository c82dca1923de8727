"""The graph of columns, by example: its nodes, their reporters, and their transformations."""

import pytest

from headwater_model.columns import Transformation
from tests.unit.facts.statements import an_event
from tests.unit.queries.columns.column_statements import (
    CHECK,
    CHECKED,
    ESTIMATED,
    JOINED,
    LANDING,
    RAW,
    READ,
    a_schema,
    column_lineage,
    taken,
)
from tests.unit.queries.columns.short_results import CHAIN, field, inputs, nodes, sources, the_node

# The pipeline: landing -> raw -> checked -> estimated


@pytest.mark.parametrize(
    ("depth", "columns"),
    [
        (0, ["estimated.co2"]),
        (1, ["estimated.co2", "checked.carrier"]),
        (2, ["estimated.co2", "checked.carrier", "raw.carrier"]),
        (9, ["estimated.co2", "checked.carrier", "raw.carrier", "landing.line"]),
    ],
)
def test_each_level_of_depth_adds_what_the_columns_before_are_made_of(queries_over, depth, columns):
    assert nodes(queries_over(CHAIN).find_columns(field(ESTIMATED, "co2"), depth=depth)) == columns


def test_a_source_column_has_downstream(queries_over):
    graph = queries_over(CHAIN).find_columns(field(LANDING, "line"), depth=9, downstream=True)
    assert nodes(graph) == ["landing.line", "raw.carrier", "checked.carrier", "estimated.co2"]
    assert [sources(node.outputs) for node in graph.columns] == [
        ["raw.carrier"],
        ["checked.carrier"],
        ["estimated.co2"],
        [],
    ]


# Reporters


def test_a_running_batch_does_not_count_and_a_failed_one_does(queries_over):
    reported = [(CHECKED, column_lineage(carrier=[taken(RAW, "airline")]))]
    start = an_event(3, "b2", CHECK, "START", inputs=[RAW], outputs=reported)
    assert inputs(queries_over([*CHAIN[:2], start]), CHECKED, "carrier") == ["raw.carrier"]
    assert inputs(queries_over([*CHAIN[:2], start, an_event(4, "b2", CHECK, "FAIL")]), CHECKED, "carrier") == [
        "raw.airline"
    ]


def test_a_writer_that_never_reported_depends_on_its_inputs_in_an_unknown_way(queries_over):
    queries = queries_over([an_event(1, "a1", READ, inputs=[LANDING], outputs=[(RAW, a_schema("carrier"))])])
    node = the_node(queries, RAW, "carrier")
    assert (node.inputs, sources(node.dependencies)) == ((), ["landing.?"])
    assert nodes(queries.find_columns(field(RAW, "carrier"), depth=9)) == ["raw.carrier"]


@pytest.mark.parametrize(
    ("old", "meant"),
    [
        (
            {"transformationType": "IDENTITY", "transformationDescription": "as is"},
            ("DIRECT", "IDENTITY", "as is", False),
        ),
        ({"transformationType": "MASKED", "transformationDescription": ""}, ("DIRECT", "TRANSFORMATION", "", True)),
        ({"transformationType": "HASH"}, ("DIRECT", "HASH", None, None)),
    ],
)
def test_old_transformations_are_shown_in_the_new_words(queries_over, old, meant):
    reported = {"columnLineage": {"fields": {"carrier": {"inputFields": [taken(LANDING, "line")], **old}}}}
    node = the_node(
        queries_over([an_event(1, "a1", READ, inputs=[LANDING], outputs=[(RAW, reported)])]), RAW, "carrier"
    )
    assert node.inputs[0].transformations == (Transformation(*meant),)


def test_dependencies_of_the_whole_dataset_belong_to_each_of_its_columns(queries_over):
    reported = {
        **column_lineage([taken(LANDING, "day", JOINED)], carrier=[taken(LANDING, "line")]),
        **a_schema("carrier", "tail"),
    }
    queries = queries_over([an_event(1, "a1", READ, inputs=[LANDING], outputs=[(RAW, reported)])])
    graph = queries.find_columns(field(RAW, "tail"), depth=9)
    assert nodes(graph) == ["raw.tail", "landing.day"]
    assert sources(graph.columns[0].dependencies) == ["landing.day"]
    down = queries.find_columns(field(LANDING, "day"), depth=9, downstream=True)
    assert nodes(down) == ["landing.day", "raw.carrier", "raw.tail"]
