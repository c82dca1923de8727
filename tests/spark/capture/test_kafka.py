"""Kafka's topics, with a broker: streams from and to them, and a topic that is read once.

`make test-formats ARGS=kafka` runs them, with a broker that it starts. By hand, `HEADWATER_TABLE_FORMATS` names Spark's
package for Kafka, such as `org.apache.spark:spark-sql-kafka-0-10_2.12:3.5.7`, and `HEADWATER_KAFKA` a broker that makes
topics by itself.
"""

from __future__ import annotations

import os
import uuid
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from headwater_model.ids import DatasetId
from tests.spark.capture.conftest import Watch
from tests.spark.capture.specification import expected, lines_of

BROKER = os.environ.get("HEADWATER_KAFKA", "")
pytestmark = pytest.mark.skipif(not BROKER, reason="HEADWATER_KAFKA names no broker")

_ROWS = "SELECT carrier AS key, to_json(struct(flight, distance)) AS value FROM flights"
_MADE = "key <- flights.carrier IDENTITY; value <- flights.flight TRANSFORMATION, flights.distance TRANSFORMATION"


def new_topic() -> str:
    return f"flights-{uuid.uuid4().hex[:8]}"


def test_a_topic_is_written_streamed_to_another_and_read(
    spark: SparkSession, datasets: Path, watch: Watch, tmp_path: Path
) -> None:
    first, second = new_topic(), new_topic()
    kafka = {"kafka.bootstrap.servers": BROKER, "startingOffsets": "earliest"}
    [written] = watch.writes_of(
        lambda: spark.sql(_ROWS).write.format("kafka").options(**kafka).option("topic", first).save()
    )
    assert written.output.id == DatasetId(f"kafka://{BROKER}", first)
    assert lines_of([written]) == expected(f"{first}:\n{_MADE}")

    def stream() -> None:
        source = spark.readStream.format("kafka").options(**kafka).option("subscribe", first).load()
        sink = source.selectExpr("upper(CAST(key AS STRING)) AS key", "value").writeStream.format("kafka")
        sink = sink.options(**kafka).option("topic", second).trigger(availableNow=True)
        sink.option("checkpointLocation", f"{tmp_path}/progress").start().awaitTermination()

    [streamed] = watch.writes_of(stream)
    assert [dataset.id for dataset in streamed.inputs] == [written.output.id]
    assert lines_of([streamed]) == expected(
        f"{second}:\nkey <- {first}.key TRANSFORMATION; value <- {first}.value IDENTITY"
    )
    topic = spark.read.format("kafka").options(**kafka).option("subscribe", second).load()
    [read] = watch.writes_of(lambda: topic.selectExpr("CAST(key AS STRING) AS carrier").write.parquet(f"{tmp_path}/o"))
    assert [dataset.id for dataset in read.inputs] == [streamed.output.id]
    assert lines_of([read]) == expected(f"o:\ncarrier <- {second}.key TRANSFORMATION")
    assert {row.carrier for row in spark.read.parquet(f"{tmp_path}/o").collect()} == {"UA", "B6"}


def test_a_topic_is_streamed_to_files(spark: SparkSession, datasets: Path, watch: Watch, tmp_path: Path) -> None:
    topic = new_topic()
    kafka = {"kafka.bootstrap.servers": BROKER}
    spark.sql(_ROWS).write.format("kafka").options(**kafka, topic=topic).save()

    def stream() -> None:
        source = spark.readStream.format("kafka").options(**kafka, subscribe=topic, startingOffsets="earliest").load()
        files = source.selectExpr("CAST(value AS STRING) AS flight", "offset").writeStream.trigger(availableNow=True)
        files.option("checkpointLocation", f"{tmp_path}/progress").start(f"{tmp_path}/out").awaitTermination()

    [write] = watch.writes_of(stream)
    assert lines_of([write]) == expected(
        f"out:\nflight <- {topic}.value TRANSFORMATION; offset <- {topic}.offset IDENTITY"
    )
    assert spark.read.parquet(f"{tmp_path}/out").count() == 2
