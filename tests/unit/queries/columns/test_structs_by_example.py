"""Structs and the fields inside them, by example: what is reported of one is found by the other."""

import pytest

from headwater.queries.results.columns import TimeRange
from tests.unit.facts.statements import a_dataset_event, an_event, at
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
from tests.unit.queries.columns.every_column_query import queries_of
from tests.unit.queries.columns.short_results import dotted

WINDOW = TimeRange(at(0), at(9))
PLANES = a_schema(("plane", "struct", [("tail", "struct", [("code", "string")]), ("seats", "int")]))


def a_run(second, run, job, source, target, **columns):
    """A run that made columns of a dataset of columns of another: `{"plane.tail": ["tail"]}`."""
    sources_by_name = {name: [taken(source, path) for path in paths] for name, paths in columns.items()}
    return an_event(second, run, job, inputs=[source], outputs=[(target, column_lineage(**sources_by_name))])


BUILT = [
    a_run(1, "a1", READ, LANDING, RAW, **{"plane.tail": ["tail"], "plane.seats": ["seats"]}),
    a_run(2, "b1", CHECK, RAW, CHECKED, plane=["plane"]),
]
TAKEN_APART = [
    a_run(1, "a1", READ, LANDING, RAW, plane=["plane"]),
    a_run(2, "b1", CHECK, RAW, CHECKED, tail=["plane.tail"]),
]


def test_operations_of_a_struct_are_those_of_its_fields():
    queries = queries_of(BUILT)
    detail = queries.find_detail(RAW, ("plane",), WINDOW, "up")
    assert sorted(node.source.name for node in detail.nodes if node.source) == ["landing", "landing"]
    (path,) = queries.find_paths(RAW, ("plane",), WINDOW).items
    assert [dotted(edge.source, edge.field) for edge in path.edges] == ["landing.seats", "landing.tail"]
    taken_apart = queries_of(TAKEN_APART)
    down = taken_apart.find_detail(RAW, ("plane",), WINDOW, "down")
    assert [node.destination.name for node in down.nodes if node.destination] == ["checked"]


@pytest.mark.parametrize(
    ("own", "listed"),
    [
        ([], ["made_up", "plane", "plane.crew", "plane.tail"]),
        ([an_event(1, "a1", READ, outputs=[(RAW, PLANES)])], ["plane", "plane.tail"]),
        ([a_dataset_event(1, RAW, **PLANES)], ["plane", "plane.tail"]),
        ([a_run(1, "a1", READ, LANDING, RAW, plane=["plane"])], ["plane", "plane.crew", "plane.tail"]),
        ([a_run(1, "a1", READ, LANDING, RAW, day=["day"])], ["day"]),
    ],
)
def test_a_reader_lists_no_field_of_a_dataset_that_its_writers_and_declarations_do_not_know(queries_over, own, listed):
    queries = queries_over(
        [*own, a_run(2, "b1", CHECK, RAW, CHECKED, a=["made_up", "plane", "plane.tail", "plane.crew"])]
    )
    fields = [item.field for item in queries.list_fields(RAW, WINDOW, current=False).items]
    assert [".".join(path) for path in fields] == listed
    assert list(queries.summarize_dataset(RAW, WINDOW, "down").fields) == fields
