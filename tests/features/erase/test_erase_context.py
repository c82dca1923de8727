"""The context value of erasures: no typing mistake deploys, nor a switch that S3 would defeat."""

import pytest

from headwater_model.errors import Invalid
from infra.context import parse_context


@pytest.mark.parametrize(
    ("context", "expected"),
    [
        ({"erase": "true", "object_lock": "governance:30"}, {"erase": True}),
        ({"erase": False}, {}),
        ({"erase": None}, {}),
    ],
)
def test_a_context_value_is_read_from_the_command_line_as_from_the_file(context, expected):
    assert parse_context(context).features == expected


@pytest.mark.parametrize(
    ("context", "message"),
    [
        ({"erase": "yes"}, "erase: must be true or false, got 'yes'"),
        (
            {"erase": True, "object_lock": "compliance:30"},
            "erase: must not be given with object_lock=compliance: S3 keeps the objects, got True",
        ),
        (
            {"erase": True, "events_days": 400},
            "erase: must not be given with events_days: the rest of the graph is made of all events, got True",
        ),
    ],
)
def test_a_wrong_context_value_is_refused_by_name_value_and_rule(context, message):
    with pytest.raises(Invalid) as refused:
        parse_context(context)
    assert str(refused.value) == message
