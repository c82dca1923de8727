"""The demo's reconciliation of the records sent, loaded and archived."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import boto3

from headwater import settings

if TYPE_CHECKING:
    from local_stack.stack import LocalStack


@dataclass(frozen=True)
class Reconciliation:
    """The records by action at three steps: sent by the pipeline, loaded into the table, archived."""

    sent: Counter[str]
    loaded: Counter[str]
    archived: Counter[str]
    undelivered: int
    dead: int

    @property
    def balanced(self) -> bool:
        """True if no record was lost or added."""
        return self.sent == self.loaded == self.archived and not self.undelivered and not self.dead


def count_loaded(stack: LocalStack) -> Counter[str]:
    """Count the records of the records table by action."""
    dynamodb = boto3.client("dynamodb", **stack.client_settings)
    pages = dynamodb.get_paginator("scan").paginate(
        TableName=stack.outputs["RecordsTableName"], ProjectionExpression=settings.ACTION_TAKEN, ConsistentRead=True
    )
    return Counter(item[settings.ACTION_TAKEN]["S"] for page in pages for item in page["Items"])


def count_dead(stack: LocalStack) -> int:
    """Count the messages of all dead-letter queues."""
    sqs = boto3.client("sqs", **stack.client_settings)
    dead = 0
    for name in ("RecordsDeadLettersUrl", "EventsDeadLettersUrl", "ChangesDeadLettersUrl", "TraceDeadLettersUrl"):
        queue = sqs.get_queue_attributes(QueueUrl=stack.outputs[name], AttributeNames=["ApproximateNumberOfMessages"])
        dead += int(queue["Attributes"]["ApproximateNumberOfMessages"])
    return dead
