"""The graph of columns, by example: its nodes, their reporters, and their transformations."""

import pytest

from headwater_model.columns import Transformation
from tests.unit.facts.statements import an_event
from tests.unit.queries.columns.column_statements import (
    LANDING,
    RAW,
    READ,
    taken,
)
from tests.unit.queries.columns.short_results import the_node

# The pipeline: landing -> raw -> checked -> estimated


# Reporters


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
