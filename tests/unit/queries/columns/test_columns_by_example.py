"""The graph of columns, by example: its nodes, their reporters, and their transformations."""

import pytest

from headwater_model.columns import Transformation
from headwater_model.ids import JobId
from tests.unit.facts.statements import STREAM, a_dataset_event, an_event, at
from tests.unit.facts.strategies import DATASETS, JOBS
from tests.unit.queries.columns.column_statements import LANDING, RAW, READ, a_schema, column_lineage, taken
from tests.unit.queries.columns.every_column_query import results_of, right_results
from tests.unit.queries.columns.short_results import the_node
from tests.unit.queries.every_query import differences, loaded

MADE, TARGET, *_ = DATASETS
WRITER, READER, OTHER = JOBS

# The pipeline: landing -> raw -> checked -> estimated


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


@pytest.mark.parametrize(
    "others",
    [
        *([an_event(time, "a2", WRITER, outputs=[MADE])] for time in (3, 5, 7)),
        *([an_event(3, "a2", WRITER, kind, outputs=[MADE])] for kind in ("FAIL", "START")),
        [an_event(3, "a2", WRITER, "RUNNING", outputs=[MADE], job_facets=STREAM)],
        [an_event(3, "a2", WRITER, outputs=[TARGET])],
        [an_event(3, "a2", WRITER, outputs=[TARGET]), an_event(7, "a2", WRITER, "OTHER", outputs=[MADE])],
        [an_event(3, "c1", OTHER, outputs=[MADE])],
        # The facts of a dataset name eight writers.
        [an_event(2 + late // 9, f"c{late}", JobId("b", str(late)), outputs=[MADE]) for late in range(10)],
        [an_event(3, "b1", READER, "START", outputs=[MADE])],
        [a_dataset_event(3, MADE, **a_schema("carrier", "co2"))],
    ],
)
def test_the_version_read_of_a_source_is_the_last_before_the_reader_began_whoever_made_it(others):
    first_run = an_event(1, "a1", WRITER, outputs=[(MADE, a_schema("carrier"))])
    reported = column_lineage(carrier=[taken(MADE, "carrier")])
    statements = [first_run, *others, an_event(5, "b1", READER, inputs=[MADE], outputs=[(TARGET, reported)])]
    times = list(map(at, (0, 1, 6, 8)))
    assert differences(results_of(loaded(statements), statements, times), right_results(statements, times)) == {}
