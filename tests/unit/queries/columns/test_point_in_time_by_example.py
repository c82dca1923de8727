"""Columns of versions and of times, by example; the model and the loaders' table must agree."""

import pytest

from headwater_model.errors import Invalid
from headwater_model.ids import DatasetId, name_uuid
from tests.unit.facts.statements import a_dataset_event, a_job_event, an_event, at, run_id, version_by
from tests.unit.facts.strategies import a_symlink
from tests.unit.queries.columns.column_statements import (
    CHECK,
    CHECKED,
    LANDING,
    RAW,
    READ,
    a_schema,
    column_lineage,
    taken,
)
from tests.unit.queries.columns.short_results import CHAIN, MOVED, field, inputs, nodes, sources, the_node, version_of


def test_an_edge_that_the_job_no_longer_makes_is_gone_and_still_there_at_the_old_version(queries_over):
    queries = queries_over(MOVED)
    assert inputs(queries, CHECKED, "carrier") == ["raw.airline"]
    old = version_of(queries, CHECKED, "carrier", at(5))
    assert inputs(queries, CHECKED, "carrier", version=old) == ["raw.carrier"]
    graph = queries.find_columns(f"{field(CHECKED, 'carrier')}#{old}", depth=9)
    assert nodes(graph) == ["checked.carrier", "raw.carrier", "landing.line"]
    assert queries.find_columns(field(RAW, "carrier"), depth=9, downstream=True).columns[0].outputs == ()


@pytest.mark.parametrize(
    ("time", "made_of"), [(at(3), ["raw.carrier"]), (at(5), ["raw.carrier"]), (at(6), ["raw.airline"])]
)
def test_at_a_time_the_latest_version_strictly_before_it_counts(queries_over, time, made_of):
    assert inputs(queries_over(MOVED), CHECKED, "carrier", at=time) == made_of


@pytest.mark.parametrize(("time", "outputs"), [(at(2), []), (at(5), ["checked.carrier"]), (at(6), [])])
def test_what_was_made_of_a_column_at_a_time_is_below_it(queries_over, time, outputs):
    graph = queries_over(MOVED).find_columns(field(RAW, "carrier"), depth=9, downstream=True, at=time)
    assert [f"{output.dataset.name}.{output.field[0]}" for output in graph.columns[0].outputs] == outputs
    assert {node.version for node in graph.columns} == {None}


def test_before_its_first_version_there_is_nothing(queries_over):
    queries = queries_over(MOVED)
    assert queries.find_columns(field(CHECKED, "carrier"), depth=0, at=at(2)) is None
    assert queries.find_columns(CHECKED.node_id, depth=0, at=at(2)) is None


def test_what_a_run_reported_and_took_back_counts_in_between(queries_over):
    reported = column_lineage(carrier=[taken(RAW, "carrier")])
    events = [
        an_event(1, "b1", CHECK, inputs=[RAW], outputs=[(CHECKED, reported)]),
        an_event(2, "b2", CHECK, inputs=[RAW], outputs=[CHECKED]),
        an_event(5, "b1", CHECK, "RUNNING", outputs=[(CHECKED, {"columnLineage": {"_deleted": True}})]),
    ]
    assert nodes(queries_over(events).find_columns(CHECKED.node_id, depth=0, at=at(4))) == ["checked.carrier"]
    assert nodes(queries_over(events).find_columns(CHECKED.node_id, depth=0)) == []


def test_a_version_leads_to_the_versions_that_its_run_read(queries_over):
    again = an_event(
        6, "a2", READ, inputs=[LANDING], outputs=[(RAW, column_lineage(carrier=[taken(LANDING, "field_2")]))]
    )
    graph = queries_over([*CHAIN[:2], again]).find_columns(field(CHECKED, "carrier"), depth=9, at=at(9))
    assert nodes(graph) == ["checked.carrier", "raw.carrier", "landing.line"]
    assert [reporter.run.id for node in graph.columns for reporter in node.reporters] == [run_id("b1"), run_id("a1")]


def test_selectors_that_disagree_are_refused(queries_over):
    queries = queries_over(MOVED)
    version = version_of(queries, CHECKED, "carrier", at(9))
    for how in ({"at": at(9)}, {"downstream": True}, {"version": run_id("ff")}):
        with pytest.raises(Invalid):
            queries.find_columns(f"{field(CHECKED, 'carrier')}#{version}", depth=0, **how)


def test_a_version_that_is_none_of_the_dataset_is_unknown(queries_over):
    assert queries_over(MOVED).find_columns(field(CHECKED, "carrier"), depth=0, version=run_id("ff")) is None


def test_a_run_that_writes_a_dataset_under_two_names_made_one_version_of_it(queries_over):
    table = DatasetId("arn:aws:glue:eu-west-1:1", "table/flights/raw")
    reported = column_lineage(carrier=[taken(LANDING, "line")])
    outputs = [(RAW, {**reported, **a_symlink(table)}), (table, reported)]
    queries = queries_over([an_event(1, "a1", READ, inputs=[LANDING], outputs=outputs)])
    version = version_by(table, READ, "a1")
    assert [reporter.version for reporter in the_node(queries, RAW, "carrier").reporters] == [version]
    assert [node.version for node in queries.find_columns(field(RAW, "carrier"), depth=0, at=at(9)).columns] == [
        version
    ]


def test_a_version_that_is_shown_for_what_was_declared_has_the_schema_that_its_run_reported(queries_over):
    run = an_event(1, "a1", READ, inputs=[LANDING], outputs=[(RAW, a_schema(("carrier", "string")))])
    declared = a_job_event(2, READ, [LANDING], [(RAW, column_lineage(carrier=[taken(LANDING, "line")]))])
    node = the_node(queries_over([run, declared]), RAW, "carrier", at=at(9))
    assert (node.type, node.schema_known, sources(node.inputs)) == ("string", True, ["landing.line"])


def test_a_schema_that_was_reported_later_is_not_seen_at_a_time_before(queries_over):
    queries = queries_over(
        [a_job_event(1, READ, [LANDING], [(RAW, column_lineage())]), a_dataset_event(4, RAW, **a_schema("carrier"))]
    )
    assert queries.find_columns(field(RAW, "carrier"), depth=0, at=at(3)) is None
    assert nodes(queries.find_columns(RAW.node_id, depth=0, at=at(3))) == []


def test_the_version_read_is_the_one_that_the_run_reports_whatever_name_its_columns_have(queries_over):
    table = DatasetId("arn:aws:glue:eu-west-1:1", "table/flights/landing")
    event = an_event(
        1,
        "a1",
        READ,
        inputs=[(LANDING, {**a_symlink(table), "version": {"datasetVersion": "2"}})],
        outputs=[(RAW, column_lineage(carrier=[taken(table, "line")]))],
    )
    read_version = name_uuid(f"{LANDING.namespace}:{LANDING.name}:2")
    assert [source.version for source in the_node(queries_over([event]), RAW, "carrier", at=at(9)).inputs] == [
        read_version
    ]
