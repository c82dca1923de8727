"""The archive bucket's own policy: objects are written once, and no role of the stack can destroy them."""

from __future__ import annotations

from collections.abc import Sequence

from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3

from lineage import settings

# Actions that remove or replace a version for good, or let a later call do so.
OF_VERSIONS = (
    "s3:DeleteObjectVersion",
    "s3:PutObjectRetention",
    "s3:PutObjectLegalHold",
    "s3:BypassGovernanceRetention",
)
OF_THE_BUCKET = (
    "s3:PutBucketVersioning",
    "s3:PutLifecycleConfiguration",
    "s3:PutBucketObjectLockConfiguration",
    "s3:PutBucketPolicy",
    "s3:DeleteBucketPolicy",
    "s3:DeleteBucket",
)


def require_new_keys(bucket: s3.Bucket) -> None:
    """Deny every principal a write of an archive's object without If-None-Match.

    An upload in parts sends it on completion: only then does `s3:ObjectCreationOperation` hold (S3 user guide,
    "Enforce conditional writes on Amazon S3 buckets"). Copies cannot send it, so they are denied.
    """
    bucket.add_to_resource_policy(
        iam.PolicyStatement(
            sid="WrittenOnce",
            effect=iam.Effect.DENY,
            principals=[iam.AnyPrincipal()],
            actions=["s3:PutObject"],
            resources=[bucket.arn_for_objects(f"{prefix}*") for prefix in settings.WRITTEN_ONCE],
            conditions={"Null": {"s3:if-none-match": "true"}, "Bool": {"s3:ObjectCreationOperation": "true"}},
        )
    )


def keep_from(bucket: s3.Bucket, roles: Sequence[iam.IRole]) -> None:
    """Deny these roles to remove versions or change the rules that keep them, whatever their policies allow."""
    # A role that was just made is not yet known everywhere as a principal; a condition takes its ARN as it is.
    theirs = {"ArnEquals": {"aws:PrincipalArn": [role.role_arn for role in roles]}}
    for sid, actions, resource in (
        ("VersionsStay", OF_VERSIONS, bucket.arn_for_objects("*")),
        ("RulesStay", OF_THE_BUCKET, bucket.bucket_arn),
    ):
        bucket.add_to_resource_policy(
            iam.PolicyStatement(
                sid=sid,
                effect=iam.Effect.DENY,
                principals=[iam.AnyPrincipal()],
                actions=list(actions),
                resources=[resource],
                conditions=theirs,
            )
        )
