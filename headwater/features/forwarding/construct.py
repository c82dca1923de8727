"""The forwarding of events to the endpoint, or the domain of DataZone, of the context."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from aws_cdk import ArnFormat, Duration, Stack
from aws_cdk import aws_s3 as s3
from constructs import Construct

from headwater import settings
from headwater.features.forwarding.context import ForwardTo
from headwater.features.forwarding.settings import (
    ANNOUNCED,
    FORWARD_DLQ_URL,
    FORWARD_DOMAIN,
    FORWARD_NAMESPACES,
    FORWARD_QUEUE_URL,
    FORWARD_SECRET,
    FORWARD_URL,
)
from infra.addition import Addition
from infra.alarms import our_metric
from infra.dashboard import watched_work
from infra.function import FunctionDefaults, ServiceFunction
from infra.queues import accept_from_alone, work_queue

if TYPE_CHECKING:
    from infra.stack import LineageStack

# An announcement has at most 25 events (`headwater.features.forwarding`), each with at most 10 s.
_TIMEOUT_S = 300
# SQS's greatest. The function buries messages of 13 days; its waits are so long that the greatest is never reached.
_RECEIVES_MAX = 1_000
# The longest batch of a FIFO queue.
_BATCH = 10
# An endpoint may be down for a while: nothing is lost for days, but its users see old lineage.
_LATE = Duration.hours(1)
_FATES = ("ForwardedEvents", "ForwardRefused", "ForwardBuried", "ForwardUnsendable")
# Secrets Manager puts six characters of its own behind a secret's name.
_ANY_SUFFIX = "-??????"


def add(stack: LineageStack, to: ForwardTo) -> Addition:
    """Add the forwarding of events to the endpoint."""
    forwarding = Forwarding(stack, "Forwarding", stack=stack, to=to)
    namespace = stack.defaults.metrics_namespace
    fates = [our_metric(namespace, name, "forward") for name in _FATES]
    lag = our_metric(namespace, "ForwardLagSeconds", "forward").with_(statistic="Maximum")
    titles = ("Forwarded events", "Forwarding's lag, s", "Forwarding's dead letters")
    queues = (forwarding.queue, forwarding.dead_letters)
    return watched_work("Forward", forwarding.function, queues, _LATE, titles, fates, [lag])


class Forwarding(Construct):
    """The FIFO queue of announced events, its dead letters, and the forward function."""

    def __init__(self, scope: Construct, construct_id: str, *, stack: LineageStack, to: ForwardTo) -> None:
        super().__init__(scope, construct_id)
        events = stack.events.function
        self._namespaces = {FORWARD_NAMESPACES: json.dumps(list(to.namespaces))}
        self.queue, self.dead_letters = work_queue(
            self, "Forward", receives_max=_RECEIVES_MAX, function_timeout_s=_TIMEOUT_S, fifo=True
        )
        self.function = self._make_function(to, stack.storage.archive_bucket, stack.defaults)
        events.set({FORWARD_QUEUE_URL: self.queue.queue_url, **self._namespaces})
        events.allow(["sqs:SendMessage"], [self.queue.queue_arn])
        marks = ["dynamodb:BatchGetItem", "dynamodb:BatchWriteItem"]
        events.rights.allow_partitions(marks, stack.storage.graph_table, [ANNOUNCED])
        accept_from_alone(self.queue, [events.role], tags=[settings.OPERATOR])

    def _make_function(self, to: ForwardTo, archive_bucket: s3.Bucket, defaults: FunctionDefaults) -> ServiceFunction:
        function = ServiceFunction(
            self,
            "ForwardFunction",
            module="forward",
            feature="forwarding",
            description="Forwards events of the raw log to an OpenLineage endpoint, or to a domain of DataZone.",
            timeout_s=_TIMEOUT_S,
            memory_mb=512,
            defaults=defaults,
            variables={
                settings.ARCHIVE_BUCKET: archive_bucket.bucket_name,
                FORWARD_QUEUE_URL: self.queue.queue_url,
                FORWARD_DLQ_URL: self.dead_letters.queue_url,
                **self._namespaces,
            },
        )
        if to.url is not None:
            function.set({FORWARD_URL: to.url})
        if to.domain is not None:
            function.set({FORWARD_DOMAIN: to.domain})
            function.allow(["datazone:PostLineageEvent"], [_domain_arn(self, to.domain)])
        if to.secret is not None:
            function.set({FORWARD_SECRET: to.secret})
            function.allow(["secretsmanager:GetSecretValue"], [_secret_arn(self, to.secret)])
        function.allow_objects(["s3:GetObject"], archive_bucket, settings.EVENTS_PREFIX)
        function.allow(["sqs:SendMessage"], [self.dead_letters.queue_arn])
        function.consume("Announcements", queue=self.queue, batch_size=_BATCH)
        return function


def _domain_arn(scope: Construct, domain: str) -> str:
    """Format the ARN of a domain, from its id or ARN."""
    if domain.startswith("arn:"):
        return domain
    return Stack.of(scope).format_arn(service="datazone", resource="domain", resource_name=domain)


def _secret_arn(scope: Construct, secret: str) -> str:
    """Format the ARN of a secret, from its name or ARN."""
    if secret.startswith("arn:"):
        return secret
    return Stack.of(scope).format_arn(
        service="secretsmanager",
        resource="secret",
        resource_name=f"{secret}{_ANY_SUFFIX}",
        arn_format=ArnFormat.COLON_RESOURCE_NAME,
    )
