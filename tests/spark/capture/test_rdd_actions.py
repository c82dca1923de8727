"""Actions of RDDs are reported by what they read and where they save: table by table, for no plan says more."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from py4j.protocol import Py4JError
from pyspark import RDD
from pyspark.sql import DataFrame, SparkSession

from spark_client.capturing.jvm.executions import Executions
from spark_client.capturing.model import SchemaField, Write, WriteStatistics
from tests.spark.capture.conftest import Watch
from tests.spark.capture.specification import short_name

_TEXT_FORMAT = "org.apache.hadoop.mapreduce.lib.output.TextOutputFormat"
_OLD_TEXT_FORMAT = "org.apache.hadoop.mapred.TextOutputFormat"
_TEXT = "org.apache.hadoop.io.Text"


def save_by_old_settings(rdd: RDD[Any], out: str) -> None:
    old = {"mapred.output.format.class": _OLD_TEXT_FORMAT, "mapred.output.dir": out}
    rdd.saveAsHadoopDataset({**old, "mapreduce.job.output.key.class": _TEXT, "mapreduce.job.output.value.class": _TEXT})


SAVES: dict[str, Callable[[RDD[Any], str], None]] = {
    "saveAsTextFile": lambda rdd, out: rdd.saveAsTextFile(path=out),
    "saveAsNewAPIHadoopFile": lambda rdd, out: rdd.saveAsNewAPIHadoopFile(out, _TEXT_FORMAT, _TEXT, _TEXT),
    "saveAsHadoopDataset": save_by_old_settings,
}


def pairs(spark: SparkSession) -> RDD[Any]:
    return spark.table("flights").rdd.map(lambda row: (row.carrier, row.tailnum))


def inputs_of(read: Any) -> list[str]:
    return sorted(short_name(dataset.id) for dataset in read.inputs)


@pytest.mark.parametrize("action", SAVES)
def test_a_save_reports_its_place_its_inputs_and_how_much_it_wrote(
    action: str, spark: SparkSession, watch: Watch, tmp_path: Path
) -> None:
    (write,) = watch.writes_of(lambda: SAVES[action](pairs(spark), str(tmp_path / "out")))
    assert (write.command, write.tier, write.failure) == (action, "tables", None)
    assert (write.output.id.namespace, write.output.id.name) == ("file", str(tmp_path / "out"))
    assert inputs_of(write) == ["flights"]
    assert write.started_ms <= write.ended_ms
    # Hadoop's file systems count checksums, too.
    assert write.written.size_bytes
    assert write.written.size_bytes >= sum(file.stat().st_size for file in (tmp_path / "out").glob("part-*"))
    assert (write.written.rows, write.written.files) == (2, None)


def test_batches_of_pickled_rows_are_not_counted_as_rows(spark: SparkSession, watch: Watch, tmp_path: Path) -> None:
    (write,) = watch.writes_of(lambda: pairs(spark).saveAsPickleFile(str(tmp_path / "out")))
    assert (write.command, write.written.rows) == ("saveAsPickleFile", None)
    assert write.written.size_bytes


def test_an_rdd_reads_the_files_and_the_frames_that_it_is_made_of(
    spark: SparkSession, watch: Watch, tmp_path: Path
) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text("a\n")
    spark.table("planes").write.mode("overwrite").jdbc("jdbc:derby:memory:flights;create=true", "app.planes_of_rdd")
    planes = spark.read.jdbc("jdbc:derby:memory:flights", "app.planes_of_rdd").select("seats")
    lines = spark.sparkContext.textFile(str(tmp_path / "notes"))
    together = lines.union(planes.rdd.map(str)).union(spark.table("airports").rdd.map(str)).distinct(1)
    (write,) = watch.writes_of(lambda: together.saveAsTextFile(str(tmp_path / "out")))
    assert inputs_of(write) == ["airports", "notes", "planes_of_rdd"]
    (table,) = [dataset for dataset in write.inputs if short_name(dataset.id) == "airports"]
    assert table.schema[0] == SchemaField("faa", "string")
    assert table.symlinks[0].name == "default.airports"


def test_an_rdd_of_rows_of_the_program_has_an_input_without_a_name(
    spark: SparkSession, watch: Watch, tmp_path: Path
) -> None:
    rows = spark.sparkContext.parallelize(["a"])
    (write,) = watch.writes_of(lambda: rows.saveAsTextFile(str(tmp_path / "out")))
    assert write.inputs == ()
    assert write.unknown_inputs == ("RddAction: an RDD that is made of no files and no frames",)


def test_a_save_that_fails_fails_as_it_would_have_and_is_reported(
    spark: SparkSession, watch: Watch, tmp_path: Path
) -> None:
    def save_twice() -> None:
        pairs(spark).saveAsTextFile(str(tmp_path / "out"))
        with pytest.raises(Py4JError):
            pairs(spark).saveAsTextFile(str(tmp_path / "out"))

    saved, failed = watch.writes_of(save_twice)
    assert saved.failure is None
    assert failed.failure is not None
    assert failed.failure.message.startswith("org.apache.hadoop.mapred.FileAlreadyExistsException: Output directory")
    assert failed.failure.stack is not None
    assert "\tat org.apache" in failed.failure.stack


@pytest.mark.parametrize(
    ("action", "act"),
    [
        ("foreachPartition", lambda spark: spark.table("planes").foreachPartition(lambda rows: None)),
        ("foreach", lambda spark: spark.table("planes").foreach(lambda row: None)),
        ("foreachPartition", lambda spark: spark.table("planes").rdd.map(str).foreachPartition(lambda rows: None)),
    ],
)
def test_what_is_done_for_each_row_is_a_read(
    action: str, act: Callable[[SparkSession], None], spark: SparkSession, watch: Watch
) -> None:
    (read,) = watch.reads_of(lambda: act(spark))
    assert (read.command, inputs_of(read), read.unknown_inputs) == (action, ["planes"], ())


def test_what_is_done_for_rows_of_the_program_is_not_reported(spark: SparkSession, watch: Watch) -> None:
    assert watch.reads_of(lambda: spark.sparkContext.parallelize([1]).foreach(print)) == []


def test_a_save_in_a_micro_batch_is_the_streams_and_reads_its_source(
    spark: SparkSession, watch: Watch, tmp_path: Path
) -> None:
    spark.sql("SELECT tailnum FROM planes").write.parquet(str(tmp_path / "arriving"))
    queries: list[Any] = []

    def each(batch: DataFrame, number: int) -> None:
        batch.rdd.map(str).saveAsTextFile(str(tmp_path / "out"))

    def stream() -> None:
        arriving = spark.readStream.schema("tailnum STRING").parquet(str(tmp_path / "arriving"))
        query = arriving.writeStream.foreachBatch(each).trigger(availableNow=True)
        queries.append(query.option("checkpointLocation", str(tmp_path / "progress")).start())
        queries[0].awaitTermination()

    (write,) = watch.writes_of(stream)
    assert isinstance(write, Write)
    assert (write.command, write.stream, inputs_of(write)) == ("saveAsTextFile", str(queries[0].runId), ["arriving"])


def test_a_job_keeps_the_name_that_spark_gives_it(spark: SparkSession, watch: Watch) -> None:
    tracker = spark.sparkContext.statusTracker()
    spark.sparkContext.setJobGroup("named", "")
    watch.reads_of(lambda: spark.table("planes").rdd.foreachPartition(lambda rows: None))
    spark.sparkContext.setLocalProperty("spark.jobGroup.id", None)  # type: ignore[arg-type]
    spark.sparkContext.setLocalProperty("spark.job.description", None)  # type: ignore[arg-type]
    (job,) = tracker.getJobIdsForGroup("named")
    stage = tracker.getStageInfo(tracker.getJobInfo(job).stageIds[0])  # type: ignore[union-attr]
    assert stage.name.startswith(f"foreachPartition at {__file__}")  # type: ignore[union-attr]


def test_without_a_capture_actions_run_as_ever(spark: SparkSession, tmp_path: Path) -> None:
    Executions(spark).close()
    pairs(spark).saveAsTextFile(str(tmp_path / "out"))
    lines = "".join(file.read_text() for file in (tmp_path / "out").glob("part-*"))
    assert json.dumps(sorted(lines.splitlines())) == json.dumps(["('B6', 'N804JB')", "('UA', 'N14228')"])


def test_a_write_to_a_database_reports_the_rows_that_its_tasks_counted(spark: SparkSession, watch: Watch) -> None:
    url = "jdbc:derby:memory:flights;create=true"
    (write,) = watch.writes_of(lambda: spark.table("flights").write.jdbc(url, "app.saved_rows"))
    assert write.written == WriteStatistics(2)
    spark.sql("CREATE TABLE derby.APP.counted_v2 (carrier STRING)")
    (write,) = watch.writes_of(lambda: spark.sql("INSERT INTO derby.APP.counted_v2 SELECT carrier FROM flights"))
    assert write.written == WriteStatistics(2)
