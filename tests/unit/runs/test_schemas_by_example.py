"""The schema of a dataset, by example: what is written or declared counts, and what a reader knows only without it."""

from __future__ import annotations

import pytest

from tests.unit.runs.telling import A, B, X, Y, a_dataset_event, a_job_event, an_event

DELETED = {"schema": {"_deleted": True}}


def a_schema(*names):
    return {"schema": {"fields": [{"name": name} for name in names]}}


def fields(questions, dataset):
    return "".join(one["name"] for one in questions.find_dataset(dataset).fields)


WRITE = an_event(1, "a1", A, outputs=[(X, a_schema("a", "b"))])
PROJECTION = an_event(2, "b1", B, inputs=[(X, a_schema("a"))], outputs=[Y])


@pytest.mark.parametrize(
    ("events", "found"),
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
    ],
)
def test_the_schema_of_a_dataset_is_what_was_written_or_declared_else_what_was_read(ask, events, found):
    assert fields(ask(events), X) == found
