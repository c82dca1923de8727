"""The archive bucket's own policy: objects are written once, and no role of the stack can destroy them."""

from __future__ import annotations

from collections.abc import Sequence

from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3

from headwater import settings
from infra.role_permissions import denial

# Actions that remove or replace a version for good, or let a later call do so.
OF_VERSIONS = (
    "s3:DeleteObjectVersion",
    "s3:PutObjectRetention",
    "s3:PutObjectLegalHold",
    "s3:BypassGovernanceRetention",
)
# Without a version, it puts a marker over the object.
HIDE = "s3:DeleteObject"
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

    An upload in parts sends the header on completion: only then does `s3:ObjectCreationOperation` hold (S3 user guide,
    "Enforce conditional writes on Amazon S3 buckets"). Copies cannot send the header, so they are denied.
    """
    objects = [bucket.arn_for_objects(f"{prefix}*") for prefix in settings.WRITTEN_ONCE]
    conditions = {"Null": {"s3:if-none-match": "true"}, "Bool": {"s3:ObjectCreationOperation": "true"}}
    bucket.add_to_resource_policy(denial("WrittenOnce", ["s3:PutObject"], objects, conditions))


def keep_from(bucket: s3.Bucket, roles: Sequence[iam.IRole], *, sweeper: iam.IRole) -> None:
    """Deny the roles to remove or hide versions, or to change the bucket's rules, whatever their policies allow.

    The sweeper alone may hide objects of `traces/`: objects without a committed trace.
    """
    swept = f"{settings.TRACES_PREFIX}*"
    others = [pattern for prefix in settings.WRITTEN_ONCE if (pattern := f"{prefix}*") != swept]
    for sid, actions, resources, theirs in (
        ("VersionsStay", OF_VERSIONS, ["*"], roles),
        ("ObjectsStay", (HIDE,), others, roles),
        ("TracesStay", (HIDE,), [swept], [role for role in roles if role is not sweeper]),
        ("RulesStay", OF_THE_BUCKET, [], roles),
    ):
        arns = [bucket.arn_for_objects(resource) for resource in resources] or [bucket.bucket_arn]
        # A new role is not yet known everywhere as a principal; a condition takes its ARN.
        conditions = {"ArnEquals": {"aws:PrincipalArn": [role.role_arn for role in theirs]}}
        bucket.add_to_resource_policy(denial(sid, actions, arns, conditions))
