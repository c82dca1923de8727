"""Checkpointed frames beside the frames that they were made of: each has its own lineage, in every order of use."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pyspark.sql.functions as sf
import pytest
from pyspark.sql import DataFrame, SparkSession

from tests.spark.capture.conftest import Watch
from tests.spark.capture.specification import Case, expected, frame, lines_of

_PLAIN = "tailnum <- planes.tailnum IDENTITY; seats <- planes.seats IDENTITY"


def _kept(frame: DataFrame, *, eager: bool = True) -> DataFrame:
    return frame.localCheckpoint(eager=eager)


def beside(name: str, steps: Callable[[SparkSession, DataFrame], object], lineage: str = _PLAIN) -> Case:
    """Return the case of a plain frame that is written after other frames made of it were checkpointed."""

    def make(spark: SparkSession) -> DataFrame:
        plain = spark.table("planes").select("tailnum", "seats")
        steps(spark, plain)
        return plain

    return frame(f"a plain frame, after {name}", make, lineage)


def _union(spark: SparkSession, plain: DataFrame) -> object:
    return _kept(plain.union(spark.table("flights").select("tailnum", "distance")))


# Each checkpoints a frame whose columns have the ids of the plain frame's.
PLAIN = (
    beside("a union with it", _union),
    beside("a lazy checkpoint", lambda spark, plain: _kept(plain.where("seats > 3"), eager=False)),
    beside("two checkpoints", lambda spark, plain: (_union(spark, plain), _kept(plain.where("seats > 3")))),
    beside("a checkpoint of itself", lambda spark, plain: _kept(plain)),
)
USED = (
    frame(
        "a checkpoint joined with its plain frame: each side is its own",
        lambda spark: (
            (plain := spark.table("planes").select("tailnum", "seats")),
            (kept := _kept(plain.where("seats > 3"))),
            kept.join(plain.select("tailnum", sf.col("seats").alias("s")), "tailnum"),
        )[-1],
        "tailnum <- planes.tailnum; seats, s <- planes.seats; * <- planes.seats FILTER, planes.tailnum JOIN",
    ),
    frame(
        "a checkpoint on disk joined with its plain frame",
        lambda spark: (
            spark.sparkContext.setCheckpointDir(tempfile.mkdtemp()),
            (plain := spark.table("planes").select("tailnum", "seats")),
            (kept := plain.groupBy("tailnum").agg(sf.sum("seats").alias("s")).checkpoint()),
            kept.join(plain, "tailnum"),
        )[-1],
        """
        tailnum <- planes.tailnum
        s <- planes.seats AGGREGATION
        seats <- planes.seats
        * <- planes.tailnum GROUP_BY, planes.tailnum JOIN
        """,
    ),
    frame(
        "a loop of filters and checkpoints has the filters of all rounds",
        lambda spark: _looped(
            spark.table("flights").select("carrier", "distance", "flight"), "distance > 1", "flight > 1"
        ),
        """
        carrier <- flights.carrier
        distance <- flights.distance
        flight <- flights.flight
        * <- flights.distance FILTER, flights.flight FILTER
        """,
    ),
    frame(
        "of two checkpoints of one frame the first is itself",
        lambda spark: (
            (plain := spark.table("planes").select("tailnum", "seats")),
            (first := _kept(plain.where("seats > 3"))),
            _kept(plain.where("tailnum > 'a'")),
            first,
        )[-1],
        f"{_PLAIN}; * <- planes.seats FILTER",
    ),
    frame(
        "which of two lazy checkpoints of one frame is read is not known: it may be either",
        lambda spark: (
            (plain := spark.table("planes").select("engines", "seats")),
            (first := _kept(plain.where("seats > 3"), eager=False)),
            _kept(plain.where("engines > 1"), eager=False),
            first,
        )[-1],
        "engines <- planes.engines; seats <- planes.seats; * <- planes.seats FILTER, planes.engines FILTER",
    ),
)


def _looped(frame: DataFrame, *conditions: str) -> DataFrame:
    for condition in conditions:
        frame = _kept(frame.where(condition))
    return frame


@pytest.mark.parametrize("case", [*PLAIN, *USED], ids=str)
def test_checkpointed_frames(case: Case, check) -> None:
    check(case)


def test_batches_of_a_stream_stay_what_they_are_beside_checkpoints_of_theirs(
    spark: SparkSession, datasets: Path, watch: Watch, tmp_path: Path
) -> None:
    def write(batch: DataFrame, number: int) -> None:
        _kept(batch.where("seats > 3")).write.mode("append").parquet(str(tmp_path / "few"))
        batch.write.mode("append").parquet(str(tmp_path / "all"))

    def run() -> None:
        for _ in range(2):
            stream = spark.readStream.schema(spark.table("planes").schema).parquet(f"{datasets}/planes")
            stream = stream.select("tailnum", "seats").writeStream.foreachBatch(write).trigger(availableNow=True)
            stream.start().awaitTermination()

    few, plain = f"few:\n{_PLAIN}; * <- planes.seats FILTER\n", f"all:\n{_PLAIN}\n"
    assert lines_of(watch.writes_of(run)) == expected("\n".join([plain, plain, few, few]))


def test_a_lazy_checkpoint_is_no_batch_of_a_stream_with_its_columns(
    spark: SparkSession, datasets: Path, watch: Watch, tmp_path: Path
) -> None:
    plain = spark.table("planes").select("seats")
    flights = spark.readStream.schema(spark.table("flights").schema).parquet(f"{datasets}/flights")
    joined = flights.join(spark.table("planes"), "tailnum").select(plain.seats)
    joined.writeStream.foreachBatch(lambda batch, _: None).trigger(availableNow=True).start().awaitTermination()
    kept = plain.localCheckpoint(eager=False)
    writes = watch.writes_of(lambda: kept.write.parquet(str(tmp_path / "out")))
    assert lines_of(writes) == expected("seats <- planes.seats IDENTITY")
