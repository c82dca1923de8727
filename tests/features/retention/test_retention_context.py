"""The context values of retention: no typing mistake deploys."""

import pytest

from headwater_model.errors import Invalid
from infra.context import parse_context


@pytest.mark.parametrize(
    ("context", "expected"),
    [
        ({"events_days": "400", "tests_days": 90}, {"retention": {"events": 400, "tests": 90}}),
        ({"tests_days": 7}, {"retention": {"tests": 7}}),
        ({"runs_days": 90}, {"retention": {"runs": 90, "streams": 90}}),
        ({"runs_days": 90, "streams_days": 400}, {"retention": {"runs": 90, "streams": 90}}),
        ({"streams_days": 30}, {"retention": {"streams": 30}}),
        ({"events_days": None, "tests_days": "none"}, {}),
    ],
)
def test_a_context_value_is_read_from_the_command_line_as_from_the_file(context, expected):
    assert parse_context(context).features == expected


def test_a_wrong_context_value_is_refused_by_name_value_and_rule():
    with pytest.raises(Invalid) as refused:
        parse_context({"events_days": 6})
    assert str(refused.value) == "events_days: must be a whole number from 7 to 36500, or none, got 6"
