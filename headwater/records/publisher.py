"""Publishing of a sealed day's tables: its Glue partitions are pointed at the files of one attempt.

The order is safe at every crash. The attempt is complete before its partitions name it; the partitions name it before
the copy of its manifest and the graph table do. Older attempts are removed last. The previous attempt stays for running
queries. Publishing again changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from headwater.aws.athena import Catalog
from headwater.aws.items import chunks
from headwater.aws.objects import is_missing, list_objects
from headwater.records.digest import Digests
from headwater.records.publications import Publication, Publications
from headwater_model.archive_tables import (
    TABLES,
    Manifest,
    attempt_prefix,
    manifest_key,
    parse_manifest,
    partition_prefix,
    published_key,
    render_manifest,
)
from headwater_model.errors import Conflict, NotFound

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

# S3's limit of a DeleteObjects.
_DELETES_MAX = 1000


def find_manifest(s3: S3Client, bucket: str, key: str) -> Manifest | None:
    """Read a manifest of tables: of an attempt (`manifest_key`), or of a day's published attempt (`published_key`)."""
    try:
        return parse_manifest(s3.get_object(Bucket=bucket, Key=key)["Body"].read())
    except ClientError as error:
        if is_missing(error):
            return None
        raise


@dataclass(frozen=True, slots=True)
class Publisher:
    """The publishing of days; its stores."""

    s3: S3Client
    bucket: str
    digests: Digests
    publications: Publications
    catalog: Catalog

    def publish(self, day: str, attempt: str | None, *, now_s: int) -> Publication:
        """Publish the attempt; None for a day without objects, and so without tables.

        Raises `NotFound` for an incomplete attempt; `Conflict` if the attempt read a different digest, or if a day with
        objects has no attempt.
        """
        digest = self.digests.get(day)
        before = self.publications.of([day]).get(day)
        if attempt is None and digest.counts.objects:
            raise Conflict(f"day {day} has {digest.counts.objects} objects, but nothing was made of them")
        if attempt is not None:
            manifest = find_manifest(self.s3, self.bucket, manifest_key(day, attempt))
            if manifest is None:
                raise NotFound(f"attempt {attempt} to compact {day} has no manifest: it is not complete")
            self._commit(manifest, digest.link.sha256)
        kept = before.attempt if before and before.attempt != attempt else before.before if before else None
        publication = Publication(day, attempt, digest.link.sha256, now_s, kept)
        self.publications.put(publication)
        self._remove_others(day, {name for name in (attempt, kept) if name})
        return publication

    def _commit(self, manifest: Manifest, digest_sha256: str) -> None:
        if manifest.digest_sha256 != digest_sha256:
            raise Conflict(f"attempt {manifest.attempt} read another digest of {manifest.day} than the sealed one")
        about = {"headwater.version": str(manifest.version), "headwater.digest_sha256": digest_sha256}
        for table in TABLES:
            prefix = attempt_prefix(table.name, manifest.day, manifest.attempt)
            self.catalog.set_partition(table.name, manifest.day, f"s3://{self.bucket}/{prefix}", about)
        self.s3.put_object(
            Bucket=self.bucket,
            Key=published_key(manifest.day),
            Body=render_manifest(manifest),
            ContentType="application/json",
        )

    def _remove_others(self, day: str, kept: set[str]) -> None:
        for table in TABLES:
            prefixes = tuple(attempt_prefix(table.name, day, attempt) for attempt in kept)
            listed = list_objects(self.s3, self.bucket, partition_prefix(table.name, day))
            others = [entry["Key"] for entry in listed if not entry["Key"].startswith(prefixes)]
            for batch in chunks(others, _DELETES_MAX):
                result = self.s3.delete_objects(Bucket=self.bucket, Delete={"Objects": [{"Key": key} for key in batch]})
                if failed := result.get("Errors"):
                    raise Conflict(f"{len(failed)} files of older attempts could not be removed: {failed[0]}")
