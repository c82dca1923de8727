"""The days of the graph's tables: a day is complete once the Glue catalog has its partition of the last table."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from headwater.aws.athena import Catalog
from headwater.aws.items import chunks
from headwater.features.graph_tables.tables import TABLES, VERSION
from headwater.times import days_between, shift
from headwater_model.archive_tables import attempt_prefix, partition_prefix
from headwater_model.errors import Unavailable

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

# Days that a night makes after failed nights; an older day is left out.
CAUGHT_UP_MAX = 7
# S3's limit of a DeleteObjects.
_DELETES_MAX = 1000


def days_to_make(days: Collection[str], since: str | None, yesterday: str) -> Sequence[str]:
    """Choose the days to make, the oldest first: since a day, or since the last complete day.

    >>> days_to_make(["2026-11-18"], None, "2026-11-20"), days_to_make([], None, "2026-11-20")
    (['2026-11-19', '2026-11-20'], ['2026-11-20'])
    """
    if since is not None:
        return days_between(since, yesterday)
    last = max((day for day in days if day <= yesterday), default=shift(yesterday, -1))
    return days_between(shift(last, 1), yesterday)[-CAUGHT_UP_MAX:]


@dataclass(frozen=True, slots=True)
class PublishedDays:
    """The partitions and files of the graph's tables."""

    catalog: Catalog
    s3: S3Client
    bucket: str

    def list_made(self) -> Sequence[str]:
        """List the complete days, in order."""
        return sorted(self.catalog.find_locations(TABLES[-1].name))

    def key_before(self, table: str, day: str) -> str | None:
        """Find the folder of the newest earlier day of a table; None without an earlier day."""
        locations = self.catalog.find_locations(table)
        before = max((earlier for earlier in locations if earlier < day), default=None)
        return None if before is None else locations[before].removeprefix(f"s3://{self.bucket}/")

    def publish(self, day: str, attempt: str) -> None:
        """Publish the attempt, table by table; the last table completes the day."""
        before = {table.name: self.catalog.find_locations(table.name).get(day) for table in TABLES}
        about = {"headwater.version": str(VERSION)}
        for table in TABLES:
            prefix = attempt_prefix(table.name, day, attempt)
            self.catalog.set_partition(table.name, day, f"s3://{self.bucket}/{prefix}", about)
        self._remove_attempts(day, attempt, before)

    def expire(self, today: str) -> None:
        """Remove expired days: each partition first, then its files."""
        for table in TABLES:
            oldest = shift(today, -table.kept_days)
            for day in sorted(self.catalog.find_locations(table.name)):
                if day < oldest:
                    self.catalog.remove_partition(table.name, day)
                    self._remove(partition_prefix(table.name, day), kept=())

    def _remove_attempts(self, day: str, attempt: str, before: Mapping[str, str | None]) -> None:
        """Remove all attempts but the current and the previous attempt: running queries may still read the previous."""
        for table in TABLES:
            replaced = (before[table.name] or "").removeprefix(f"s3://{self.bucket}/")
            kept = (attempt_prefix(table.name, day, attempt), *([replaced] if replaced else []))
            self._remove(partition_prefix(table.name, day), kept=kept)

    def _remove(self, prefix: str, *, kept: tuple[str, ...]) -> None:
        pages = self.s3.get_paginator("list_objects_v2").paginate(Bucket=self.bucket, Prefix=prefix)
        keys = [entry["Key"] for page in pages for entry in page.get("Contents", [])]
        for batch in chunks([key for key in keys if not key.startswith(kept)], _DELETES_MAX):
            result = self.s3.delete_objects(Bucket=self.bucket, Delete={"Objects": [{"Key": key} for key in batch]})
            if failed := result.get("Errors"):
                raise Unavailable(f"{len(failed)} files under {prefix} could not be removed: {failed[0]}")
