"""Queues of work, and dead-letter queues, whose messages failed again and again and wait for a person."""

from __future__ import annotations

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_sqs as sqs
from constructs import Construct

# SQS's greatest, a message and a batch alike; a template that names none may get the older 256 KiB.
MESSAGE_BYTES_MAX = 1024 * 1024
RETENTION = Duration.days(14)  # SQS's greatest
# AWS's rule for a queue that feeds a function: a batch that is being worked on must not be delivered a second time.
VISIBILITY_TIMEOUTS = 6


def dead_letter_queue(scope: Construct, construct_id: str, *, removal: RemovalPolicy) -> sqs.Queue:
    """Return a queue that only a person reads; `observability` watches its depth."""
    return sqs.Queue(
        scope,
        construct_id,
        encryption=sqs.QueueEncryption.SQS_MANAGED,
        enforce_ssl=True,
        max_message_size_bytes=MESSAGE_BYTES_MAX,
        retention_period=RETENTION,
        removal_policy=removal,
    )


def work_queue(
    scope: Construct,
    construct_id: str,
    *,
    dead_letters: sqs.Queue,
    receives_max: int,
    function_timeout_s: int,
    window_s: int = 0,
    removal: RemovalPolicy,
) -> sqs.Queue:
    """Return a queue that feeds a function; a message received `receives_max` times goes to the dead letters."""
    return sqs.Queue(
        scope,
        construct_id,
        encryption=sqs.QueueEncryption.SQS_MANAGED,
        enforce_ssl=True,
        max_message_size_bytes=MESSAGE_BYTES_MAX,
        retention_period=RETENTION,
        removal_policy=removal,
        visibility_timeout=Duration.seconds(VISIBILITY_TIMEOUTS * function_timeout_s + window_s),
        dead_letter_queue=sqs.DeadLetterQueue(queue=dead_letters, max_receive_count=receives_max),
    )
