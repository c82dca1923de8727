"""Removals of objects of the archive, for good and by order: a mark for each object, and a line in the next digest.

    removed/<key>    empty; its time is the time of the removal

The mark comes first, then all versions of the object go. So no object is missing without a mark, and a removal that
broke off is repeated. A line of a digest names no more than the digest of the object's day does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from headwater.aws.items import chunks
from headwater.aws.objects import list_objects, put_new
from headwater.settings import REMOVED_PREFIX
from headwater_model.errors import Unavailable

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import ObjectIdentifierTypeDef

# S3's limit of a DeleteObjects.
_DELETES_MAX = 1000


@dataclass(frozen=True, slots=True)
class Removal:
    """A removed object: its key, and the time of the order in seconds since 1970."""

    key: str
    at: int


def list_removals(s3: S3Client, bucket: str, since_s: int = 0, prefix: str = "") -> Sequence[Removal]:
    """List the objects removed since a time, in the order of their keys; the `prefix` is of the removed keys."""
    listed = list_objects(s3, bucket, f"{REMOVED_PREFIX}{prefix}")
    marks = ((entry["Key"].removeprefix(REMOVED_PREFIX), int(entry["LastModified"].timestamp())) for entry in listed)
    return [Removal(key, at) for key, at in marks if at >= since_s]


def remove_for_good(s3: S3Client, bucket: str, keys: Sequence[str], *, bypass: bool = False) -> int:
    """Mark the objects as removed, then delete all their versions; count the versions.

    `bypass` overrides Object Lock in governance mode. Raises `Unavailable` if S3 keeps a version.
    """
    for key in keys:
        put_new(s3, bucket, f"{REMOVED_PREFIX}{key}", b"", content_type="application/octet-stream")
    return sum(delete_versions(s3, bucket, key, bypass=bypass) for key in keys)


def delete_versions(s3: S3Client, bucket: str, prefix: str, *, keep: tuple[str, ...] = (), bypass: bool = False) -> int:
    """Delete each version and marker of the keys under a prefix, but for keys that begin with `keep`; count them."""
    versions = [each for each in list_versions(s3, bucket, prefix) if not (keep and each["Key"].startswith(keep))]
    for batch in chunks(versions, _DELETES_MAX):
        more = {"BypassGovernanceRetention": True} if bypass else {}
        result = s3.delete_objects(Bucket=bucket, Delete={"Objects": list(batch), "Quiet": True}, **more)  # type: ignore[arg-type]
        if failed := result.get("Errors"):
            raise Unavailable(f"{len(failed)} versions under {prefix} could not be removed: {failed[0]}")
    return len(versions)


def list_versions(s3: S3Client, bucket: str, prefix: str) -> Iterator[ObjectIdentifierTypeDef]:
    """Yield each version and marker under a prefix, as `{"Key", "VersionId"}`."""
    for page in s3.get_paginator("list_object_versions").paginate(Bucket=bucket, Prefix=prefix):
        for entry in (*page.get("Versions", []), *page.get("DeleteMarkers", [])):
            yield {"Key": entry["Key"], "VersionId": entry["VersionId"]}
