"""Queues of work, and dead-letter queues: their messages failed again and again, and wait for a person."""

from __future__ import annotations

from collections.abc import Sequence

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from headwater import settings

# SQS's greatest, a message and a batch alike; a template without a size may get the older 256 KiB.
MESSAGE_BYTES_MAX = 1024 * 1024
RETENTION = Duration.days(14)  # SQS's greatest
# AWS's rule for a queue of a function: a batch under way must not be delivered a second time.
VISIBILITY_TIMEOUTS = 6
# Receives of a message before it is a dead letter, where throttling must never make a dead letter: `lambdas.sqs_batch`
# has the waits in between, and a day of refusals takes 72 receives at most.
RECEIVES_MAX = 100


def dead_letter_queue(scope: Construct, construct_id: str, *, removal: RemovalPolicy, fifo: bool = False) -> sqs.Queue:
    """Make a queue read by people alone; `observability` watches its depth. `fifo` as its source queue."""
    return sqs.Queue(
        scope,
        construct_id,
        fifo=fifo or None,
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
    fifo: bool = False,
) -> sqs.Queue:
    """Make a function's queue; a message received `receives_max` times goes to the dead letters.

    A `fifo` queue delivers the messages of a group batch after batch, in their order.
    """
    return sqs.Queue(
        scope,
        construct_id,
        fifo=fifo or None,
        encryption=sqs.QueueEncryption.SQS_MANAGED,
        enforce_ssl=True,
        max_message_size_bytes=MESSAGE_BYTES_MAX,
        retention_period=RETENTION,
        removal_policy=removal,
        visibility_timeout=Duration.seconds(VISIBILITY_TIMEOUTS * function_timeout_s + window_s),
        dead_letter_queue=sqs.DeadLetterQueue(queue=dead_letters, max_receive_count=receives_max),
    )


def accept_from_alone(queue: sqs.Queue, senders: Sequence[iam.IRole], *, tags: Sequence[str]) -> None:
    """Deny sending to everybody but the senders, and principals with a tag `headwater` of these values.

    A deny outweighs the rights of all roles of the account, a wildcard on every queue too. Roles outside the stack are
    known by their tag alone, set by an administrator.
    """
    _deny(
        queue,
        "SendersAreKnown",
        "sqs:SendMessage",
        {
            "ArnNotEquals": {"aws:PrincipalArn": [role.role_arn for role in senders]},
            "StringNotEquals": {f"aws:PrincipalTag/{settings.PRINCIPAL_TAG}": list(tags)},
        },
    )


def deliver_to_alone(queue: sqs.Queue, role: iam.IRole) -> None:
    """Deny receiving to everybody but this role, as in `deliver_to_alone(queue, function.role)`.

    Only the role's function then holds receipts of messages under way.
    """
    _deny(queue, "ReceiverIsKnown", "sqs:ReceiveMessage", {"ArnNotEquals": {"aws:PrincipalArn": role.role_arn}})


def _deny(queue: sqs.Queue, sid: str, action: str, conditions: dict[str, dict[str, object]]) -> None:
    queue.add_to_resource_policy(
        iam.PolicyStatement(
            sid=sid,
            effect=iam.Effect.DENY,
            principals=[iam.AnyPrincipal()],
            actions=[action],
            resources=[queue.queue_arn],
            conditions=conditions,
        )
    )
