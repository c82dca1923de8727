"""The graph of columns, by example: its nodes, their reporters, and their transformations."""

from dataclasses import replace

import pytest

from headwater.facts.run_facts import run_version_id
from headwater_model.columns import Transformation
from headwater_model.ids import DatasetId, RunKey
from tests.unit.facts.statements import a_dataset_event, a_deletion, an_event, at
from tests.unit.facts.strategies import a_symlink, stamped
from tests.unit.queries.columns.column_statements import (
    CALCULATE,
    CHECK,
    CHECKED,
    ESTIMATED,
    HASHED,
    JOINED,
    LANDING,
    RAW,
    READ,
    SUM,
    a_schema,
    column_lineage,
    taken,
)
from tests.unit.queries.columns.short_results import CHAIN, MOVED, field, inputs, nodes, sources, the_node

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


def test_without_downstream_no_node_shows_its_outputs(queries_over):
    assert [node.outputs for node in queries_over(CHAIN).find_columns(field(CHECKED, "carrier"), depth=9).columns] == [
        ()
    ] * 3


def test_a_column_that_is_known_from_an_edge_alone_is_kept(queries_over):
    queries = queries_over([*CHAIN, a_dataset_event(4, LANDING, **a_schema("day"))])
    node = the_node(queries, LANDING, "line")
    assert (node.type, node.schema_known, node.inputs) == ("unknown", True, ())
    assert queries.find_columns(field(LANDING, "never"), depth=0) is None


def test_a_node_has_the_place_of_its_column_in_the_schema(queries_over):
    reported = {**a_schema("tail", "carrier"), **column_lineage(carrier=[taken(RAW, "carrier")])}
    queries = queries_over([*CHAIN[:2], an_event(3, "c1", CHECK, inputs=[RAW], outputs=[(CHECKED, reported)])])
    assert the_node(queries, CHECKED, "carrier").place == 2
    assert the_node(queries, RAW, "carrier").place is None


def test_siblings_are_no_nodes_but_every_node_shows_its_own_edges_in_full(queries_over):
    reported = column_lineage(co2=[taken(CHECKED, "carrier")], cost=[taken(CHECKED, "carrier")])
    graph = queries_over(
        [*CHAIN[:2], an_event(3, "c1", CALCULATE, inputs=[CHECKED], outputs=[(ESTIMATED, reported)])]
    ).find_columns(field(ESTIMATED, "co2"), depth=9, downstream=True)
    assert nodes(graph) == ["estimated.co2", "checked.carrier", "raw.carrier", "landing.line"]
    assert [sources(node.outputs) for node in graph.columns] == [
        [],
        ["estimated.co2", "estimated.cost"],
        ["checked.carrier"],
        ["raw.carrier"],
    ]


# Reporters


def test_two_writers_unite(queries_over):
    other = column_lineage(carrier=[taken(LANDING, "line", SUM)], tail=[taken(LANDING, "tail")])
    queries = queries_over([*CHAIN[:2], an_event(3, "c1", CALCULATE, inputs=[LANDING], outputs=[(CHECKED, other)])])
    assert inputs(queries, CHECKED, "carrier") == ["landing.line", "raw.carrier"]
    assert nodes(queries.find_columns(CHECKED.node_id, depth=0)) == ["checked.carrier", "checked.tail"]
    assert {reporter.job for reporter in the_node(queries, CHECKED, "carrier").reporters} == {CHECK, CALCULATE}


def test_a_source_has_the_version_that_its_reporter_read(queries_over):
    queries = queries_over([*CHAIN[:2], an_event(7, "a2", READ, inputs=[LANDING], outputs=[RAW])])
    version = the_node(queries, RAW, "carrier").reporters[0].version
    assert [source.read_version for source in the_node(queries, CHECKED, "carrier").inputs] == [version]


def test_all_that_a_writer_without_a_report_read_has_the_version_read(queries_over):
    queries = queries_over([CHAIN[0], an_event(2, "b1", CHECK, inputs=[RAW], outputs=[(CHECKED, a_schema("carrier"))])])
    version = the_node(queries, RAW, "carrier").reporters[0].version
    assert [source.read_version for source in the_node(queries, CHECKED, "carrier").dependencies] == [version]


def test_a_source_of_which_its_reporters_read_several_versions_has_none(queries_over):
    """The other column has one reporter, and so one version."""
    newer = an_event(7, "a2", READ, inputs=[LANDING], outputs=[RAW])
    both = column_lineage(carrier=[taken(RAW, "carrier")], tail=[taken(RAW, "tail")])
    queries = queries_over([*CHAIN[:2], newer, an_event(8, "c1", CALCULATE, inputs=[RAW], outputs=[(CHECKED, both)])])
    newest = run_version_id(RAW, RunKey.of(READ, newer.run))
    inputs_by_path = {path: the_node(queries, CHECKED, path).inputs for path in ("carrier", "tail")}
    assert {path: [source.read_version for source in sources] for path, sources in inputs_by_path.items()} == {
        "carrier": [None],
        "tail": [newest],
    }


def test_a_job_that_writes_elsewhere_reports_nothing_of_its_former_outputs(queries_over):
    queries = queries_over([*CHAIN[:2], an_event(3, "b2", CHECK, inputs=[RAW], outputs=[ESTIMATED])])
    assert queries.find_columns(field(CHECKED, "carrier"), depth=0) is None
    assert queries.find_columns(CHECKED.node_id, depth=0).columns == ()


def test_the_last_run_that_reported_counts_not_one_that_only_wrote(queries_over):
    queries = queries_over([*CHAIN[:2], an_event(3, "b2", CHECK, inputs=[RAW, LANDING], outputs=[CHECKED])])
    assert inputs(queries, CHECKED, "carrier") == ["raw.carrier"]


def test_a_running_batch_does_not_count_and_a_failed_one_does(queries_over):
    reported = [(CHECKED, column_lineage(carrier=[taken(RAW, "airline")]))]
    start = an_event(3, "b2", CHECK, "START", inputs=[RAW], outputs=reported)
    assert inputs(queries_over([*CHAIN[:2], start]), CHECKED, "carrier") == ["raw.carrier"]
    assert inputs(queries_over([*CHAIN[:2], start, an_event(4, "b2", CHECK, "FAIL")]), CHECKED, "carrier") == [
        "raw.airline"
    ]


def test_an_active_stream_counts(queries_over):
    stream = {"jobType": {"processingType": "STREAMING"}}
    reported = [(CHECKED, column_lineage(carrier=[taken(RAW, "airline")]))]
    start = an_event(3, "b2", CHECK, "RUNNING", inputs=[RAW], outputs=reported, job_facets=stream)
    assert inputs(queries_over([*CHAIN[:2], start]), CHECKED, "carrier") == ["raw.airline"]


def test_a_writer_that_never_reported_depends_on_its_inputs_in_an_unknown_way(queries_over):
    queries = queries_over([an_event(1, "a1", READ, inputs=[LANDING], outputs=[(RAW, a_schema("carrier"))])])
    node = the_node(queries, RAW, "carrier")
    assert (node.inputs, sources(node.dependencies)) == ((), ["landing.?"])
    assert nodes(queries.find_columns(field(RAW, "carrier"), depth=9)) == ["raw.carrier"]


def test_an_empty_report_is_explicit(queries_over):
    queries = queries_over(
        [an_event(1, "a1", READ, inputs=[LANDING], outputs=[(RAW, {**a_schema("carrier"), **column_lineage()})])]
    )
    assert the_node(queries, RAW, "carrier").dependencies == ()


def test_the_latest_facet_of_a_run_stays(queries_over):
    first, last = (column_lineage(carrier=[taken(LANDING, name)]) for name in ("line", "field_2"))
    start = an_event(1, "a1", READ, "START", inputs=[LANDING], outputs=[(RAW, first)])
    assert inputs(queries_over([start, an_event(2, "a1", READ, outputs=[(RAW, last)])]), RAW, "carrier") == [
        "landing.field_2"
    ]


def test_what_is_hidden_is_no_source_and_no_node(queries_over):
    queries = queries_over([*CHAIN, a_deletion(9, RAW)])
    assert nodes(queries.find_columns(field(CHECKED, "carrier"), depth=9)) == ["checked.carrier"]
    assert inputs(queries, CHECKED, "carrier") == []
    assert queries.find_columns(field(RAW, "carrier"), depth=0) is None


def test_a_dataset_is_one_under_all_its_names(queries_over):
    table = DatasetId("arn:aws:glue:eu-west-1:1", "table/flights/raw")
    reported = column_lineage(carrier=[taken(LANDING, "line")])
    events = [
        an_event(1, "a1", READ, inputs=[LANDING], outputs=[(RAW, {**reported, **a_symlink(table)})]),
        an_event(
            2, "b1", CHECK, inputs=[table], outputs=[(CHECKED, column_lineage(carrier=[taken(table, "carrier")]))]
        ),
    ]
    assert inputs(queries_over(events), CHECKED, "carrier") == ["raw.carrier"]
    assert nodes(queries_over(events).find_columns(field(table, "carrier"), depth=9)) == ["raw.carrier", "landing.line"]


def test_a_reporter_of_the_whole_is_named_even_if_its_source_is_hidden_now_or_then(queries_over):
    reported = {**a_schema("carrier"), **column_lineage([taken(LANDING, "day", JOINED)])}
    queries = queries_over(
        [an_event(1, "a1", READ, inputs=[LANDING], outputs=[(RAW, reported)]), a_deletion(2, LANDING)]
    )
    for how in ({}, {"at": at(9)}):
        node = the_node(queries, RAW, "carrier", **how)
        assert (node.dependencies, [reporter.job for reporter in node.reporters]) == ((), [READ])


# Reports


def test_transformations_survive(queries_over):
    reported = column_lineage(carrier=[taken(LANDING, "line", HASHED, JOINED)])
    node = the_node(
        queries_over([an_event(1, "a1", READ, inputs=[LANDING], outputs=[(RAW, reported)])]), RAW, "carrier"
    )
    assert node.inputs[0].transformations == (
        Transformation("DIRECT", "TRANSFORMATION", "sha2", masking=True),
        Transformation("INDIRECT", "JOIN"),
    )


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


def test_a_column_whose_type_changed_is_one_column(queries_over):
    events = [
        replace(
            event,
            outputs=(replace(event.outputs[0], facets={**event.outputs[0].facets, **a_schema(("carrier", kind))}),),
        )
        for event, kind in zip((MOVED[1], MOVED[2]), ("string", "int"), strict=True)
    ]
    queries = queries_over([MOVED[0], *map(stamped, events)])
    assert nodes(queries.find_columns(CHECKED.node_id, depth=0)) == ["checked.carrier"]
    assert the_node(queries, CHECKED, "carrier").type == "int"
    assert the_node(queries, CHECKED, "carrier", at=at(5)).type == "string"


def test_a_nested_field_is_found_by_its_path(queries_over):
    facets = {
        **a_schema(("plane", "struct", [("tail", "string")])),
        **column_lineage(**{"plane.tail": [taken(LANDING, "line")]}),
    }
    queries = queries_over([an_event(1, "a1", READ, inputs=[LANDING], outputs=[(RAW, facets)])])
    assert inputs(queries, RAW, "plane.tail") == ["landing.line"]
    assert the_node(queries, RAW, "plane.tail").type == "string"
    assert nodes(queries.find_columns(RAW.node_id, depth=0)) == ["raw.plane", "raw.plane.tail"]


def test_the_columns_of_a_job_are_those_of_what_it_writes(queries_over):
    assert nodes(queries_over(CHAIN).find_columns(CHECK.node_id, depth=1)) == ["checked.carrier", "raw.carrier"]


# Other names


def test_what_a_run_reported_under_another_name_of_what_its_job_writes_still_counts(queries_over):
    reported = column_lineage(carrier=[taken(RAW, "airline")])
    events = [
        an_event(1, "b1", CHECK, inputs=[RAW], outputs=[(CHECKED, {**reported, **a_symlink(ESTIMATED)})]),
        an_event(2, "b2", CHECK, inputs=[RAW], outputs=[ESTIMATED]),
    ]
    queries = queries_over(events)
    for name in (CHECKED, ESTIMATED):
        assert inputs(queries, name, "carrier") == ["raw.airline"]
    assert sources(the_node(queries, RAW, "airline", downstream=True).outputs) == ["checked.carrier"]


def test_the_latest_report_of_a_dataset_counts_under_whichever_name(queries_over):
    first, last = (column_lineage(carrier=[taken(RAW, name)]) for name in ("airline", "code"))
    events = [
        an_event(1, "b1", CHECK, inputs=[RAW], outputs=[(CHECKED, {**first, **a_symlink(ESTIMATED)})]),
        an_event(2, "b2", CHECK, inputs=[RAW], outputs=[(ESTIMATED, last)]),
        an_event(3, "b3", CHECK, inputs=[RAW], outputs=[CHECKED]),
    ]
    assert inputs(queries_over(events), CHECKED, "carrier") == ["raw.code"]


@pytest.mark.parametrize("named", [1, 3], ids=["known at once", "learned later"])
def test_what_a_job_reported_under_another_name_is_found_below_what_it_no_longer_reads(queries_over, named):
    reported = column_lineage(carrier=[taken(RAW, "airline")])
    events = [
        an_event(1, "b1", CHECK, inputs=[RAW], outputs=[(CHECKED, reported)]),
        an_event(2, "b2", CHECK, outputs=[ESTIMATED]),
        a_dataset_event(named, CHECKED, **a_symlink(ESTIMATED)),
    ]
    assert sources(the_node(queries_over(events), RAW, "airline", downstream=True).outputs) == ["checked.carrier"]
