"""A sealed day as compaction reads it: the newest object of each root in its digest."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as sf

from headwater.records.archive import prefix_of
from headwater.records.digest import VERSION, key_of
from headwater.settings import REMOVED_PREFIX
from headwater_model.errors import HeadwaterError
from jobs.storage import Storage

_SUMMED = ("size_bytes", "records", "lines")
_LINE = """
    version int, day string, key string, sha256 string, size_bytes bigint, records bigint, lines bigint, base string,
    counts struct<objects: bigint, size_bytes: bigint, records: bigint, lines: bigint>
"""
_ROOT_SHA = r"/([0-9a-f]{64})[.][^/]*$"
_CONTENT_SHA = r"[.]([0-9a-f]{64})[.][^/]*$"


class DigestMismatch(HeadwaterError):
    """A mismatch of the archive and the day's digest: no tables are made."""


@dataclass(frozen=True, slots=True)
class SealedDay:
    """The newest object of each root on a day; it holds every record of the earlier objects.

    `newest` has their rows: key, sha256, size_bytes, records, lines, base; it is cached. The remaining fields are their
    sums; `continued` counts the objects with a base.
    """

    day: str
    digest_sha256: str
    newest: DataFrame
    objects: int
    continued: int
    size_bytes: int
    records: int
    lines: int

    @property
    def bases(self) -> DataFrame:
        """The bases' keys, each with the SHA-256 in its name."""
        bases = self.newest.where("base is not null").select(sf.col("base").alias("key"))
        return bases.withColumn("sha256", sf.regexp_extract("key", _CONTENT_SHA, 1))


def read_sealed_day(storage: Storage, day: str) -> SealedDay:
    """Read a day's digest, without removed objects.

    Raises:
        DigestMismatch: it is incomplete or of an unknown version.
    """
    # A digest is a single compressed file, so a single task reads it; the same task does the rest.
    digest = storage.spark.read.schema(_LINE).json(storage.path(key_of(day)), mode="FAILFAST").coalesce(1)
    _check_digest(digest, day)
    folder = prefix_of(day)
    removed = [f"{folder}{name}" for name in storage.names(f"{REMOVED_PREFIX}{folder}")]
    newest = (
        digest.where("key is not null")
        .where(~sf.col("key").isin(removed))
        .groupBy(sf.regexp_extract("key", _ROOT_SHA, 1).alias("root_sha"))
        .agg(sf.max_by(sf.struct("key", "sha256", *_SUMMED, "base"), "version").alias("one"))
        .select("one.*")
        .persist()
    )
    totals = _one(newest.agg(sf.count("*"), sf.count("base"), *map(_sum, _SUMMED)))
    return SealedDay(day, storage.sha256(key_of(day)), newest, *totals)


def _check_digest(digest: DataFrame, day: str) -> None:
    """Check that the first line is of the day and a known version, and that the last line counts the list."""
    first = sf.col("day").isNotNull()
    totals = _one(
        digest.agg(
            sf.max("day").alias("day"),
            sf.max(sf.when(first, sf.col("version"))).alias("version"),
            sf.struct(sf.count("key"), *map(_sum, _SUMMED)).alias("listed"),
            sf.max("counts").alias("counted"),
        )
    )
    if totals["day"] != day or totals["version"] is None:
        raise DigestMismatch(f"the digest of {day} does not begin as one")
    if not 1 <= totals["version"] <= VERSION:
        raise DigestMismatch(f"the digest of {day} is of version {totals['version']}: a later release can read it")
    if tuple(totals["listed"]) != tuple(totals["counted"] or ()):
        raise DigestMismatch(f"the digest of {day} does not list what it counts")


def _sum(name: str) -> Column:
    return sf.coalesce(sf.sum(name), sf.lit(0))


def _one(aggregate: DataFrame) -> Row:
    return aggregate.collect()[0]
