"""The bucket of the assets, like the bucket of the CDK's bootstrap: private, encrypted, versioned, TLS alone."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from headwater.cli.program import CommandFailed

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

# Days of replaced versions, as in the CDK's bucket.
_REPLACED_DAYS = 30


def find_bucket(s3: S3Client, *, account: str, region: str, given: str | None) -> str:
    """Name the bucket for the assets: the given bucket, or the account's own, created if missing.

    Raises:
        CommandFailed: the given bucket is missing, or a stranger has the name.
    """
    name = given or f"headwater-assets-{account}-{region}"
    try:
        if given:
            s3.head_bucket(Bucket=name)
        else:
            # A stranger may own a guessable name, and could then read and replace the assets.
            s3.head_bucket(Bucket=name, ExpectedBucketOwner=account)
    except ClientError as error:
        status = error.response["ResponseMetadata"]["HTTPStatusCode"]
        if status == 404 and not given:
            # S3 takes every region's name but us-east-1.
            place = {} if region == "us-east-1" else {"CreateBucketConfiguration": {"LocationConstraint": region}}
            s3.create_bucket(Bucket=name, **place)  # type: ignore[arg-type]
        elif status in (403, 404):
            why = (
                "there is no such bucket" if status == 404 else "it is another account's, or these credentials may not"
            )
            raise CommandFailed(f"the bucket {name} cannot be used: {why}; name one by --assets-bucket") from error
        else:
            raise
    if not given:
        _protect(s3, name, account)
    return name


def put(s3: S3Client, bucket: str, key: str, content: bytes, sha256: str) -> bool:
    """Put an object unless the bucket has the same content under its key; True if it was put."""
    checksum = base64.b64encode(bytes.fromhex(sha256)).decode()
    try:
        head = s3.head_object(Bucket=bucket, Key=key, ChecksumMode="ENABLED")
    except ClientError as error:
        if error.response["ResponseMetadata"]["HTTPStatusCode"] not in (403, 404):
            raise
    else:
        if head.get("ChecksumSHA256") == checksum:
            return False
    s3.put_object(Bucket=bucket, Key=key, Body=content, ChecksumAlgorithm="SHA256", ChecksumSHA256=checksum)
    return True


def _protect(s3: S3Client, name: str, account: str) -> None:
    """Protect the bucket, unless an earlier deployment did: its policy is set last."""
    try:
        s3.get_bucket_policy(Bucket=name, ExpectedBucketOwner=account)
        return
    except ClientError as error:
        if error.response["Error"]["Code"] != "NoSuchBucketPolicy":
            raise
    # The policy is put last: with it, the bucket has everything before it.
    s3.put_public_access_block(
        Bucket=name,
        ExpectedBucketOwner=account,
        PublicAccessBlockConfiguration={
            "BlockPublicAcls": True,
            "IgnorePublicAcls": True,
            "BlockPublicPolicy": True,
            "RestrictPublicBuckets": True,
        },
    )
    s3.put_bucket_encryption(
        Bucket=name,
        ExpectedBucketOwner=account,
        ServerSideEncryptionConfiguration={
            "Rules": [{"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}]
        },
    )
    s3.put_bucket_versioning(Bucket=name, ExpectedBucketOwner=account, VersioningConfiguration={"Status": "Enabled"})
    s3.put_bucket_lifecycle_configuration(
        Bucket=name,
        ExpectedBucketOwner=account,
        LifecycleConfiguration={
            "Rules": [
                {
                    "ID": "replaced",
                    "Status": "Enabled",
                    "Filter": {"Prefix": ""},
                    "NoncurrentVersionExpiration": {"NoncurrentDays": _REPLACED_DAYS},
                    "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 1},
                }
            ]
        },
    )
    s3.put_bucket_policy(
        Bucket=name, ExpectedBucketOwner=account, Policy=json.dumps(_tls_alone(f"arn:{s3.meta.partition}:s3:::{name}"))
    )


def _tls_alone(arn: str) -> Mapping[str, object]:
    """Build a policy of the bucket that refuses requests without TLS."""
    statement = {
        "Sid": "TlsAlone",
        "Effect": "Deny",
        "Principal": "*",
        "Action": "s3:*",
        "Resource": [arn, f"{arn}/*"],
        "Condition": {"Bool": {"aws:SecureTransport": "false"}},
    }
    return {"Version": "2012-10-17", "Statement": [statement]}
