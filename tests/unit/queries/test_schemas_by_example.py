"""The schema of a dataset, by example: what exists counts, else what was to be written, else what a reader knows."""

import pytest

from headwater.queries.service import LineageQueries
from tests.unit.facts.statements import A, B, X, Y, an_event, at
from tests.unit.queries.every_query import loaded


def a_schema(*names):
    return {"schema": {"fields": [{"name": name} for name in names]}}


def fields(queries, dataset):
    return names_in(queries.find_dataset(dataset))


def names_in(dataset):
    return "".join(field["name"] for field in dataset.fields)


WRITE = an_event(1, "a1", A, outputs=[(X, a_schema("a", "b"))])
FAILED = an_event(3, "a2", A, "FAIL", outputs=[(X, a_schema("c"))])
STARTED = an_event(2, "a3", A, "START", outputs=[(X, a_schema("c"))])
PROJECTION = an_event(2, "b1", B, inputs=[(X, a_schema("a"))], outputs=[Y])


@pytest.mark.parametrize(
    "shown",
    [
        pytest.param(lambda table: fields(LineageQueries(table), X), id="dataset"),
        pytest.param(
            lambda table: names_in(LineageQueries(table).list_datasets(X.namespace, limit=9, offset=0).items[0]),
            id="list",
        ),
        pytest.param(lambda table: names_in(graph(table).datasets[0]), id="graph"),
        pytest.param(lambda table: names_in(graph(table, at=at(4)).datasets[0]), id="graph of a time"),
        pytest.param(
            lambda table: "".join(
                column.field[0] for column in LineageQueries(table).find_columns(X.node_id, depth=0).columns
            ),
            id="columns",
        ),
    ],
)
def test_every_result_shows_the_schema_of_what_exists(shown):
    assert shown(loaded([WRITE], [FAILED], [STARTED])) == "ab"


def graph(table, **how):
    return LineageQueries(table).find_graph(X.node_id, depth=0, **how)


def test_what_only_a_reader_sends_can_be_searched():
    queries = LineageQueries(loaded([PROJECTION]))
    assert [hit.field for hit in queries.search_columns("a", sort="name", limit=9).items] == [("a",)]
