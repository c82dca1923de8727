"""The context values of alerts: no typing mistake deploys."""

import pytest

from headwater.features.alerts.context import AlertTarget
from headwater_model.errors import Invalid
from infra.context import parse_context


@pytest.mark.parametrize(
    ("context", "expected"),
    [
        ({"alerts": "eventbridge"}, {"alerts": AlertTarget("eventbridge")}),
        ({"alerts": "sns"}, {"alerts": AlertTarget("sns")}),
        ({"alerts": "slack:T01AB/C02CD"}, {"alerts": AlertTarget("slack", "T01AB/C02CD")}),
        (
            {"alerts": "https://hooks.example.org/a?b"},
            {"alerts": AlertTarget("webhook", "https://hooks.example.org/a?b")},
        ),
        ({"alerts": "none", "alert_rules": None}, {}),
        (
            {"alerts": "sns", "alert_rules": {"mute": ["tag:dev"]}},
            {"alerts": AlertTarget("sns", rules='{"mute": ["tag:dev"]}')},
        ),
    ],
)
def test_a_context_value_is_read_from_the_command_line_as_from_the_file(context, expected):
    assert parse_context(context).features == expected


@pytest.mark.parametrize(
    ("context", "message"),
    [
        (
            {"alerts": "http://hooks.example.org"},
            "alerts: must be eventbridge, sns, slack:WORKSPACE/CHANNEL by their ids, an https:// URL, or none, "
            "got 'http://hooks.example.org'",
        ),
        (
            {"alerts": "sns", "alert_rules": '{"quiet": "late"}'},
            "alert_rules: alert_rules.quiet: must be HH:MM-HH:MM, two different times, and optionally a time zone: "
            '22:00-06:00 Europe/Berlin, got \'{"quiet": "late"}\'',
        ),
        (
            {"alerts": "sns", "alert_rules": {"mute": ["namespace:" + "é" * 300]}},
            "alert_rules: must take at most 2000 bytes of a function's environment, and takes 2130, got "
            "{'mute': ['namespace:ééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé… (324 characters)",
        ),
        ({"alert_rules": "{}"}, "alert_rules: must not be given without alerts, got '{}'"),
    ],
)
def test_a_wrong_context_value_is_refused_by_name_value_and_rule(context, message):
    with pytest.raises(Invalid) as refused:
        parse_context(context)
    assert str(refused.value) == message
