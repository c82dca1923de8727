"""The benchmarks of columns measure what they say: both ways of telling tell the same, and pass the door."""

from __future__ import annotations

import doctest

import pytest

from benchmarks import fields, fields_pipelines
from benchmarks.fields_pipelines import (
    COLUMNS,
    MADE_OF,
    column_chain,
    dataset,
    sends_column_lineage,
    sends_columns,
    sends_operations,
    sends_schemas,
    wide_column_lineage,
    wide_operations,
)
from lineage.fields.facets import columns_of_facet
from lineage.fields.operation_forms import parse_operations
from lineage.fields.operation_set import OperationSet
from lineage.runs.door.parse import parse_event
from lineage.runs.door.rules import NameRules

STEP = column_chain(7)[3]


def sources(columns):
    """By column, the sources of it."""
    return {path: set(told) for path, told in columns.fields.items()}


def told_by_lineage(form):
    return columns_of_facet(form["outputs"][0]["facets"]["columnLineage"])


def told_by_operations(form):
    [output] = form["outputs"]
    operations = parse_operations(form["run"]["facets"]["headwater_operations"]["operations"])
    return OperationSet(operations).columns()[dataset(output["name"])]


def test_a_job_has_twenty_columns_made_of_those_of_the_job_before():
    assert len(COLUMNS) == len(MADE_OF) == 20
    for before, after in zip(column_chain(0), column_chain(0)[1:], strict=False):
        assert before.outputs == after.inputs


def test_both_ways_of_telling_tell_the_same():
    lineage, operations = sends_column_lineage(STEP, 0)[1], sends_operations(STEP, 0)[1]

    assert sources(told_by_lineage(lineage)) == sources(told_by_operations(operations))
    assert sources(told_by_lineage(wide_column_lineage(5))) == sources(told_by_operations(wide_operations(5)))


@pytest.mark.parametrize("sends", [sends_schemas, sends_column_lineage, sends_operations, sends_columns])
def test_events_that_tell_of_columns_pass_the_door(sends):
    start, complete = (parse_event(form, NameRules(), now=None) for form in sends(STEP, 0))

    assert (start.type, complete.type) == ("START", "COMPLETE")
    assert len(complete.outputs[0].facets["schema"]["fields"]) == 20


def test_events_differ_by_what_is_told_and_by_nothing_else():
    plain, told = sends_schemas(STEP, 0)[1], sends_columns(STEP, 0)[1]
    told["run"]["facets"].pop("headwater_operations")

    assert plain == told


@pytest.mark.parametrize("module", [fields, fields_pipelines])
def test_the_examples_in_the_benchmarks_of_columns_hold(module):
    results = doctest.testmod(module)

    assert results.attempted > 0
    assert results.failed == 0
