"""The resources that tracing a root needs, in the trace function or, for a large root, on Spark."""

from __future__ import annotations

from dataclasses import dataclass

from aws_cdk import aws_sqs as sqs

from headwater import settings
from infra.role_permissions import Rights
from infra.storage import Storage


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceResources:
    """The tables that a trace reads, the archive, and the queue of displaced records."""

    storage: Storage
    records_dead_letters: sqs.Queue

    def open_to(self, rights: Rights) -> None:
        """Let a role trace any root."""
        rights.allow(["dynamodb:Query"], [self.storage.records_table.table_arn])
        rights.allow_partitions(
            [
                "dynamodb:GetItem",
                "dynamodb:BatchGetItem",
                "dynamodb:Query",
                "dynamodb:PutItem",
                "dynamodb:UpdateItem",
                "dynamodb:BatchWriteItem",
                "dynamodb:ConditionCheckItem",
            ],
            self.storage.graph_table,
            settings.ARCHIVE_PARTITIONS,
        )
        actions = ["s3:GetObject", "s3:PutObject"]
        rights.allow_objects(actions, self.storage.archive_bucket, settings.TRACES_PREFIX)
        rights.allow(["sqs:SendMessage"], [self.records_dead_letters.queue_arn])
