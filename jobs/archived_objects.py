"""The archive's objects on Spark: listed, proved by their SHA-256, and read line by line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from jobs.sealed_day import DigestMismatch
from jobs.storage import Storage

_KEY = r"(traces/year=[^/]+/month=[^/]+/day=[^/]+/[^/]+)$"
_PREFIX = r"^(.*/)"
# A larger object is hashed by the driver, a piece at a time.
_WHOLE_BYTES = 64 * 1024 * 1024
# Above this many objects of a day, all objects are listed; fewer are read by name.
_NAMED = 1000


@dataclass(frozen=True, slots=True)
class Objects:
    """Objects of the archive: the paths to read, and the condition that selects their files."""

    storage: Storage
    paths: Sequence[str]
    which: str = "true"

    def lines(self, schema: str) -> DataFrame:
        """Read each line's values of these columns; a line without JSON, or with a wrong type, fails the job."""
        if not self.paths:
            return self.storage.spark.createDataFrame([], schema)
        # Spark does not open the files outside the condition.
        text = self.storage.spark.read.text(list(self.paths)).where(self.which)
        return text.select(sf.from_json("value", schema, {"mode": "FAILFAST"}).alias("line")).select("line.*")


def prove_all_of(storage: Storage, prefix: str, objects: DataFrame) -> Objects:
    """Select the wanted objects (key, sha256) of a prefix with perhaps more objects, each proved by its SHA-256.

    Raises:
        DigestMismatch: objects are missing or changed; the message has their number and the first.
    """
    if not storage.exists(prefix):
        return Objects(storage, _none_of(objects))
    paths = [storage.path(prefix)]
    strays = _prove(storage, paths, objects, sf.col("sha256").isNull())
    return Objects(storage, paths, _name_hashes("NOT IN", strays) if strays else "true")


def prove_some(storage: Storage, objects: DataFrame) -> Objects:
    """Select the wanted objects (key, sha256) of any days, proved as in `prove_all_of`."""
    placed = objects.withColumn("prefix", sf.regexp_extract("key", _PREFIX, 1))
    many = [row["prefix"] for row in placed.groupBy("prefix").count().where(f"count > {_NAMED}").collect()]
    few = [row["key"] for row in placed.where(~sf.col("prefix").isin(many)).collect()]
    paths = [storage.path(place) for place in (*many, *few)]
    names = _prove(storage, paths, objects, sf.col("sha256").isNotNull())
    return Objects(storage, paths, _name_hashes("IN", names) if many else "true")


def _none_of(objects: DataFrame) -> Sequence[str]:
    if gone := objects.take(1):
        # Spark skips files without a byte.
        raise DigestMismatch(f"{objects.count()} objects are not there or empty, {gone[0]['key']} is one")
    return ()


def _prove(storage: Storage, paths: Sequence[str], objects: DataFrame, selected: Column) -> list[int]:
    """Compare the existing files with the wanted files; return hashes of the names of the `selected` files."""
    files = _list_files(storage, paths)
    name = sf.regexp_extract("key", r"([^/]+)$", 1)
    changed = sf.when(sf.col("found") != sf.col("sha256"), sf.col("key"))
    seen = files.join(objects, "key", "left").agg(
        sf.count("sha256").alias("there"),
        sf.count(changed).alias("changed"),
        sf.min(changed).alias("one"),
        sf.collect_list(sf.when(selected, sf.xxhash64(name))).alias("hashes"),
    )
    result = seen.collect()[0]
    if result["changed"]:
        raise DigestMismatch(f"{result['changed']} objects are not what the digest has, {result['one']} is one")
    if result["there"] < objects.count():
        _none_of(objects.join(files, "key", "left_anti"))
    hashes: list[int] = result["hashes"]
    return hashes


def _list_files(storage: Storage, paths: Sequence[str]) -> DataFrame:
    """List the key and the SHA-256 (`found`) of every existing file."""
    files = storage.spark.read.format("binaryFile").load(list(paths))
    files = files.withColumn("key", sf.regexp_extract("path", _KEY, 1))
    small = files.where(sf.col("length") <= _WHOLE_BYTES).select("key", sf.sha2("content", 256).alias("found"))
    large = [row["key"] for row in files.where(sf.col("length") > _WHOLE_BYTES).select("key").collect()]
    if not large:
        return small
    return small.union(storage.spark.createDataFrame([(key, storage.sha256(key)) for key in large], small.schema))


def _name_hashes(which: str, hashes: Iterable[int]) -> str:
    return f"xxhash64(_metadata.file_name) {which} ({','.join(map(str, hashes))})"
