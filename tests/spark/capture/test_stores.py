"""One dataset has one name, whether it is written or read by a path of its store, by a table, or by its partitions.

The stores are a file system of ours (`Bucket.java`): Spark and Hadoop do with its paths what they do with S3's.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from headwater_model.ids import DatasetId
from spark_client.capturing.model import Symlink
from tests.spark.capture.conftest import Watch

_ROW = "SELECT 'UA' AS carrier, 1 AS day"
_SCHEMES = ("s3a", "s3")


@pytest.fixture(scope="module")
def stores(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Hadoop keeps the file systems that it made for the driver, so tasks need not find the class."""
    compiler = spark._jvm.org.codehaus.janino.SimpleCompiler()
    compiler.setParentClassLoader(spark._jvm.java.lang.Thread.currentThread().getContextClassLoader())
    compiler.cook((Path(__file__).parent / "Bucket.java").read_text("utf-8"))
    hadoop = spark.sparkContext._jsc.hadoopConfiguration()
    before = hadoop.getClassLoader()
    hadoop.setClassLoader(compiler.getClassLoader())
    settings = {f"fs.{scheme}.impl": "headwater.tests.Bucket" for scheme in _SCHEMES}
    settings["headwater.tests.buckets"] = str(tmp_path_factory.mktemp("buckets"))
    for name, value in settings.items():
        hadoop.set(name, value)
    yield
    hadoop.setClassLoader(before)
    for name in settings:
        hadoop.unset(name)


@pytest.mark.usefixtures("stores")
def test_a_dataset_of_a_store_has_one_name_by_path_glob_partition_and_table(spark: SparkSession, watch: Watch) -> None:
    def act() -> None:
        row = spark.sql(_ROW)
        row.write.partitionBy("day").parquet("s3a://lake/raw flights/ä+b/")
        spark.sql("CREATE TABLE of_store USING parquet LOCATION 's3://lake/raw flights/ä+b'")
        spark.sql(f"INSERT INTO of_store {_ROW}")
        for number, frame in enumerate(
            (
                spark.read.parquet("s3://lake/raw flights/*"),
                spark.read.parquet("s3a://lake/raw flights/ä+b/day=1"),
                spark.table("of_store"),
            )
        ):
            frame.select("carrier").write.parquet(f"s3a://lake/copies/{number}")

    flights = DatasetId("s3://lake", "raw flights/ä+b")
    written, added, *copied = watch.writes_of(act)

    assert {written.output.id, added.output.id} == {flights}
    assert added.output.symlinks == (Symlink("s3://lake/raw flights/ä+b", "default.of_store"),)
    assert [[dataset.id for dataset in copy.inputs] for copy in copied] == [[flights]] * 3
    assert [copy.output.id for copy in copied] == [DatasetId("s3://lake", f"copies/{number}") for number in range(3)]
