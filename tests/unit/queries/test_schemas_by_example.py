"""The schema of a dataset, by example: what exists counts, else what was to be written, else what a reader knows."""

import pytest

from headwater.queries.service import LineageQueries
from tests.unit.facts.statements import STREAM, A, B, C, X, Y, a_dataset_event, a_job_event, an_event, at
from tests.unit.queries.every_query import loaded

DELETED = {"schema": {"_deleted": True}}


def a_schema(*names):
    return {"schema": {"fields": [{"name": name} for name in names]}}


def fields(queries, dataset):
    return names_in(queries.find_dataset(dataset))


def names_in(dataset):
    return "".join(field["name"] for field in dataset.fields)


WRITE = an_event(1, "a1", A, outputs=[(X, a_schema("a", "b"))])
FAILED = an_event(3, "a2", A, "FAIL", outputs=[(X, a_schema("c"))])
STARTED = an_event(2, "a3", A, "START", outputs=[(X, a_schema("c"))])
STREAMED = an_event(2, "c1", C, "RUNNING", outputs=[(X, a_schema("c"))], job_facets=STREAM)
PROJECTION = an_event(2, "b1", B, inputs=[(X, a_schema("a"))], outputs=[Y])


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        pytest.param(
            [an_event(1, "a1", A, inputs=[(X, a_schema("a"))], outputs=[(X, a_schema("a", "b"))])],
            "ab",
            id="what one event reads and overwrites has the schema that it wrote",
        ),
        pytest.param([WRITE, PROJECTION], "ab", id="a later reader's projection shrinks nothing that a run wrote"),
        pytest.param(
            [a_job_event(1, A, outputs=[(X, a_schema("a", "b"))]), PROJECTION],
            "ab",
            id="nor what a JobEvent declares",
        ),
        pytest.param(
            [a_dataset_event(1, X, **a_schema("a", "b")), PROJECTION], "ab", id="nor what a DatasetEvent describes"
        ),
        pytest.param(
            [a_job_event(3, B, inputs=[(X, a_schema("a"))]), WRITE], "ab", id="nor does a reader that is declared"
        ),
        pytest.param(
            [WRITE, a_dataset_event(2, X, **a_schema("a", "c"))], "ac", id="a later DatasetEvent describes it anew"
        ),
        pytest.param([PROJECTION], "a", id="a reader's schema counts where nobody wrote one"),
        pytest.param([an_event(1, "a1", A, outputs=[X]), PROJECTION], "a", id="and where who wrote it gave no schema"),
        pytest.param([WRITE, a_dataset_event(3, X, **DELETED), PROJECTION], "a", id="and where that was taken back"),
        pytest.param([WRITE, FAILED], "ab", id="a run that failed changes nothing"),
        pytest.param([WRITE, STARTED], "ab", id="nor does a run that has only begun"),
        pytest.param(
            [WRITE, STARTED, an_event(5, "a3", A)], "c", id="until it completes, even if it then reports none"
        ),
        pytest.param(
            [STARTED, an_event(3, "b1", B, outputs=[(X, a_schema("b"))]), an_event(5, "a3", A)],
            "c",
            id="the run that ended last decides, not the event that was sent last",
        ),
        pytest.param([WRITE, an_event(3, "a3", A, outputs=[X])], "ab", id="a version without a schema changes none"),
        pytest.param(
            [WRITE, STREAMED], "c", id="a streaming run counts as soon as it reports that it writes the dataset"
        ),
        pytest.param(
            [STREAMED, an_event(4, "b1", B, outputs=[(X, a_schema("b"))])], "b", id="until a later run has ended"
        ),
        pytest.param(
            [a_dataset_event(1, X, **a_schema("a", "b")), FAILED], "ab", id="a failed run changes no description"
        ),
        pytest.param([FAILED, PROJECTION], "c", id="where nothing exists, what a run was to write counts"),
        pytest.param(
            [a_dataset_event(0, X, **a_schema("c")), WRITE, an_event(2, "a1", A, "FAIL")],
            "c",
            id="a run that completed and then failed made no version",
        ),
    ],
)
def test_the_schema_of_a_dataset_is_that_of_what_exists(queries_over, events, expected):
    assert fields(queries_over(events), X) == expected


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
