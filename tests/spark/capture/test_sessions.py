"""Writes of micro-batches, and the counts of a write, in the session that made them."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from tests.spark.capture.conftest import Watch
from tests.spark.capture.specification import expected, lines_of


def _write(spark: SparkSession, out: Path) -> None:
    spark.sql("SELECT carrier, distance * 2 AS far FROM flights").write.parquet(str(out))


def test_a_micro_batch_writes_what_it_is_joined_with_and_what_arrived(
    spark: SparkSession, watch: Watch, tmp_path: Path
) -> None:
    spark.sql("SELECT tailnum FROM planes").write.parquet(str(tmp_path / "arriving"))

    def each(batch: DataFrame, number: int) -> None:
        known = batch.sparkSession.table("flights").select("tailnum", "carrier")
        batch.withColumnRenamed("tailnum", "arrived").crossJoin(known).write.parquet(str(tmp_path / f"batch{number}"))

    def stream() -> None:
        arriving = spark.readStream.schema("tailnum STRING").parquet(str(tmp_path / "arriving"))
        query = arriving.writeStream.foreachBatch(each).trigger(availableNow=True)
        query.option("checkpointLocation", str(tmp_path / "progress")).start().awaitTermination()

    assert lines_of(watch.writes_of(stream)) == expected(
        """
        batch0:
        arrived <- arriving.tailnum IDENTITY
        tailnum <- flights.tailnum IDENTITY
        carrier <- flights.carrier IDENTITY
        """
    )


def test_a_micro_batch_that_writes_if_nothing_is_there_writes_once(
    spark: SparkSession, watch: Watch, tmp_path: Path
) -> None:
    spark.sql("SELECT tailnum FROM planes").write.parquet(str(tmp_path / "arriving"))

    def each(batch: DataFrame, number: int) -> None:
        planes = batch.sparkSession.table("planes").select("tailnum")
        for _ in range(2):
            planes.write.mode("ignore").jdbc("jdbc:derby:memory:flights;create=true", "app.batch_once")

    def stream() -> None:
        arriving = spark.readStream.schema("tailnum STRING").parquet(str(tmp_path / "arriving"))
        query = arriving.writeStream.foreachBatch(each).trigger(availableNow=True)
        query.option("checkpointLocation", str(tmp_path / "progress")).start().awaitTermination()

    assert lines_of(watch.writes_of(stream)) == expected("batch_once:\ntailnum <- planes.tailnum IDENTITY")


def test_a_write_reports_how_many_rows_and_files_it_wrote(spark: SparkSession, watch: Watch, tmp_path: Path) -> None:
    (write,) = watch.writes_of(lambda: _write(spark, tmp_path / "out"))
    files = list((tmp_path / "out").glob("part-*"))
    assert (write.written.rows, write.written.files) == (2, len(files))
    assert write.written.size_bytes == sum(file.stat().st_size for file in files)
