"""Column reports of facets and operations, by example, and their effect in a time range."""

from headwater_model.columns import Transformation
from tests.unit.facts.statements import a_dataset_event, a_job_event, an_event, at
from tests.unit.queries.columns.column_statements import (
    CHECKED,
    LANDING,
    RAW,
    READ,
    SUM,
    a_schema,
    column_lineage,
    lineage,
    lineage_entry,
    lineage_of,
    operations,
    read,
    taken,
    transform,
    write,
)
from tests.unit.queries.columns.short_results import (
    CHAIN,
    MOVED,
    field,
    inputs,
    mappings,
    nodes,
    sources,
    the_node,
    version_of,
)

# Facets, one over the other

OPERATIONS = operations(
    read("read", LANDING, "body", "day"),
    transform("parse", ["read.body"], "carrier", {"name": "tail", "type": "string"}),
    transform("mask", ["parse.tail"], "tail"),
    write("write", ["parse.carrier", "mask.tail", "read.day"], RAW),
)


def test_operations_report_the_sources_of_each_written_field(queries_over):
    queries = queries_over([an_event(1, "a1", READ, inputs=[LANDING], outputs=[RAW], run_facets=OPERATIONS)])
    assert inputs(queries, RAW, "tail") == ["landing.body"]
    ways = {name: the_node(queries, RAW, name).inputs[0].transformations for name in ("carrier", "tail", "day")}
    assert ways == {
        "carrier": (Transformation("DIRECT", "TRANSFORMATION", "parse"),),
        "tail": (Transformation("DIRECT", "TRANSFORMATION", "parse, mask"),),
        "day": (Transformation("DIRECT", "IDENTITY"),),
    }


def test_operations_win_column_by_column_over_the_facet(queries_over):
    reported = column_lineage(tail=[taken(LANDING, "x")], price=[taken(LANDING, "y")])
    queries = queries_over(
        [an_event(1, "a1", READ, inputs=[LANDING], outputs=[(RAW, reported)], run_facets=OPERATIONS)]
    )
    assert inputs(queries, RAW, "tail") == ["landing.body"]
    assert inputs(queries, RAW, "price") == ["landing.y"]


def test_operations_of_several_events_of_a_run_accumulate(queries_over):
    more = operations(read("r", LANDING, "price"), write("w", ["r.price"], RAW))
    start = an_event(1, "a1", READ, "START", inputs=[LANDING], outputs=[RAW], run_facets=OPERATIONS)
    queries = queries_over([start, an_event(2, "a1", READ, run_facets=more)])
    assert nodes(queries.find_columns(RAW.node_id, depth=0)) == ["raw.carrier", "raw.day", "raw.price", "raw.tail"]


def test_a_generated_field_is_made_of_nothing(queries_over):
    generated = operations(
        read("r", LANDING, "day"), transform("now", [], "loaded_at"), write("w", ["r.day", "now.loaded_at"], RAW)
    )
    node = the_node(
        queries_over([an_event(1, "a1", READ, inputs=[LANDING], outputs=[RAW], run_facets=generated)]), RAW, "loaded_at"
    )
    assert (node.inputs, node.dependencies) == ((), ())


def test_a_lineage_facet_goes_before_column_lineage(queries_over):
    reported = column_lineage(carrier=[taken(LANDING, "line")])
    better = lineage(lineage_entry(RAW, [taken(CHECKED)], carrier=[taken(LANDING, "day", SUM)], tail=[taken(LANDING)]))
    queries = queries_over([an_event(1, "a1", READ, inputs=[LANDING], outputs=[(RAW, reported)], job_facets=better)])
    node = the_node(queries, RAW, "carrier")
    assert (sources(node.inputs), sources(node.dependencies)) == (["landing.day"], ["checked.?"])
    assert inputs(queries, RAW, "tail") == ["landing.?"]


def test_what_a_lineage_facet_leaves_out_depends_on_nothing(queries_over):
    other = lineage(lineage_entry(CHECKED, [taken(LANDING)]))
    queries = queries_over(
        [an_event(1, "a1", READ, inputs=[LANDING], outputs=[(RAW, a_schema("carrier"))], job_facets=other)]
    )
    assert the_node(queries, RAW, "carrier").dependencies == ()


def test_lineage_facets_of_a_run_accumulate_and_those_of_job_events_replace(queries_over):
    first, last = (lineage(lineage_entry(RAW, **{name: [taken(LANDING, "line")]})) for name in ("carrier", "tail"))
    run = [
        an_event(1, "a1", READ, "START", inputs=[LANDING], outputs=[RAW], job_facets=first),
        an_event(2, "a1", READ, job_facets=last),
    ]
    assert nodes(queries_over(run).find_columns(RAW.node_id, depth=0)) == ["raw.carrier", "raw.tail"]
    events = [
        a_job_event(second, READ, [LANDING], [RAW], job_facets=facets) for second, facets in ((1, first), (2, last))
    ]
    assert nodes(queries_over(events).find_columns(RAW.node_id, depth=0)) == ["raw.tail"]


def test_a_dataset_event_declares_what_its_dataset_is_made_of_and_the_next_one_replaces_it(queries_over):
    first, last = ({"lineage": lineage_of(carrier=[taken(LANDING, name)])} for name in ("line", "day"))
    queries = queries_over([a_dataset_event(1, RAW, **first), a_dataset_event(2, RAW, **last)])
    node = the_node(queries, RAW, "carrier")
    assert sources(node.inputs) == ["landing.day"]
    assert [(reporter.job, reporter.declared, reporter.version) for reporter in node.reporters] == [(None, True, None)]


def test_what_was_declared_is_shown_at_its_time_and_is_not_what_the_version_itself_was_made_of(queries_over):
    declared = {**a_schema("carrier"), "lineage": lineage_of(carrier=[taken(LANDING, "line")])}
    queries = queries_over([a_dataset_event(1, RAW, **declared)])
    assert inputs(queries, RAW, "carrier", at=at(2)) == ["landing.line"]
    assert inputs(queries, RAW, "carrier", version=version_of(queries, RAW, "carrier", at(2))) == []


# Time ranges


def test_mappings_of_a_time_range_go_up_and_down(queries_over):
    assert mappings(queries_over(CHAIN), CHECKED, 0, 9) == {
        "landing -> raw": [("line", "carrier")],
        "raw -> checked": [("carrier", "carrier")],
        "checked -> estimated": [("carrier", "co2")],
    }
    assert list(mappings(queries_over(CHAIN), CHECKED, 0, 9, level=1)) == ["checked -> estimated", "raw -> checked"]


def test_a_time_range_has_the_runs_that_started_in_it(queries_over):
    assert mappings(queries_over(MOVED), CHECKED, 2, 5) == {"raw -> checked": [("carrier", "carrier")]}
    assert mappings(queries_over(MOVED), CHECKED, 2, 6) == {
        "raw -> checked": [("airline", "carrier"), ("carrier", "carrier")]
    }
    assert mappings(queries_over(MOVED), CHECKED, 3, 5) == {}


def test_a_dependency_without_columns_is_a_mapping_without_pairs(queries_over):
    assert mappings(queries_over([an_event(1, "a1", READ, "START", inputs=[LANDING], outputs=[RAW])]), RAW, 0, 9) == {
        "landing -> raw": []
    }


def test_a_loop_of_datasets_ends(queries_over):
    back = an_event(
        4, "d1", READ, inputs=[CHECKED], outputs=[(RAW, column_lineage(carrier=[taken(CHECKED, "carrier")]))]
    )
    assert list(mappings(queries_over([CHAIN[1], back]), RAW, 0, 9)) == ["checked -> raw", "raw -> checked"]
    assert nodes(queries_over([CHAIN[1], back]).find_columns(field(RAW, "carrier"), depth=9)) == [
        "raw.carrier",
        "checked.carrier",
    ]


def test_what_operations_overrule_is_no_mapping_from_either_end(queries_over):
    reported = column_lineage(carrier=[taken(CHECKED, "carrier")])
    by_hand = operations(read("r", LANDING, "carrier"), write("w", ["r.carrier"], RAW))
    queries = queries_over([an_event(1, "a1", READ, inputs=[LANDING], outputs=[(RAW, reported)], run_facets=by_hand)])
    assert mappings(queries, CHECKED, 0, 9) == {}
    assert mappings(queries, RAW, 0, 9) == {"landing -> raw": [("carrier", "carrier")]}
