"""Objects of a bucket, written once, and their listing."""

from __future__ import annotations

import hashlib
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import IO, TYPE_CHECKING

from botocore.exceptions import ClientError

from headwater_model.errors import Conflict, Unavailable

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import ObjectTypeDef, PutObjectRequestTypeDef

# S3's codes for a lost conditional write: the object exists, or is being written.
_EXISTS = {"PreconditionFailed", "ConditionalRequestConflict"}
_MISSING = {"NoSuchKey", "404"}
_CHUNK_BYTES = 1024 * 1024


def list_objects(s3: S3Client, bucket: str, prefix: str, *, after: str = "") -> Iterator[ObjectTypeDef]:
    """Yield the objects below a prefix, `traces/year=2026/`, and after a key, in the order of their keys."""
    pages = s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix, StartAfter=after)
    for page in pages:
        yield from page.get("Contents", [])


def list_days(s3: S3Client, bucket: str, prefix: str) -> list[str]:
    """List the days with objects in `events/year=2026/month=11/day=20/`, as `2026-11-20`, for the prefix `events/`."""

    def folders(prefix: str, name: str) -> Iterator[str]:
        pages = s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=f"{prefix}{name}", Delimiter="/")
        return (entry["Prefix"] for page in pages for entry in page.get("CommonPrefixes", []))

    months = (month for year in folders(prefix, "year=") for month in folders(year, "month="))
    days = (day for month in months for day in folders(month, "day="))
    return sorted("-".join(part.partition("=")[2] for part in day.split("/")[1:4]) for day in days)


def put_new(
    s3: S3Client,
    bucket: str,
    key: str,
    body: bytes | IO[bytes],
    *,
    content_type: str,
    content_encoding: str = "",
    sha256: str = "",
    metadata: Mapping[str, str] | None = None,
) -> bool:
    """Write the object unless its key exists (If-None-Match); return True if it was written.

    With `sha256`, in hex, S3 compares the body with it and keeps it beside the object.
    """
    request: PutObjectRequestTypeDef = {
        "Bucket": bucket,
        "Key": key,
        "Body": body,
        "ContentType": content_type,
        "IfNoneMatch": "*",
    }
    if content_encoding:
        request["ContentEncoding"] = content_encoding
    if sha256:
        request["ChecksumSHA256"] = b64encode(bytes.fromhex(sha256)).decode()
    if metadata:
        request["Metadata"] = metadata
    try:
        s3.put_object(**request)
    except ClientError as error:
        if error.response["Error"]["Code"] not in _EXISTS:
            raise
        return False
    return True


def put_once(
    s3: S3Client,
    bucket: str,
    key: str,
    body: bytes | IO[bytes],
    *,
    sha256: str,
    content_type: str,
    content_encoding: str = "",
    metadata: Mapping[str, str] | None = None,
) -> None:
    """Write the object, with its SHA-256 in hex, `sha256="ca978112..."`; an equal object stays.

    A repeated write succeeds, as does a second writer of the same bytes.

    Raises:
        Conflict: the key holds other bytes.
        Unavailable: a rival write of the key was under way, and left nothing.
    """
    if put_new(
        s3,
        bucket,
        key,
        body,
        content_type=content_type,
        content_encoding=content_encoding,
        sha256=sha256,
        metadata=metadata,
    ):
        return
    there = sha256_of(s3, bucket, key)
    if there is None:
        raise Unavailable(f"s3://{bucket}/{key}: another write of it was under way, and left nothing")
    if there != sha256:
        raise Conflict(f"s3://{bucket}/{key}: sha256 must be {sha256}, got {there}: somebody else wrote the object")


def sha256_of(s3: S3Client, bucket: str, key: str) -> str | None:
    """Read the object's SHA-256 in hex, as S3 stores it, else of its bytes; None for a missing object."""
    try:
        head = s3.head_object(Bucket=bucket, Key=key, ChecksumMode="ENABLED")
        kept = head.get("ChecksumSHA256", "")
        # The checksum of an upload in parts is a hash of hashes, and ends with their number.
        if kept and "-" not in kept:
            return b64decode(kept).hex()
        return hash_object(s3, bucket, key)
    except ClientError as error:
        if is_missing(error):
            return None
        raise


def is_missing(error: ClientError) -> bool:
    """True if S3 says that the object does not exist: `NoSuchKey`, or `404` without a body."""
    return error.response["Error"]["Code"] in _MISSING


def hash_object(s3: S3Client, bucket: str, key: str) -> str:
    """Hash the object's bytes, read a piece at a time: SHA-256 in hex, `ca978112...` for `a`."""
    sha256 = hashlib.sha256()
    with closing(s3.get_object(Bucket=bucket, Key=key)["Body"]) as body:
        for chunk in body.iter_chunks(_CHUNK_BYTES):
            sha256.update(chunk)
    return sha256.hexdigest()
