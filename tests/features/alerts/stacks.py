"""The stacks of the tests that have alerts (tests/stack/assemblies.py)."""

TARGETS = {
    "bus": "eventbridge",
    "topic": "sns",
    "slack": "slack:T01AB/C02CD",
    "webhook": "https://hooks.example.org/headwater",
}
CONTEXTS = ({"alerts": "eventbridge"},)
LARGEST = {"alerts": "eventbridge", "alert_rules": {"mute": ["namespace:" + "a" * 1_970]}}
_RULES = {"tags": {"pii": ["public*"]}}
NAMED = {name: {"alerts": target, "alert_rules": _RULES} for name, target in TARGETS.items()}
ABSENT = ("ALERTS", "AWS::Events::EventBus", "AWS::Events::Connection", "AWS::Chatbot")
