"""Amounts that were read of each input, and the partitions of it that were read, as scans of files counted."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark_client.capturing.datasets.scans import partitions_of
from spark_client.capturing.model import InputStatistics, Write
from tests.spark.capture.conftest import Watch

DAYS = ("2013-01-01", "2013-01-02", "2013-01-03")


@pytest.fixture(scope="module")
def flights(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of three days with ten flights each."""
    folder = tmp_path_factory.mktemp("scans") / "flights"
    days = ", ".join(f"DATE '{day}'" for day in DAYS)
    rows = spark.sql(f"SELECT id, explode(array({days})) AS day FROM range(0, 10, 1, 1)")
    rows.write.partitionBy("day").parquet(str(folder))
    return folder


def read_of(write: Write) -> InputStatistics:
    ((dataset, read),) = write.scanned.items()
    assert dataset in {source.id for source in write.inputs}
    return read


def test_of_all_partitions_no_subset_is_reported(
    spark: SparkSession, watch: Watch, flights: Path, tmp_path: Path
) -> None:
    (write,) = watch.writes_of(lambda: spark.read.parquet(str(flights)).write.parquet(f"{tmp_path}/out"))
    read = read_of(write)
    assert (read.rows, read.files, read.folders) == (30, 3, ())
    assert read.size_bytes == sum(file.stat().st_size for file in flights.glob("*/*.parquet"))


@pytest.mark.parametrize(
    ("condition", "days"),
    [("day = '2013-01-02'", DAYS[1:2]), ("day > '2013-01-01' AND id < 3", DAYS[1:]), ("day < '2000-01-01'", ())],
)
def test_partitions_that_were_read_are_the_subset(
    condition: str, days: tuple[str, ...], spark: SparkSession, watch: Watch, flights: Path, tmp_path: Path
) -> None:
    frame = spark.read.parquet(str(flights)).where(condition)
    (write,) = watch.writes_of(lambda: frame.write.parquet(f"{tmp_path}/out"))
    if not days:
        assert write.scanned == {}
        return
    read = read_of(write)
    assert (read.rows, read.files) == (10 * len(days), len(days))
    assert sorted(partition["day"] or "" for partition in partitions_of(read.folders) or ()) == list(days)


def test_a_path_of_a_partition_is_a_subset(spark: SparkSession, watch: Watch, flights: Path, tmp_path: Path) -> None:
    frame = spark.read.parquet(*(f"{flights}/day={day}" for day in DAYS[:2]))
    (write,) = watch.writes_of(lambda: frame.write.parquet(f"{tmp_path}/out"))
    assert partitions_of(read_of(write).folders) == [{"day": day} for day in DAYS[:2]]


def test_a_table_that_is_read_twice_has_the_sum(
    spark: SparkSession, watch: Watch, flights: Path, tmp_path: Path
) -> None:
    day = spark.read.parquet(str(flights)).where("day = '2013-01-01'")
    two = spark.read.parquet(str(flights)).where("day = '2013-01-03'")
    (write,) = watch.writes_of(lambda: day.join(two, "id").select("id").write.parquet(f"{tmp_path}/out"))
    read = read_of(write)
    assert (read.rows, read.files) == (20, 2)
    assert sorted(each["day"] or "" for each in partitions_of(read.folders) or ()) == [DAYS[0], DAYS[2]]


def test_a_table_that_is_made_of_a_query_has_what_the_query_read(
    spark: SparkSession, watch: Watch, flights: Path, tmp_path: Path
) -> None:
    statement = f"CREATE TABLE scans_made USING parquet LOCATION '{tmp_path}/out' AS SELECT id FROM parquet.`{flights}`"
    (write,) = watch.writes_of(lambda: spark.sql(statement))
    assert read_of(write).rows == 30


def test_of_paths_that_are_several_datasets_nothing_is_counted(
    spark: SparkSession, watch: Watch, flights: Path, tmp_path: Path
) -> None:
    spark.range(3).write.parquet(f"{tmp_path}/other")
    frame = spark.read.parquet(f"{flights}/day=2013-01-01", f"{tmp_path}/other")
    (write,) = watch.writes_of(lambda: frame.write.parquet(f"{tmp_path}/out"))
    assert write.scanned == {}


def test_what_a_cache_holds_is_not_counted_again(
    spark: SparkSession, watch: Watch, flights: Path, tmp_path: Path
) -> None:
    cached = spark.read.parquet(str(flights)).cache()
    cached.count()
    (write,) = watch.writes_of(lambda: cached.write.parquet(f"{tmp_path}/out"))
    cached.unpersist()
    assert write.scanned == {}


def test_of_a_database_the_rows_that_came_to_spark_are_counted(
    spark: SparkSession, watch: Watch, tmp_path: Path
) -> None:
    for name, count in (("COUNTED", 5), ("TWICE", 3)):
        spark.sql(f"DROP TABLE IF EXISTS derby.APP.{name}")
        spark.range(count).write.jdbc("jdbc:derby:memory:flights", f"APP.{name}")
    read = spark.read.jdbc("jdbc:derby:memory:flights", "APP.COUNTED")
    twice = spark.read.jdbc("jdbc:derby:memory:flights", "APP.TWICE")
    frame = read.where("id > 1").join(twice, "id", "full").join(twice.alias("t"), "id", "full").select("id")
    (write,) = watch.writes_of(lambda: frame.write.parquet(f"{tmp_path}/out"))
    assert {dataset.name: read for dataset, read in write.scanned.items()} == {
        "APP.COUNTED": InputStatistics(rows=3),
        "APP.TWICE": InputStatistics(rows=3),  # Spark reads it once for both
    }


def test_of_datasource_v2_rows_are_counted(spark: SparkSession, watch: Watch, flights: Path, tmp_path: Path) -> None:
    before = spark.conf.get("spark.sql.sources.useV1SourceList")
    spark.conf.set("spark.sql.sources.useV1SourceList", "")
    try:
        frame = spark.read.parquet(str(flights)).where("day = '2013-01-02'")
        (write,) = watch.writes_of(lambda: frame.write.parquet(f"{tmp_path}/out"))
    finally:
        spark.conf.set("spark.sql.sources.useV1SourceList", before)
    assert read_of(write) == InputStatistics(rows=10)


def test_rows_that_a_database_counts_itself_are_not_counted(spark: SparkSession, watch: Watch, tmp_path: Path) -> None:
    spark.sql("DROP TABLE IF EXISTS derby.APP.COUNTED")
    spark.range(5).write.jdbc("jdbc:derby:memory:flights", "APP.COUNTED")
    sql = "SELECT max(id) AS most FROM derby.APP.COUNTED"
    (write,) = watch.writes_of(lambda: spark.sql(sql).write.parquet(f"{tmp_path}/out"))
    assert [dataset.id.name for dataset in write.inputs] == ["APP.COUNTED"]
    assert write.scanned == {}
