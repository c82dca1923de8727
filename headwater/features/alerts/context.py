"""The context values of alerts."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import Literal

from headwater.features.alerts.rules import parse_alert_rules
from headwater_model.errors import Fault, Invalid
from infra.context_values import Reader, or_none, within

NAMES = ("alerts", "alert_rules")
# For `infra.check`.
EXAMPLES = ({"alerts": "slack:T0123/C0123"}, {"alerts": "https://hooks.example.org/headwater"})
# Ids of a workspace and a channel, as AWS Chatbot takes them; an API destination of EventBridge takes HTTPS alone.
_SLACK = re.compile(r"slack:(T[0-9A-Z]{1,254}/[CGD][0-9A-Z]{1,254})")
_RULES_BYTES_MAX = 2_000
_WEBHOOK = re.compile(r"https://[^\s/?#]+\.[^\s]{1,480}")


@dataclass(frozen=True, slots=True)
class AlertTarget:
    """The target of alerts: the event bus alone, a topic, a channel of Slack, or an HTTPS endpoint.

    `address` is `<workspace>/<channel>` for Slack, and the URL of a webhook. `rules` is JSON of `rules.py`.
    """

    kind: Literal["eventbridge", "sns", "slack", "webhook"]
    address: str = ""
    rules: str = ""


def read(reader: Reader) -> AlertTarget | None:
    """Read the target and rules of the context; rules without a target are a fault."""
    target, rules = reader.read("alerts", or_none(_alert_target), None), reader.read("alert_rules", _alert_rules, "")
    if target is not None:
        return replace(target, rules=rules)
    if rules:
        reader.faults.append(Fault("alert_rules", rules, "must not be given without alerts"))
    return None


def _alert_target(value: object) -> AlertTarget:
    if value in ("eventbridge", "sns"):
        return AlertTarget(value)
    if isinstance(value, str) and (match := _SLACK.fullmatch(value)):
        return AlertTarget("slack", match[1])
    if isinstance(value, str) and _WEBHOOK.fullmatch(value):
        return AlertTarget("webhook", value)
    raise ValueError("must be eventbridge, sns, slack:WORKSPACE/CHANNEL by their ids, an https:// URL")


def _alert_rules(value: object) -> str:
    """Check the rules, and write them as JSON text; empty for none."""
    if value in ("", "none"):
        return ""
    text = value if isinstance(value, str) else json.dumps(value)
    try:
        parse_alert_rules(text)
    except Invalid as broken:
        raise ValueError("; ".join(f"{fault.field}: {fault.rule}" for fault in broken.faults)) from broken
    within(json.dumps(json.loads(text)), _RULES_BYTES_MAX)  # as the function gets them
    return text
