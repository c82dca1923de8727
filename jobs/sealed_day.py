"""A sealed day as compaction reads it: what its digest says of the newest object of each root."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as sf

from jobs.storage import Storage
from lineage.errors import HeadwaterError
from lineage.records.digest import VERSION, key_of

_LINE = """
    version int, day string, key string, sha256 string, size_bytes bigint, records bigint, lines bigint, base string,
    counts struct<objects: bigint, records: bigint, lines: bigint, size_bytes: bigint>
"""
_ROOT_SHA = r"/([0-9a-f]{64})\.[^/]*$"


class Unfaithful(HeadwaterError):
    """The archive is not what the day's digest says: nothing of it gets into the tables."""


@dataclass(frozen=True, slots=True)
class SealedDay:
    """What counts of a day: the newest object of each root, which holds every record of those before it.

    `newest` has their rows: key, sha256, size_bytes, records, lines, base; it is cached. The other fields sum them up;
    `continued` counts those that have a base.
    """

    day: str
    digest_sha256: str
    newest: DataFrame
    objects: int
    continued: int
    size_bytes: int
    records: int
    lines: int


def read_sealed_day(storage: Storage, day: str) -> SealedDay:
    """The day as its digest tells it; `Unfaithful` if the digest is not whole or not one that this code knows."""
    digest = storage.spark.read.schema(_LINE).json(storage.path(key_of(day)), mode="FAILFAST")
    _check_digest(digest, day)
    parts = ("key", "sha256", "size_bytes", "records", "lines", "base")
    newest = (
        digest.where("key is not null")
        .groupBy(sf.regexp_extract("key", _ROOT_SHA, 1).alias("root_sha"))
        .agg(sf.max_by(sf.struct(*parts), "version").alias("one"))
        .select("one.*")
        .persist()
    )
    totals = _one(
        newest.agg(sf.count("*"), sf.count("base"), *(_sum(name) for name in ("size_bytes", "records", "lines")))
    )
    return SealedDay(day, storage.sha256(key_of(day)), newest, *totals)


def _check_digest(digest: DataFrame, day: str) -> None:
    """Its first line is of the day and of a version that is known, and what its last line counts is there."""
    first = digest.where("day is not null").select("day", "version").take(2)
    if len(first) != 1 or first[0]["day"] != day:
        raise Unfaithful(f"the digest of {day} does not begin as one")
    if not 1 <= first[0]["version"] <= VERSION:
        raise Unfaithful(f"the digest of {day} is of version {first[0]['version']}, which a later release can read")
    parts = ("records", "lines", "size_bytes")
    listed = _one(digest.agg(sf.count("key"), *(_sum(part) for part in parts)))
    counted = digest.where("counts is not null").select("counts.objects", *(f"counts.{part}" for part in parts)).take(2)
    if [tuple(one) for one in counted] != [tuple(listed)]:
        raise Unfaithful(f"the digest of {day} does not list what it counts")


def _sum(name: str) -> Column:
    return sf.coalesce(sf.sum(name), sf.lit(0))


def _one(df: DataFrame) -> Row:
    return df.collect()[0]
