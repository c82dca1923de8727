"""The rights of a role: statements on named resources, with a reason for each wildcard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from aws_cdk import Stack
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3

from headwater import settings
from infra.nag import accept

_LEADING_KEYS = "dynamodb:LeadingKeys"
# A transaction requires the rights of its single writes.
_WRITES = (
    "PutItem",
    "UpdateItem",
    "DeleteItem",
    "BatchWriteItem",
    "PartiQLInsert",
    "PartiQLUpdate",
    "PartiQLDelete",
)


def denial(
    sid: str, actions: Sequence[str], resources: Sequence[str], conditions: Mapping[str, Mapping[str, object]]
) -> iam.PolicyStatement:
    """Make a statement of a resource's policy: it outweighs the rights of all principals under the conditions."""
    return iam.PolicyStatement(
        sid=sid,
        effect=iam.Effect.DENY,
        principals=[iam.AnyPrincipal()],
        actions=list(actions),
        resources=list(resources),
        conditions=dict(conditions),
    )


class Rights:
    """The rights of a role, none at first."""

    def __init__(self, role: iam.Role) -> None:
        self.role = role

    def allow(
        self,
        actions: Sequence[str],
        resources: Sequence[str],
        *,
        conditions: Mapping[str, Mapping[str, str | Sequence[str]]] | None = None,
    ) -> None:
        """Allow exactly the actions on the ARNs."""
        statement = iam.PolicyStatement(
            actions=list(actions), resources=list(resources), conditions=dict(conditions) if conditions else None
        )
        self.role.add_to_policy(statement)

    def allow_partitions(self, actions: Sequence[str], table: dynamodb.ITable, partitions: Sequence[str]) -> None:
        """Allow the actions on rows by partition key; a key with `#` at its end stands for all keys that begin with it.

        `ForAllValues` also holds for a request without a key, a Scan: none of the actions may be a Scan.
        """
        patterns = [f"{partition}*" if partition.endswith("#") else partition for partition in partitions]
        self.allow(actions, [table.table_arn], conditions={"ForAllValues:StringLike": {_LEADING_KEYS: patterns}})

    def deny_token_writes(self, table: dynamodb.ITable) -> None:
        """Deny every write of a bearer token, whatever else the role is allowed, now or later."""
        self.role.add_to_policy(
            iam.PolicyStatement(
                sid="TokensAreWrittenByPeople",
                effect=iam.Effect.DENY,
                actions=[f"dynamodb:{action}" for action in _WRITES],
                resources=[table.table_arn],
                conditions={"ForAnyValue:StringEquals": {_LEADING_KEYS: [settings.TOKENS]}},
            )
        )

    def allow_objects(self, actions: Sequence[str], bucket: s3.IBucket, prefix: str) -> None:
        """Allow the actions on the bucket's objects under a prefix.

        With `s3:GetObject` comes s3:ListBucket: without it, S3 responds to a missing key with 403 instead of 404.
        """
        self.allow(actions, [bucket.arn_for_objects(f"{prefix}*")])
        name = Stack.of(bucket).get_logical_id(cast(s3.CfnBucket, bucket.node.default_child))
        accept(
            self.role,
            f"IAM5[Resource::<{name}.Arn>/{prefix}*]",
            f"The keys under {prefix} are made while the stack runs; nothing outside it is allowed.",
        )
        if "s3:GetObject" in actions:
            self.allow(["s3:ListBucket"], [bucket.bucket_arn])
