"""The way of events from the chosen buckets: rules of EventBridge, a queue, and the bucket-events function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from aws_cdk import Duration, Stack
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from constructs import Construct

from headwater import settings
from headwater.features.bucket_events.context import EventBucket
from headwater.features.bucket_events.settings import BUCKET_EVENTS_DLQ_URL, BUCKET_EVENTS_QUEUE_URL
from infra.addition import Addition
from infra.alarms import our_metric
from infra.dashboard import watched_work
from infra.function import ServiceFunction
from infra.nag import accept
from infra.queues import deliver_to_alone, work_queue

if TYPE_CHECKING:
    from infra.stack import LineageStack

# Ten objects of the greatest size.
_TIMEOUT_S = 300
_BATCH = 10
_LATE = Duration.minutes(15)
_FATES = ("EventsAccepted", "EventsDropped", "BucketEventsRefused")


def add(stack: LineageStack, buckets: Sequence[EventBucket]) -> Addition:
    """Add the way of events from the buckets; their owners need the role's ARN for policies of buckets and keys."""
    parts = BucketEvents(stack, "BucketEvents", stack=stack, buckets=buckets)
    fates = [our_metric(stack.defaults.metrics_namespace, name, "bucket_events") for name in _FATES]
    titles = ("Events from buckets", "Buckets: age of the oldest notification, s", "Buckets: dead letters")
    addition = watched_work("BucketEvents", parts.function, (parts.queue, parts.dead_letters), _LATE, titles, fates)
    outputs = {**addition.outputs, "BucketEventsRoleArn": parts.function.role.role_arn}
    return replace(addition, outputs=outputs)


class BucketEvents(Construct):
    """The queue of notifications, its dead letters, the function, and a rule for each bucket."""

    def __init__(
        self, scope: Construct, construct_id: str, *, stack: LineageStack, buckets: Sequence[EventBucket]
    ) -> None:
        super().__init__(scope, construct_id)
        self.queue, self.dead_letters = work_queue(self, "BucketEvents", function_timeout_s=_TIMEOUT_S)
        self.function = self._make_function(stack)
        deliver_to_alone(self.queue, self.function.role)
        for number, bucket in enumerate(buckets):
            self._notify_of(bucket, number)
            self._let_read(bucket)

    def _make_function(self, stack: LineageStack) -> ServiceFunction:
        function = ServiceFunction(
            self,
            "BucketEventsFunction",
            module="bucket_events",
            feature="bucket_events",
            description="Takes OpenLineage events from new objects of the chosen buckets.",
            timeout_s=_TIMEOUT_S,
            memory_mb=1024,
            defaults=stack.defaults,
            variables={
                **stack.storage.names(settings.INTAKE_BUCKET),
                BUCKET_EVENTS_QUEUE_URL: self.queue.queue_url,
                BUCKET_EVENTS_DLQ_URL: self.dead_letters.queue_url,
            },
        )
        stack.events.open_to(function)
        function.allow_objects(["s3:PutObject"], stack.storage.ingest_bucket, "requests/")
        function.allow(["sqs:SendMessage"], [self.dead_letters.queue_arn])
        function.consume("Notifications", queue=self.queue, batch_size=_BATCH)
        return function

    def _notify_of(self, bucket: EventBucket, number: int) -> None:
        """Queue EventBridge's event of each new object; an event without a delivery is a dead letter, too."""
        name: dict[str, object] = {"bucket": {"name": [bucket.name]}}
        keys = {"object": {"key": [{"prefix": bucket.prefix}]}} if bucket.prefix else {}
        events.Rule(
            self,
            f"Objects{number}",
            description=f"Notifies Headwater of new objects with events in {bucket.name}.",
            event_pattern=events.EventPattern(
                source=["aws.s3"], detail_type=["Object Created"], detail={**name, **keys}
            ),
            targets=[targets.SqsQueue(self.queue, dead_letter_queue=self.dead_letters)],
        )

    def _let_read(self, bucket: EventBucket) -> None:
        """Let the function read the objects; with s3:ListBucket a missing object is no missing right."""
        arn = Stack.of(self).format_arn(service="s3", region="", account="", resource=bucket.name)
        self.function.allow(["s3:GetObject", "s3:GetObjectVersion"], [f"{arn}/{bucket.prefix}*"])
        self.function.allow(["s3:ListBucket"], [arn])
        accept(
            self.function.role,
            f"IAM5[Resource::arn:<AWS::Partition>:s3:::{bucket.name}/{bucket.prefix}*]",
            "Producers make the keys; the bucket and the prefix are the deployer's.",
        )
