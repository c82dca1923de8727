"""The context values of features: no typing mistake deploys."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from headwater_model.errors import Invalid
from infra.context import parse_context

# Modules with any of `READ`: (context, value of the feature, None if it is off), `REFUSED`: (context, message), and
# `REFUSED_AS`: (context, expression found in the message).
_CONTEXTS = {
    file.parent.name: vars(import_module(f"tests.features.{file.parent.name}.contexts"))
    for file in sorted(Path(__file__).parents[1].glob("features/*/contexts.py"))
}


def of_all(name):
    return [(feature, *case) for feature, cases in _CONTEXTS.items() for case in cases.get(name, ())]


@pytest.mark.parametrize(("feature", "context", "expected"), of_all("READ"))
def test_a_context_value_is_read_from_the_command_line_as_from_the_file(feature, context, expected):
    assert parse_context(context).features == ({} if expected is None else {feature: expected})


_EXACTLY = [(feature, context, f"^{re.escape(message)}$") for feature, context, message in of_all("REFUSED")]


@pytest.mark.parametrize(("_", "context", "message"), [*_EXACTLY, *of_all("REFUSED_AS")])
def test_a_wrong_context_value_is_refused_by_name_value_and_rule(_, context, message):
    with pytest.raises(Invalid, match=message):
        parse_context(context)
