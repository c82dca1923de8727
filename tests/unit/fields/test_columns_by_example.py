"""What the rules about columns mean, one example each: the model and the loaders' table must both answer so."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lineage.errors import Invalid
from lineage.fields.columns import Transformation
from lineage.fields.found import Window
from lineage.fields.questions import FieldQuestions
from lineage.names import DatasetId
from tests.fields_model import FieldModel
from tests.unit.fields.telling import (
    CALCULATE,
    CHECK,
    CHECKED,
    ESTIMATED,
    HASHED,
    IDENTITY,
    JOINED,
    LANDING,
    RAW,
    READ,
    SUM,
    a_dataset_event,
    a_deletion,
    a_job_event,
    a_schema,
    an_event,
    at,
    column_lineage,
    lineage,
    lineage_entry,
    lineage_of,
    operations,
    read,
    taken,
    the,
    transform,
    write,
)
from tests.unit.runs.asking import loaded
from tests.unit.runs.strategies import a_symlink, stamped


@pytest.fixture(params=["model", "loaded"])
def ask(request):
    """Who answers questions about statements: the model, or what loaders made of them, one by one, the last first."""
    if request.param == "model":
        return FieldModel
    return lambda statements: FieldQuestions(loaded(*([one] for one in statements[::-1])))


def field(dataset, path):
    return f"datasetField:{dataset.namespace}:{dataset.name}:{path}"


def short(dataset, path):
    """A column as tests write it: `checked.carrier`."""
    return f"{dataset.name}.{'.'.join(path or ('?',))}"


def nodes(graph):
    return [short(one.dataset, one.field) for one in graph.columns]


def sources(found):
    return [short(one.dataset, one.field) for one in found]


def the_node(questions, dataset, path, **how):
    """The column itself, as it is told."""
    return questions.find_columns(field(dataset, path), depth=0, **how).columns[0]


def inputs(questions, dataset, path, **how):
    return sources(the_node(questions, dataset, path, **how).inputs)


# The pipeline: landing -> raw -> checked -> estimated

CHAIN = [
    an_event(
        1, "a1", READ, inputs=[LANDING], outputs=[(RAW, column_lineage(carrier=[taken(LANDING, "line", IDENTITY)]))]
    ),
    an_event(
        2, "b1", CHECK, inputs=[RAW], outputs=[(CHECKED, column_lineage(carrier=[taken(RAW, "carrier", IDENTITY)]))]
    ),
    an_event(
        3,
        "c1",
        CALCULATE,
        inputs=[CHECKED],
        outputs=[(ESTIMATED, column_lineage(co2=[taken(CHECKED, "carrier", SUM)]))],
    ),
]


@pytest.mark.parametrize(
    ("depth", "columns"),
    [
        (0, ["estimated.co2"]),
        (1, ["estimated.co2", "checked.carrier"]),
        (2, ["estimated.co2", "checked.carrier", "raw.carrier"]),
        (9, ["estimated.co2", "checked.carrier", "raw.carrier", "landing.line"]),
    ],
)
def test_each_level_of_depth_adds_what_the_columns_before_are_made_of(ask, depth, columns):
    assert nodes(ask(CHAIN).find_columns(field(ESTIMATED, "co2"), depth=depth)) == columns


def test_a_source_column_has_downstream(ask):
    graph = ask(CHAIN).find_columns(field(LANDING, "line"), depth=9, downstream=True)
    assert nodes(graph) == ["landing.line", "raw.carrier", "checked.carrier", "estimated.co2"]
    assert [sources(one.outputs) for one in graph.columns] == [
        ["raw.carrier"],
        ["checked.carrier"],
        ["estimated.co2"],
        [],
    ]


def test_without_downstream_no_node_tells_what_is_made_of_it(ask):
    assert [one.outputs for one in ask(CHAIN).find_columns(field(CHECKED, "carrier"), depth=9).columns] == [()] * 3


def test_a_column_that_is_known_from_an_edge_alone_is_kept(ask):
    questions = ask([*CHAIN, a_dataset_event(4, LANDING, **a_schema("day"))])
    node = the_node(questions, LANDING, "line")
    assert (node.type, node.schema_known, node.inputs) == ("unknown", True, ())
    assert questions.find_columns(field(LANDING, "never"), depth=0) is None


def test_siblings_do_not_appear(ask):
    told = column_lineage(co2=[taken(CHECKED, "carrier")], cost=[taken(CHECKED, "carrier")])
    graph = ask([*CHAIN[:2], an_event(3, "c1", CALCULATE, inputs=[CHECKED], outputs=[(ESTIMATED, told)])]).find_columns(
        field(ESTIMATED, "co2"), depth=9, downstream=True
    )
    assert nodes(graph) == ["estimated.co2", "checked.carrier", "raw.carrier", "landing.line"]
    assert [sources(one.outputs) for one in graph.columns] == [
        [],
        ["estimated.co2"],
        ["checked.carrier"],
        ["raw.carrier"],
    ]


# The present and the past

MOVED = [
    *CHAIN[:2],
    an_event(
        5, "b2", CHECK, inputs=[RAW], outputs=[(CHECKED, column_lineage(carrier=[taken(RAW, "airline", IDENTITY)]))]
    ),
]


def version_of(questions, dataset, path, time):
    return the_node(questions, dataset, path, at=time).version


def test_an_edge_that_the_job_no_longer_makes_is_gone_and_still_there_at_the_old_version(ask):
    questions = ask(MOVED)
    assert inputs(questions, CHECKED, "carrier") == ["raw.airline"]
    old = version_of(questions, CHECKED, "carrier", at(5))
    assert inputs(questions, CHECKED, "carrier", version=old) == ["raw.carrier"]
    graph = questions.find_columns(f"{field(CHECKED, 'carrier')}#{old}", depth=9)
    assert nodes(graph) == ["checked.carrier", "raw.carrier", "landing.line"]
    assert questions.find_columns(field(RAW, "carrier"), depth=9, downstream=True).columns[0].outputs == ()


@pytest.mark.parametrize(
    ("time", "made_of"), [(at(3), ["raw.carrier"]), (at(5), ["raw.carrier"]), (at(6), ["raw.airline"])]
)
def test_at_a_time_the_latest_version_strictly_before_it_tells(ask, time, made_of):
    assert inputs(ask(MOVED), CHECKED, "carrier", at=time) == made_of


def test_before_its_first_version_there_is_nothing(ask):
    questions = ask(MOVED)
    assert questions.find_columns(field(CHECKED, "carrier"), depth=0, at=at(2)) is None
    assert questions.find_columns(CHECKED.node_id, depth=0, at=at(2)) is None


def test_a_version_leads_to_the_versions_that_its_run_read(ask):
    again = an_event(
        6, "a2", READ, inputs=[LANDING], outputs=[(RAW, column_lineage(carrier=[taken(LANDING, "field_2")]))]
    )
    graph = ask([*CHAIN[:2], again]).find_columns(field(CHECKED, "carrier"), depth=9, at=at(9))
    assert nodes(graph) == ["checked.carrier", "raw.carrier", "landing.line"]
    assert [teller.run for one in graph.columns for teller in one.tellers] == [the("b1"), the("a1")]


def test_selectors_that_disagree_are_refused(ask):
    questions = ask(MOVED)
    version = version_of(questions, CHECKED, "carrier", at(9))
    for how in ({"at": at(9)}, {"downstream": True}, {"version": the("ff")}):
        with pytest.raises(Invalid):
            questions.find_columns(f"{field(CHECKED, 'carrier')}#{version}", depth=0, **how)
    with pytest.raises(Invalid):
        questions.find_columns(field(CHECKED, "carrier"), depth=0, at=at(9), downstream=True)


def test_a_version_that_is_none_of_the_dataset_is_unknown(ask):
    assert ask(MOVED).find_columns(field(CHECKED, "carrier"), depth=0, version=the("ff")) is None


# Who tells


def test_two_writers_unite(ask):
    other = column_lineage(carrier=[taken(LANDING, "line", SUM)], tail=[taken(LANDING, "tail")])
    questions = ask([*CHAIN[:2], an_event(3, "c1", CALCULATE, inputs=[LANDING], outputs=[(CHECKED, other)])])
    assert inputs(questions, CHECKED, "carrier") == ["landing.line", "raw.carrier"]
    assert nodes(questions.find_columns(CHECKED.node_id, depth=0)) == ["checked.carrier", "checked.tail"]
    assert {one.job for one in the_node(questions, CHECKED, "carrier").tellers} == {CHECK, CALCULATE}


def test_a_job_that_writes_elsewhere_tells_nothing_of_what_it_wrote_once(ask):
    questions = ask([*CHAIN[:2], an_event(3, "b2", CHECK, inputs=[RAW], outputs=[ESTIMATED])])
    assert questions.find_columns(field(CHECKED, "carrier"), depth=0) is None
    assert questions.find_columns(CHECKED.node_id, depth=0).columns == ()


def test_the_last_run_that_told_counts_not_one_that_only_wrote(ask):
    questions = ask([*CHAIN[:2], an_event(3, "b2", CHECK, inputs=[RAW, LANDING], outputs=[CHECKED])])
    assert inputs(questions, CHECKED, "carrier") == ["raw.carrier"]


def test_a_running_batch_does_not_count_and_a_failed_one_does(ask):
    told = [(CHECKED, column_lineage(carrier=[taken(RAW, "airline")]))]
    start = an_event(3, "b2", CHECK, "START", inputs=[RAW], outputs=told)
    assert inputs(ask([*CHAIN[:2], start]), CHECKED, "carrier") == ["raw.carrier"]
    assert inputs(ask([*CHAIN[:2], start, an_event(4, "b2", CHECK, "FAIL")]), CHECKED, "carrier") == ["raw.airline"]


def test_an_active_stream_counts(ask):
    stream = {"jobType": {"processingType": "STREAMING"}}
    told = [(CHECKED, column_lineage(carrier=[taken(RAW, "airline")]))]
    start = an_event(3, "b2", CHECK, "RUNNING", inputs=[RAW], outputs=told, job_facets=stream)
    assert inputs(ask([*CHAIN[:2], start]), CHECKED, "carrier") == ["raw.airline"]


def test_a_writer_that_never_told_depends_on_its_inputs_in_an_unknown_way(ask):
    questions = ask([an_event(1, "a1", READ, inputs=[LANDING], outputs=[(RAW, a_schema("carrier"))])])
    node = the_node(questions, RAW, "carrier")
    assert (node.inputs, sources(node.dependencies)) == ((), ["landing.?"])
    assert nodes(questions.find_columns(field(RAW, "carrier"), depth=9)) == ["raw.carrier"]


def test_an_empty_telling_is_explicit(ask):
    questions = ask(
        [an_event(1, "a1", READ, inputs=[LANDING], outputs=[(RAW, {**a_schema("carrier"), **column_lineage()})])]
    )
    assert the_node(questions, RAW, "carrier").dependencies == ()


def test_the_latest_facet_of_a_run_stays(ask):
    first, last = (column_lineage(carrier=[taken(LANDING, name)]) for name in ("line", "field_2"))
    start = an_event(1, "a1", READ, "START", inputs=[LANDING], outputs=[(RAW, first)])
    assert inputs(ask([start, an_event(2, "a1", READ, outputs=[(RAW, last)])]), RAW, "carrier") == ["landing.field_2"]


def test_what_is_hidden_is_no_source_and_no_node(ask):
    questions = ask([*CHAIN, a_deletion(9, RAW)])
    assert nodes(questions.find_columns(field(CHECKED, "carrier"), depth=9)) == ["checked.carrier"]
    assert inputs(questions, CHECKED, "carrier") == []
    assert questions.find_columns(field(RAW, "carrier"), depth=0) is None


def test_a_dataset_is_one_under_all_its_names(ask):
    table = DatasetId("arn:aws:glue:eu-west-1:1", "table/flights/raw")
    told = column_lineage(carrier=[taken(LANDING, "line")])
    events = [
        an_event(1, "a1", READ, inputs=[LANDING], outputs=[(RAW, {**told, **a_symlink(table)})]),
        an_event(
            2, "b1", CHECK, inputs=[table], outputs=[(CHECKED, column_lineage(carrier=[taken(table, "carrier")]))]
        ),
    ]
    assert inputs(ask(events), CHECKED, "carrier") == ["raw.carrier"]
    assert nodes(ask(events).find_columns(field(table, "carrier"), depth=9)) == ["raw.carrier", "landing.line"]


# What is told


def test_transformations_survive(ask):
    told = column_lineage(carrier=[taken(LANDING, "line", HASHED, JOINED)])
    node = the_node(ask([an_event(1, "a1", READ, inputs=[LANDING], outputs=[(RAW, told)])]), RAW, "carrier")
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
def test_old_transformations_are_told_in_the_new_words(ask, old, meant):
    told = {"columnLineage": {"fields": {"carrier": {"inputFields": [taken(LANDING, "line")], **old}}}}
    node = the_node(ask([an_event(1, "a1", READ, inputs=[LANDING], outputs=[(RAW, told)])]), RAW, "carrier")
    assert node.inputs[0].transformations == (Transformation(*meant),)


def test_dependencies_of_the_whole_dataset_belong_to_each_of_its_columns(ask):
    told = {
        **column_lineage([taken(LANDING, "day", JOINED)], carrier=[taken(LANDING, "line")]),
        **a_schema("carrier", "tail"),
    }
    questions = ask([an_event(1, "a1", READ, inputs=[LANDING], outputs=[(RAW, told)])])
    graph = questions.find_columns(field(RAW, "tail"), depth=9)
    assert nodes(graph) == ["raw.tail", "landing.day"]
    assert sources(graph.columns[0].dependencies) == ["landing.day"]
    down = questions.find_columns(field(LANDING, "day"), depth=9, downstream=True)
    assert nodes(down) == ["landing.day", "raw.carrier", "raw.tail"]


def test_a_column_whose_type_changed_is_one_column(ask):
    events = [
        replace(
            one, outputs=(replace(one.outputs[0], facets={**one.outputs[0].facets, **a_schema(("carrier", kind))}),)
        )
        for one, kind in zip((MOVED[1], MOVED[2]), ("string", "int"), strict=True)
    ]
    questions = ask([MOVED[0], *map(stamped, events)])
    assert nodes(questions.find_columns(CHECKED.node_id, depth=0)) == ["checked.carrier"]
    assert the_node(questions, CHECKED, "carrier").type == "int"
    assert the_node(questions, CHECKED, "carrier", at=at(5)).type == "string"


def test_a_nested_field_is_found_by_its_path(ask):
    facets = {
        **a_schema(("plane", "struct", [("tail", "string")])),
        **column_lineage(**{"plane.tail": [taken(LANDING, "line")]}),
    }
    questions = ask([an_event(1, "a1", READ, inputs=[LANDING], outputs=[(RAW, facets)])])
    assert inputs(questions, RAW, "plane.tail") == ["landing.line"]
    assert the_node(questions, RAW, "plane.tail").type == "string"
    assert nodes(questions.find_columns(RAW.node_id, depth=0)) == ["raw.plane", "raw.plane.tail"]


def test_the_columns_of_a_job_are_those_of_what_it_writes(ask):
    assert nodes(ask(CHAIN).find_columns(CHECK.node_id, depth=1)) == ["checked.carrier", "raw.carrier"]


# Facets, one over the other

OPERATIONS = operations(
    read("read", LANDING, "body", "day"),
    transform("parse", ["read.body"], "carrier", {"name": "tail", "type": "string"}),
    transform("mask", ["parse.tail"], "tail"),
    write("write", ["parse.carrier", "mask.tail", "read.day"], RAW),
)


def test_operations_tell_what_each_written_field_is_made_of(ask):
    questions = ask([an_event(1, "a1", READ, inputs=[LANDING], outputs=[RAW], run_facets=OPERATIONS)])
    assert inputs(questions, RAW, "tail") == ["landing.body"]
    ways = {name: the_node(questions, RAW, name).inputs[0].transformations for name in ("carrier", "tail", "day")}
    assert ways == {
        "carrier": (Transformation("DIRECT", "TRANSFORMATION", "parse"),),
        "tail": (Transformation("DIRECT", "TRANSFORMATION", "parse, mask"),),
        "day": (Transformation("DIRECT", "IDENTITY"),),
    }


def test_operations_win_column_by_column_over_the_facet(ask):
    told = column_lineage(tail=[taken(LANDING, "x")], price=[taken(LANDING, "y")])
    questions = ask([an_event(1, "a1", READ, inputs=[LANDING], outputs=[(RAW, told)], run_facets=OPERATIONS)])
    assert inputs(questions, RAW, "tail") == ["landing.body"]
    assert inputs(questions, RAW, "price") == ["landing.y"]


def test_operations_of_several_events_of_a_run_accumulate(ask):
    more = operations(read("r", LANDING, "price"), write("w", ["r.price"], RAW))
    start = an_event(1, "a1", READ, "START", inputs=[LANDING], outputs=[RAW], run_facets=OPERATIONS)
    questions = ask([start, an_event(2, "a1", READ, run_facets=more)])
    assert nodes(questions.find_columns(RAW.node_id, depth=0)) == ["raw.carrier", "raw.day", "raw.price", "raw.tail"]


def test_a_generated_field_is_made_of_nothing(ask):
    made = operations(
        read("r", LANDING, "day"), transform("now", [], "loaded_at"), write("w", ["r.day", "now.loaded_at"], RAW)
    )
    node = the_node(ask([an_event(1, "a1", READ, inputs=[LANDING], outputs=[RAW], run_facets=made)]), RAW, "loaded_at")
    assert (node.inputs, node.dependencies) == ((), ())


def test_a_lineage_facet_goes_before_column_lineage(ask):
    told = column_lineage(carrier=[taken(LANDING, "line")])
    better = lineage(lineage_entry(RAW, [taken(CHECKED)], carrier=[taken(LANDING, "day", SUM)], tail=[taken(LANDING)]))
    questions = ask([an_event(1, "a1", READ, inputs=[LANDING], outputs=[(RAW, told)], job_facets=better)])
    node = the_node(questions, RAW, "carrier")
    assert (sources(node.inputs), sources(node.dependencies)) == (["landing.day"], ["checked.?"])
    assert inputs(questions, RAW, "tail") == ["landing.?"]


def test_what_a_lineage_facet_leaves_out_depends_on_nothing(ask):
    other = lineage(lineage_entry(CHECKED, [taken(LANDING)]))
    questions = ask([an_event(1, "a1", READ, inputs=[LANDING], outputs=[(RAW, a_schema("carrier"))], job_facets=other)])
    assert the_node(questions, RAW, "carrier").dependencies == ()


def test_lineage_facets_of_a_run_accumulate_and_those_of_job_events_replace(ask):
    first, last = (lineage(lineage_entry(RAW, **{name: [taken(LANDING, "line")]})) for name in ("carrier", "tail"))
    run = [
        an_event(1, "a1", READ, "START", inputs=[LANDING], outputs=[RAW], job_facets=first),
        an_event(2, "a1", READ, job_facets=last),
    ]
    assert nodes(ask(run).find_columns(RAW.node_id, depth=0)) == ["raw.carrier", "raw.tail"]
    events = [a_job_event(second, READ, [LANDING], [RAW], job_facets=one) for second, one in ((1, first), (2, last))]
    assert nodes(ask(events).find_columns(RAW.node_id, depth=0)) == ["raw.tail"]


def test_a_dataset_event_declares_what_its_dataset_is_made_of_and_the_next_one_replaces_it(ask):
    first, last = ({"lineage": lineage_of(carrier=[taken(LANDING, name)])} for name in ("line", "day"))
    questions = ask([a_dataset_event(1, RAW, **first), a_dataset_event(2, RAW, **last)])
    node = the_node(questions, RAW, "carrier")
    assert sources(node.inputs) == ["landing.day"]
    assert [(one.job, one.declared, one.version) for one in node.tellers] == [(None, True, None)]


def test_what_was_declared_is_shown_at_its_time_and_is_not_what_the_version_itself_was_made_of(ask):
    declared = {**a_schema("carrier"), "lineage": lineage_of(carrier=[taken(LANDING, "line")])}
    questions = ask([a_dataset_event(1, RAW, **declared)])
    assert inputs(questions, RAW, "carrier", at=at(2)) == ["landing.line"]
    assert inputs(questions, RAW, "carrier", version=version_of(questions, RAW, "carrier", at(2))) == []


# Time ranges


def mappings(questions, dataset, start, end, level=9):
    found = questions.find_mappings(dataset, Window(at(start), at(end)), level=level)
    return {
        f"{one.source.name} -> {one.destination.name}": [(".".join(a), ".".join(b)) for a, b in one.pairs]
        for one in found.items
    }


def test_mappings_of_a_time_range_go_up_and_down(ask):
    assert mappings(ask(CHAIN), CHECKED, 0, 9) == {
        "landing -> raw": [("line", "carrier")],
        "raw -> checked": [("carrier", "carrier")],
        "checked -> estimated": [("carrier", "co2")],
    }
    assert list(mappings(ask(CHAIN), CHECKED, 0, 9, level=1)) == ["checked -> estimated", "raw -> checked"]


def test_a_time_range_has_the_runs_that_started_in_it(ask):
    assert mappings(ask(MOVED), CHECKED, 2, 5) == {"raw -> checked": [("carrier", "carrier")]}
    assert mappings(ask(MOVED), CHECKED, 2, 6) == {"raw -> checked": [("airline", "carrier"), ("carrier", "carrier")]}
    assert mappings(ask(MOVED), CHECKED, 3, 5) == {}


def test_a_dependency_without_columns_is_a_mapping_without_pairs(ask):
    assert mappings(ask([an_event(1, "a1", READ, "START", inputs=[LANDING], outputs=[RAW])]), RAW, 0, 9) == {
        "landing -> raw": []
    }


def test_a_loop_of_datasets_ends(ask):
    back = an_event(
        4, "d1", READ, inputs=[CHECKED], outputs=[(RAW, column_lineage(carrier=[taken(CHECKED, "carrier")]))]
    )
    assert list(mappings(ask([CHAIN[1], back]), RAW, 0, 9)) == ["checked -> raw", "raw -> checked"]
    assert nodes(ask([CHAIN[1], back]).find_columns(field(RAW, "carrier"), depth=9)) == [
        "raw.carrier",
        "checked.carrier",
    ]
