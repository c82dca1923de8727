"""The rights of a job outside the stack: to send events and records to the queues, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from aws_cdk import aws_iam as iam
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.function import ServiceFunction


class Producers(Construct):
    """A policy for the roles of jobs, attached by the deployer: the stack knows none of them."""

    def __init__(
        self, scope: Construct, construct_id: str, *, queues: Sequence[sqs.IQueue], function: ServiceFunction
    ) -> None:
        super().__init__(scope, construct_id)
        self.queues, self.function = queues, function
        self.policy = iam.ManagedPolicy(
            self,
            "Policy",
            description="Jobs that tell Headwater of their lineage: attach it to their roles.",
            statements=[
                iam.PolicyStatement(actions=["sqs:SendMessage"], resources=[queue.queue_arn for queue in queues]),
                iam.PolicyStatement(actions=["lambda:InvokeFunction"], resources=[function.resource.function_arn]),
            ],
        )
