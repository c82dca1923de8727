"""Queues of work, and dead-letter queues: their messages failed again and again, and wait for a person."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aws_cdk import Duration
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from headwater import settings
from infra.role_permissions import denial

# SQS's greatest, a message and a batch alike; a template without a size may get the older 256 KiB.
MESSAGE_BYTES_MAX = 1024 * 1024
RETENTION = Duration.days(14)  # SQS's greatest
# AWS's rule for a queue of a function: a batch under way must not be delivered a second time.
VISIBILITY_TIMEOUTS = 6
# Receives of a message before it is a dead letter, where throttling must never make a dead letter: `lambdas.sqs_batch`
# has the waits in between, and a day of refusals takes 72 receives at most.
RECEIVES_MAX = 100


def dead_letter_queue(scope: Construct, construct_id: str, *, fifo: bool = False, **options: Any) -> sqs.Queue:
    """Make a queue read by people alone; `observability` watches its depth. `fifo` as its source queue."""
    return sqs.Queue(
        scope,
        construct_id,
        fifo=fifo or None,
        encryption=sqs.QueueEncryption.SQS_MANAGED,
        enforce_ssl=True,
        max_message_size_bytes=MESSAGE_BYTES_MAX,
        retention_period=RETENTION,
        **options,
    )


def work_queue(
    scope: Construct,
    name: str,
    *,
    function_timeout_s: int,
    window_s: int = 0,
    dead_letters: sqs.Queue | None = None,
    receives_max: int = RECEIVES_MAX,
    fifo: bool = False,
) -> tuple[sqs.Queue, sqs.Queue]:
    """Make a function's queue, and its dead letters, if not given: of messages received `receives_max` times.

    A `fifo` queue delivers the messages of a group batch after batch, in their order.
    """
    dead_letters = dead_letters or dead_letter_queue(scope, f"{name}DeadLetters", fifo=fifo)
    queue = dead_letter_queue(
        scope,
        f"{name}Queue",
        fifo=fifo,
        visibility_timeout=Duration.seconds(VISIBILITY_TIMEOUTS * function_timeout_s + window_s),
        dead_letter_queue=sqs.DeadLetterQueue(queue=dead_letters, max_receive_count=receives_max),
    )
    return queue, dead_letters


def accept_from_alone(queue: sqs.Queue, senders: Sequence[iam.IRole], *, tags: Sequence[str]) -> None:
    """Deny sending to everybody but the senders, and principals with a tag `headwater` of these values.

    A deny outweighs the rights of all roles of the account, a wildcard on every queue too. Roles outside the stack are
    known by their tag alone, set by an administrator.
    """
    conditions = {
        "ArnNotEquals": {"aws:PrincipalArn": [role.role_arn for role in senders]},
        "StringNotEquals": {f"aws:PrincipalTag/{settings.PRINCIPAL_TAG}": list(tags)},
    }
    queue.add_to_resource_policy(denial("SendersAreKnown", ["sqs:SendMessage"], [queue.queue_arn], conditions))


def deliver_to_alone(queue: sqs.Queue, role: iam.IRole) -> None:
    """Deny receiving to everybody but this role, as in `deliver_to_alone(queue, function.role)`.

    Only the role's function then holds receipts of messages under way.
    """
    conditions = {"ArnNotEquals": {"aws:PrincipalArn": role.role_arn}}
    queue.add_to_resource_policy(denial("ReceiverIsKnown", ["sqs:ReceiveMessage"], [queue.queue_arn], conditions))
