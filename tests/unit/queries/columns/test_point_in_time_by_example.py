"""Columns of versions and of times, by example; the model and the loaders' table must agree."""

import pytest

from headwater.queries.runs import job_versions
from headwater_model.errors import Invalid
from headwater_model.ids import DatasetId
from tests.unit.facts.statements import an_event, at, run_id, version_by
from tests.unit.facts.strategies import a_symlink
from tests.unit.queries.columns.column_statements import (
    CHECKED,
    LANDING,
    RAW,
    READ,
    column_lineage,
    taken,
)
from tests.unit.queries.columns.every_column_query import queries_of
from tests.unit.queries.columns.short_results import MOVED, field, the_node, version_of


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


def test_each_version_of_a_job_is_found_behind_the_newest_runs_and_the_first_versions(monkeypatch):
    monkeypatch.setattr(job_versions, "RUNS_MAX", 2)
    monkeypatch.setattr(job_versions, "VERSIONS_MAX", 1)
    tables = {run: DatasetId("s3://flights", run) for run in ("a1", "a2", "a3", "a4", "a5")}
    outputs = {run: [(table, column_lineage(carrier=[taken(LANDING, "line")]))] for run, table in tables.items()}
    queries = queries_of([an_event(int(run[1]), run, READ, outputs=written) for run, written in outputs.items()])
    for run, table in tables.items():
        version = queries.find_run(run_id(run)).job_version
        (column,) = queries.find_columns(f"{READ.node_id}#{version}", depth=0).columns
        assert (column.dataset, column.version) == (table, version_by(table, READ, run))
        assert queries.find_job_version(READ, version).outputs == (table,)
        assert table in {dataset.id for dataset in queries.find_graph(f"{READ.node_id}#{version}", depth=1).datasets}
