"""The alerts function: looks at loaded nodes, and at nodes whose time has come, and sends their causes."""

from __future__ import annotations

import os
from itertools import chain
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from headwater.aws.clients import READ_CONCURRENCY, client
from headwater.aws.event_bus import EventBus
from headwater.features.alerts.alerter import Alerted, Alerter
from headwater.features.alerts.cause import Node
from headwater.features.alerts.ledger import AlertLedger
from headwater.features.alerts.looked_at import parse_look
from headwater.features.alerts.rules import parse_alert_rules
from headwater.features.alerts.settings import ALERT_RULES, ALERTS_BUS, ALERTS_QUEUE_URL
from headwater_model.errors import Invalid
from lambdas import wiring
from lambdas.sqs_batch import failures_of, has_time, retry_soon
from lambdas.telemetry import count, logger, metrics


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Look at the nodes of a batch of messages; a call of the schedule has no messages: look at the nodes due."""
    if "Records" not in event:
        _count(_alerter().look_at_due(now_s=wiring.now_s(), may_go_on=lambda: has_time(context)))
        return {}
    # A malformed message fails alone, like a node with a fault.
    nodes: dict[str, list[Node]] = {}
    failed: dict[str, str] = {}
    for message in event["Records"]:
        try:
            nodes[message["messageId"]] = parse_look(message["body"])
        except Invalid as error:
            failed[message["messageId"]] = str(error.faults[0].rule)
    alerted = _alerter().look(
        dict.fromkeys(chain.from_iterable(nodes.values())), now_s=wiring.now_s(), may_go_on=lambda: has_time(context)
    )
    _count(alerted)
    for message_id, named in nodes.items():
        for node in alerted.failed.keys() & set(named):
            failed[message_id] = type(alerted.failed[node]).__name__
    if failed:
        logger.warning("looks left for another try", extra={"messages": failed})
        retry_soon(event, failed, [os.environ[ALERTS_QUEUE_URL]])
    return failures_of(failed)


def _alerter() -> Alerter:
    """Make the alerter of this deployment."""
    return Alerter(
        wiring.graph_table(READ_CONCURRENCY),
        AlertLedger(wiring.graph_table()),
        EventBus(client("events"), os.environ[ALERTS_BUS]),
        parse_alert_rules(os.environ.get(ALERT_RULES, "")),
    )


def _count(alerted: Alerted) -> None:
    count("AlertsSent", alerted.alerts)
    count("AlertsMuted", alerted.muted)
    count("AlertsFailed", len(alerted.failed))
