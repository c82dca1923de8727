"""Objects that are written once."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from botocore.exceptions import ClientError

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import PutObjectRequestTypeDef

# S3's answers to a conditional write that lost: the object is there, or is being written.
_EXISTS = {"PreconditionFailed", "ConditionalRequestConflict"}


def put_new(
    s3: S3Client, bucket: str, key: str, body: bytes | IO[bytes], *, content_type: str, content_encoding: str = ""
) -> bool:
    """Write the object unless there is one of this key (If-None-Match); whether it was written."""
    request: PutObjectRequestTypeDef = {
        "Bucket": bucket,
        "Key": key,
        "Body": body,
        "ContentType": content_type,
        "IfNoneMatch": "*",
    }
    if content_encoding:
        request["ContentEncoding"] = content_encoding
    try:
        s3.put_object(**request)
    except ClientError as error:
        if error.response["Error"]["Code"] not in _EXISTS:
            raise
        return False
    return True
