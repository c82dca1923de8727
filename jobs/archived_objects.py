"""The archive's objects on Spark: found, proved by their SHA-256, and read line by line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from jobs.sealed_day import Unfaithful
from jobs.storage import Storage

_KEY = r"(traces/year=[^/]+/month=[^/]+/day=[^/]+/[^/]+)$"
_PREFIX = r"^(.*/)"
# A larger object is hashed by the driver, a piece at a time.
_WHOLE_BYTES = 64 * 1024 * 1024
# Of a day of which more are wanted, all objects are listed; fewer are looked for by name.
_NAMED = 1000
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Objects:
    """Objects of the archive: where to look, and which of the files there they are.

    `which` names files by a hash of their names: these ones, or all but these, whichever is shorter to say.
    """

    storage: Storage
    paths: Sequence[str]
    which: str = "true"

    def lines(self, schema: str) -> DataFrame:
        """What each line says of these columns; a line that is no JSON, or says one in another type, fails the job."""
        if not self.paths:
            return self.storage.spark.createDataFrame([], schema)
        # Spark does not open the files that such a condition leaves out.
        text = self.storage.spark.read.text(list(self.paths)).where(self.which)
        return text.select(sf.from_json("value", schema, {"mode": "FAILFAST"}).alias("line")).select("line.*")


def prove_objects(storage: Storage, wanted: DataFrame, listed: Sequence[str] = ()) -> Objects:
    """The wanted objects (key, sha256), each there and with its SHA-256; `listed` prefixes are listed in any case.

    Raises:
        Unfaithful: some are not, of which it names a few.
    """
    paths = [storage.path(place) for place in _places(wanted, listed)]
    if not paths:
        return Objects(storage, ())
    both = _found(storage, paths).join(wanted, "key", "full_outer").persist()
    try:
        wrong = both.where("sha256 is not null and found is distinct from sha256")
        if faults := wrong.select("key", sf.col("found").isNull().alias("gone")).take(_SHOWN):
            told = "; ".join(f"{fault['key']} is {'not there' if fault['gone'] else 'changed'}" for fault in faults)
            raise Unfaithful(f"{wrong.count()} objects are not as the digest has them: {told}")
        return Objects(storage, paths, _which(both))
    finally:
        both.unpersist()


def _places(wanted: DataFrame, listed: Sequence[str]) -> list[str]:
    """Prefixes to list and keys to look for, that together hold all that is wanted."""
    placed = wanted.withColumn("prefix", sf.regexp_extract("key", _PREFIX, 1)).where(~sf.col("prefix").isin(*listed))
    many = [row["prefix"] for row in placed.groupBy("prefix").count().where(sf.col("count") > _NAMED).collect()]
    few = [row["key"] for row in placed.where(~sf.col("prefix").isin(*many)).collect()]
    return [*listed, *many, *few]


def _found(storage: Storage, paths: Sequence[str]) -> DataFrame:
    """The key and the SHA-256 (`found`) of every file there."""
    files = (
        storage.spark.read.format("binaryFile").load(list(paths)).withColumn("key", sf.regexp_extract("path", _KEY, 1))
    )
    small = files.where(sf.col("length") <= _WHOLE_BYTES).select("key", sf.sha2("content", 256).alias("found"))
    large = [row["key"] for row in files.where(sf.col("length") > _WHOLE_BYTES).select("key").collect()]
    if not large:
        return small
    return small.union(storage.spark.createDataFrame([(key, storage.sha256(key)) for key in large], small.schema))


def _which(both: DataFrame) -> str:
    """The condition on a file's metadata that leaves the wanted ones."""
    wanted = sf.col("sha256").isNotNull()
    counts = {row["wanted"]: row["count"] for row in both.groupBy(wanted.alias("wanted")).count().collect()}
    if False not in counts:
        return "true"
    shorter = counts.get(True, 0) < counts[False]
    name = sf.regexp_extract("key", r"([^/]+)$", 1)
    hashes = both.where(wanted if shorter else ~wanted).select(sf.xxhash64(name).alias("hash")).collect()
    told = ",".join(f"{row['hash']}" for row in hashes) or "null"
    return f"xxhash64(_metadata.file_name) {'IN' if shorter else 'NOT IN'} ({told})"
