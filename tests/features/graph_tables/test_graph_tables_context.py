"""The context values of the graph's tables: no typing mistake deploys."""

import pytest

from headwater_model.errors import Invalid
from infra.context import parse_context


@pytest.mark.parametrize(
    ("context", "expected"),
    [
        ({"graph_tables": "true"}, {"graph_tables": True}),
        ({"graph_tables": False}, {}),
        ({"graph_tables": None}, {}),
    ],
)
def test_a_context_value_is_read_from_the_command_line_as_from_the_file(context, expected):
    assert parse_context(context).features == expected


@pytest.mark.parametrize(
    ("context", "message"),
    [
        ({"graph_tables": "yes"}, "graph_tables: must be true or false, got 'yes'"),
    ],
)
def test_a_wrong_context_value_is_refused_by_name_value_and_rule(context, message):
    with pytest.raises(Invalid) as refused:
        parse_context(context)
    assert str(refused.value) == message
