"""Checkpointed frames beside the frames that they were made of: each has its own lineage, in every order of use."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pyspark.sql.functions as sf
import pytest
from pyspark.sql import DataFrame, SparkSession

from tests.spark.capture.conftest import Watch
from tests.spark.capture.specification import Case, expected, frame, lines_of

_PLAIN = "tailnum <- planes.tailnum IDENTITY; seats <- planes.seats IDENTITY"


def _kept(frame: DataFrame, *, eager: bool = True) -> DataFrame:
    return frame.localCheckpoint(eager=eager)


def _plain_beside_union(spark: SparkSession) -> DataFrame:
    """Make a plain frame beside a checkpoint whose columns have its ids."""
    plain = spark.table("planes").select("tailnum", "seats")
    _kept(plain.union(spark.table("flights").select("tailnum", "distance")))
    return plain


CASES = (
    frame("a plain frame, after a union with it", _plain_beside_union, _PLAIN),
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


@pytest.mark.parametrize("case", CASES, ids=str)
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
