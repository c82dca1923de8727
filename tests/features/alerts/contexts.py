"""Context values of alerts."""

from headwater.features.alerts.context import AlertTarget

READ = [
    ({"alerts": "eventbridge"}, AlertTarget("eventbridge")),
    ({"alerts": "sns"}, AlertTarget("sns")),
    ({"alerts": "slack:T01AB/C02CD"}, AlertTarget("slack", "T01AB/C02CD")),
    ({"alerts": "https://hooks.example.org/a?b"}, AlertTarget("webhook", "https://hooks.example.org/a?b")),
    ({"alerts": "none", "alert_rules": None}, None),
    ({"alerts": "sns", "alert_rules": {"mute": ["tag:dev"]}}, AlertTarget("sns", rules='{"mute": ["tag:dev"]}')),
]
REFUSED = [
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
]
