"""The ingest of requests: they become records on a queue, then rows; rows that expire unread are staged."""

from __future__ import annotations

import jsii
from aws_cdk import Duration
from aws_cdk import aws_lambda as lam
from aws_cdk import aws_s3 as s3
from constructs import Construct

from headwater import settings
from infra.function import FunctionDefaults, ServiceFunction
from infra.queues import accept_from_alone, work_queue

_INPUT_TIMEOUT_S = 30
_LOAD_TIMEOUT_S = 120
_EXPIRED_TIMEOUT_S = 120
# Carbonlake's defaults: 1 minute or 100 records, here requests of up to 100 records.
_RECORDS_BATCH = 100
_RECORDS_WINDOW_S = 60
# A packed message is up to 1 MiB: four of them stay under 6 MB, the limit of a function's event.
_PACKED_BATCH = 4
# The stream forgets a record after 24 hours; an unstaged batch must be in S3 before.
_EXPIRY_AGE_MAX_H = 20
# DynamoDB's own deletions, without a person's: the documented mark of a TTL removal.
_TTL_REMOVALS = {
    "eventName": ["REMOVE"],
    "userIdentity": {"type": ["Service"], "principalId": ["dynamodb.amazonaws.com"]},
}


class Ingestion(Construct):
    """The input function, the records queue and the packed queue, the load function, and the expired function."""

    def __init__(self, scope: Construct, construct_id: str, defaults: FunctionDefaults) -> None:
        super().__init__(scope, construct_id)
        self._defaults, self._storage, self._records_ttl_s = defaults, defaults.storage, defaults.context.records_ttl_s
        self.records_queue, self.dead_letters = work_queue(
            self, "Records", function_timeout_s=_LOAD_TIMEOUT_S, window_s=_RECORDS_WINDOW_S
        )
        self.packed_queue, _ = work_queue(
            self, "Packed", function_timeout_s=_LOAD_TIMEOUT_S, dead_letters=self.dead_letters
        )
        self.input = self._make_input()
        self.load = self._make_load()
        self.expired = self._make_expired()

    def open_to(self, function: ServiceFunction) -> None:
        """Let the function queue requests, and store requests too big for a message."""
        function.set(
            {
                settings.RECORDS_QUEUE_URL: self.records_queue.queue_url,
                settings.PACKED_QUEUE_URL: self.packed_queue.queue_url,
                **self._storage.names(settings.INTAKE_BUCKET),
                settings.RECORDS_TTL_S: str(self._records_ttl_s),
            }
        )
        function.allow(["sqs:SendMessage"], [self.records_queue.queue_arn, self.packed_queue.queue_arn])
        function.allow_objects(["s3:PutObject"], self._storage.ingest_bucket, "requests/")

    def close_queues(self, *doors: ServiceFunction) -> None:
        """Let the doors alone queue records, beside jobs with packed records and operators with redrives."""
        roles = [door.role for door in doors]
        accept_from_alone(self.records_queue, roles, tags=[settings.OPERATOR])
        accept_from_alone(self.packed_queue, roles, tags=[settings.PRODUCER, settings.OPERATOR])

    def _make_input(self) -> ServiceFunction:
        function = ServiceFunction(
            self,
            "InputFunction",
            module="input",
            description="Accepts lineage requests and queues their records.",
            timeout_s=_INPUT_TIMEOUT_S,
            memory_mb=512,
            defaults=self._defaults,
        )
        self.open_to(function)
        return function

    def _make_load(self) -> ServiceFunction:
        function = ServiceFunction(
            self,
            "LoadFunction",
            module="load",
            description="Loads queued records into the records table and marks their roots.",
            timeout_s=_LOAD_TIMEOUT_S,
            memory_mb=1024,
            defaults=self._defaults,
            variables={
                **self._storage.names(settings.RECORDS_TABLE, settings.GRAPH_TABLE, settings.INTAKE_BUCKET),
                settings.RECORDS_DLQ_URL: self.dead_letters.queue_url,
                settings.RECORDS_QUEUE_URL: self.records_queue.queue_url,
                settings.PACKED_QUEUE_URL: self.packed_queue.queue_url,
                settings.RECORDS_TTL_S: str(self._records_ttl_s),
            },
        )
        # Records are put once; the marks of their roots are updated.
        function.allow(["dynamodb:PutItem"], [self._storage.records_table.table_arn])
        partitions = [settings.MARKS, settings.ROOT_IDS]
        function.rights.allow_partitions(["dynamodb:UpdateItem"], self._storage.graph_table, partitions)
        function.rights.allow_partitions(["dynamodb:GetItem"], self._storage.graph_table, [settings.MARKS])
        function.allow_objects(["s3:GetObject"], self._storage.ingest_bucket, "requests/")
        function.allow(["sqs:SendMessage"], [self.dead_letters.queue_arn])
        function.consume("Records", queue=self.records_queue, batch_size=_RECORDS_BATCH, window_s=_RECORDS_WINDOW_S)
        function.consume("Packed", queue=self.packed_queue, batch_size=_PACKED_BATCH)
        return function

    def _make_expired(self) -> ServiceFunction:
        function = ServiceFunction(
            self,
            "ExpiredFunction",
            module="expired",
            description="Stages records that expire before a finished trace has read them.",
            timeout_s=_EXPIRED_TIMEOUT_S,
            memory_mb=512,
            defaults=self._defaults,
        )
        function.set(self._storage.names(settings.GRAPH_TABLE))
        function.rights.allow_partitions(
            ["dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:BatchWriteItem", "dynamodb:UpdateItem"],
            self._storage.graph_table,
            [settings.ROOTS, settings.STAGED, settings.MARKS, settings.ROOT_IDS],
        )
        self._follow_expiry(function)
        return function

    def _follow_expiry(self, function: ServiceFunction) -> None:
        """Feed the function from the table's stream; a batch not staged in time goes to S3."""
        stream_arn, ingest_bucket = self._storage.records_table.table_stream_arn or "", self._storage.ingest_bucket
        function.allow(
            ["dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator", "dynamodb:ListStreams"],
            [stream_arn],
        )
        # The mapping writes the failed batches itself, in the function's name.
        function.allow_objects(["s3:PutObject"], ingest_bucket, "aws/lambda/")
        function.allow(["s3:ListBucket"], [ingest_bucket.bucket_arn])
        lam.EventSourceMapping(
            function,
            "Expiry",
            target=function.resource,
            event_source_arn=stream_arn,
            starting_position=lam.StartingPosition.TRIM_HORIZON,
            batch_size=500,
            max_batching_window=Duration.seconds(5),
            filters=[lam.FilterCriteria.filter(_TTL_REMOVALS)],
            bisect_batch_on_error=True,
            report_batch_item_failures=True,
            max_record_age=Duration.hours(_EXPIRY_AGE_MAX_H),
            on_failure=_ToBucket(ingest_bucket),
            support_s3_on_failure_destination=True,
        )


@jsii.implements(lam.IEventSourceDlq)
class _ToBucket:
    """A destination of failed batches, under `aws/lambda/` of a bucket; the CDK's own class also grants reads of it."""

    def __init__(self, bucket: s3.IBucket) -> None:
        self._bucket = bucket

    def bind(self, target: lam.IEventSourceMapping, target_handler: lam.IFunction) -> lam.DlqDestinationConfig:  # noqa: ARG002
        """Make the destination; the grant stands beside the mapping."""
        return lam.DlqDestinationConfig(destination=self._bucket.bucket_arn)
