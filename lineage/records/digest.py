"""A day's digest: what the archive holds of it, chained to the day before, as CloudTrail validates its log files.

    digests/year=2026/month=11/day=20/digest.json.gz

A JSON document, compressed: `version`, `day`, `sealed_at` (seconds since 1970), `execution`, `previous` (`day`, `key`
and `sha256` of the digest before, or null), `counts` (`objects`, `roots`, `records`, `lines`, `size_bytes`), `objects`
(`key`, `sha256`, `size_bytes`, `records`, `lines` of each, by key) and `missing` (the roots carried over).
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import orjson
from botocore.exceptions import ClientError

from lineage.records.archive import prefix_of
from lineage.records.calendar import Link, Seal
from lineage.records.pointers import ArchiveObject

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

VERSION = 1
# S3's answers to a conditional write that lost: the object is there, or is being written.
_EXISTS = {"PreconditionFailed", "ConditionalRequestConflict"}


@dataclass(frozen=True, slots=True)
class Digest:
    """A digest as it lies in the bucket."""

    link: Link
    counts: dict[str, int]
    missing: int


def key_of(day: str) -> str:
    """Where the day's digest lies.

    >>> key_of("2026-11-20")
    'digests/year=2026/month=11/day=20/digest.json.gz'
    """
    return prefix_of(day).replace("traces/", "digests/", 1) + "digest.json.gz"


def render_digest(
    day: str, seal: Seal, previous: Link | None, objects: Sequence[ArchiveObject], missing: Sequence[str]
) -> bytes:
    """The digest's bytes: the same facts give the same bytes."""
    entries = [
        {"key": o.key, "sha256": o.sha256, "size_bytes": o.size_bytes, "records": o.records, "lines": o.lines}
        for o in sorted(objects, key=lambda o: o.key)
    ]
    document = {
        "version": VERSION,
        "day": day,
        "sealed_at": seal.sealed_at,
        "execution": seal.execution,
        "previous": asdict(previous) if previous else None,
        "counts": {
            "objects": len(objects),
            "roots": len({o.key.partition(".")[0] for o in objects}),
            "records": sum(o.records for o in objects),
            "lines": sum(o.lines for o in objects),
            "size_bytes": sum(o.size_bytes for o in objects),
        },
        "objects": entries,
        "missing": sorted(missing),
    }
    return gzip.compress(orjson.dumps(document), mtime=0)


def parse_digest(day: str, body: bytes) -> Digest:
    """What a stored digest says of itself."""
    document: dict[str, Any] = orjson.loads(gzip.decompress(body))
    link = Link(day, key_of(day), hashlib.sha256(body).hexdigest())
    return Digest(link, document["counts"], len(document["missing"]))


@dataclass(frozen=True, slots=True)
class Digests:
    """The digests in the archive bucket; each is written once."""

    s3: S3Client
    bucket: str

    def put(self, day: str, body: bytes) -> Digest:
        """Write the day's digest unless there is one; the one that counts."""
        try:
            self.s3.put_object(
                Bucket=self.bucket, Key=key_of(day), Body=body, ContentType="application/json", IfNoneMatch="*"
            )
        except ClientError as error:
            if error.response["Error"]["Code"] not in _EXISTS:
                raise
            body = self.s3.get_object(Bucket=self.bucket, Key=key_of(day))["Body"].read()
        return parse_digest(day, body)

    def remove_orphans(self, day: str, committed: set[str]) -> int:
        """Remove what traces that died before their commit left under a sealed day; the number removed."""
        removed = 0
        for page in self.s3.get_paginator("list_objects_v2").paginate(Bucket=self.bucket, Prefix=prefix_of(day)):
            for entry in page.get("Contents", []):
                if entry["Key"] not in committed:
                    self.s3.delete_object(Bucket=self.bucket, Key=entry["Key"])
                    removed += 1
        return removed
