"""The forward function: announced events of the raw log, to an OpenLineage endpoint or a domain of DataZone."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from functools import cache
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from headwater import settings
from headwater.aws.clients import certificates, client
from headwater.features.forwarding.endpoint import TIMEOUT_S, Endpoint, Secret, Target
from headwater.features.forwarding.forwarder import AnnouncedMessage, Forwarder
from headwater.features.forwarding.settings import (
    FORWARD_DLQ_URL,
    FORWARD_DOMAIN,
    FORWARD_NAMESPACES,
    FORWARD_QUEUE_URL,
    FORWARD_SECRET,
    FORWARD_URL,
)
from lambdas import wiring
from lambdas.sqs_batch import failures_of, retry_soon
from lambdas.telemetry import count, logger, measure_s, metrics

# The function's time for its last event: the endpoint's time, and the calls around it.
RESERVED_MS = (TIMEOUT_S + 10) * 1000
# The longest wait of a lane while an endpoint is down; the lane tries again at once when the endpoint is back. SQS
# allows a message 1,000 receives: after the first hours, waits grow, and the receives last for 13 days.
RETRY_S = 40
_SHORT_WAITS, _GROWTH = 400, 1.01


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Forward a batch of announcements; return the messages to try again."""
    messages = [_announced(message) for message in event["Records"]]
    forwarded = forwarder().forward(
        messages,
        now_s=wiring.now_s(),
        may_go_on=lambda: context.get_remaining_time_in_millis() > RESERVED_MS,
        wait=lambda failed: retry_soon(event, failed, [os.environ[FORWARD_QUEUE_URL]], longest_wait_s=longest_wait_s),
    )
    count("ForwardedEvents", forwarded.sent)
    count("ForwardRefused", forwarded.refused)
    count("ForwardBuried", forwarded.buried)
    count("ForwardUnsendable", len(forwarded.unsendable))
    measure_s("ForwardLagSeconds", forwarded.lags_s)
    if forwarded.unsendable:
        logger.warning("events that the target never takes", extra={"events": forwarded.unsendable})
    if forwarded.failed:
        logger.warning("announcements left for another try", extra={"messages": forwarded.failed})
    return failures_of(forwarded.failed)


@cache
def forwarder() -> Forwarder:
    """Make the forwarder, with the target of the variables."""
    bucket, dead_letters = os.environ[settings.ARCHIVE_BUCKET], os.environ[FORWARD_DLQ_URL]
    namespaces = tuple(json.loads(os.environ[FORWARD_NAMESPACES]))
    return Forwarder(wiring.s3(), bucket, _target(), namespaces, wiring.sqs(), dead_letters)


def _target() -> Target:
    if domain := os.environ.get(FORWARD_DOMAIN):
        from headwater.features.forwarding.datazone import open_domain

        return open_domain(domain)
    url, ca_file = os.environ[FORWARD_URL], certificates()
    if secret_id := os.environ.get(FORWARD_SECRET):
        secret = Secret(client("secretsmanager"), secret_id, clock=time.monotonic)
        return Endpoint(url, token=secret.token, forget_token=secret.forget, ca_file=ca_file)
    return Endpoint(url, token=lambda: None, ca_file=ca_file)


def longest_wait_s(receives: int) -> float:
    """Compute the longest wait after so many receives, in seconds.

    >>> [round(longest_wait_s(receives)) for receives in (1, 400, 500, 800)]
    [40, 40, 108, 2141]
    """
    return RETRY_S * _GROWTH ** max(0, receives - _SHORT_WAITS)


def _announced(message: Mapping[str, Any]) -> AnnouncedMessage:
    attributes = message["attributes"]
    return AnnouncedMessage(
        message_id=message["messageId"],
        body=message["body"],
        group=attributes["MessageGroupId"],
        sent_s=int(attributes["SentTimestamp"]) / 1000,
        receives=int(attributes["ApproximateReceiveCount"]),
    )
