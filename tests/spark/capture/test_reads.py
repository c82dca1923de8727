"""Queries whose rows go to the program: reported if the configuration says so, one run for each lineage."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark_client.capturing.jvm.executions import Bounds
from spark_client.capturing.model import Read
from tests.spark.capture.conftest import Watch
from tests.spark.capture.specification import short_name


@pytest.fixture(scope="module")
def reading(spark: SparkSession, datasets: Path) -> Iterator[Watch]:
    watch = Watch(spark, Bounds(reads=True))
    yield watch
    watch.close()


ACTIONS: dict[str, tuple[str, Callable[[SparkSession], object]]] = {
    "collect": ("collect", lambda spark: spark.table("planes").collect()),
    "toPandas": ("collect", lambda spark: spark.table("planes").toPandas()),
    "toLocalIterator": ("toLocalIterator", lambda spark: list(spark.table("planes").toLocalIterator())),
    "take": ("collect", lambda spark: spark.table("planes").take(1)),
    "tail": ("tail", lambda spark: spark.table("planes").tail(1)),
    "count": ("count", lambda spark: spark.table("planes").count()),
    "a query": ("collect", lambda spark: spark.sql("SELECT max(seats) FROM planes").collect()),
}


@pytest.mark.parametrize("action", ACTIONS)
def test_a_read_reports_its_inputs_with_their_columns(action: str, spark: SparkSession, reading: Watch) -> None:
    command, act = ACTIONS[action]
    (read,) = reading.reads_of(lambda: act(spark))
    assert (read.command, read.failure, read.stream) == (command, None, None)
    (planes,) = read.inputs
    assert short_name(planes.id) == "planes"
    assert [column.name for column in planes.schema] == ["tailnum", "seats", "engines", "model"]


def test_a_read_of_a_checkpoint_reads_what_that_was_made_of(spark: SparkSession, reading: Watch) -> None:
    kept = []
    assert reading.reads_of(lambda: kept.append(spark.table("planes").localCheckpoint())) == []
    (read,) = reading.reads_of(lambda: kept[0].collect())
    assert [short_name(dataset.id) for dataset in read.inputs] == ["planes"]


def test_a_read_that_fails_reports_why(spark: SparkSession, reading: Watch) -> None:
    def fail() -> None:
        with pytest.raises(Exception, match="no seats"):
            spark.sql("SELECT CAST(raise_error(concat('no seats: ', tailnum)) AS STRING) FROM planes").collect()

    (read,) = reading.reads_of(fail)
    assert read.failure is not None
    assert "no seats" in read.failure.message


def test_what_reads_nothing_with_a_name_or_is_part_of_a_write_is_no_read(
    spark: SparkSession, reading: Watch, tmp_path: Path
) -> None:
    def act() -> None:
        spark.range(3).collect()
        spark.sql("SHOW TABLES").collect()
        spark.table("planes").write.parquet(str(tmp_path / "out"))
        spark.table("planes").write.mode("overwrite").jdbc("jdbc:derby:memory:flights;create=true", "app.no_read")

    assert reading.reads_of(act) == []


def test_reads_are_not_reported_unless_the_configuration_says_so(spark: SparkSession, watch: Watch) -> None:
    assert watch.reads_of(lambda: spark.table("planes").collect()) == []


def test_reads_leave_half_of_the_queue_to_writes(spark: SparkSession, datasets: Path, tmp_path: Path) -> None:
    watch = Watch(spark, Bounds(kept=4, reads=True))

    def act() -> None:
        for _ in range(6):
            spark.table("planes").collect()
        spark.table("planes").write.parquet(str(tmp_path / "out"))

    try:
        reads: list[Read] = watch.reads_of(lambda: None) + watch.writes_of(act)
    finally:
        watch.close()
    assert [read.command for read in reads] == ["InsertIntoHadoopFsRelationCommand"]
