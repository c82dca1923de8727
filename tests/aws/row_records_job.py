"""A Spark job of its own process, one of whose tasks dies half way: `python -m tests.aws.row_records_job QUEUE_URL`."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator

import boto3
import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import SparkSession
from pyspark.sql import functions as sf

from spark_client.rows.emit import emit_records

ROWS = 12_000
NOON = 1_763_640_000


def falling_over_once(
    queue_url: str,
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return a function of rows that changes none; the first try of the first task ends once some of them are sent."""

    def fall_over_once(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        context = TaskContext.get()
        assert context is not None
        dies = context.partitionId() == 0 and context.attemptNumber() == 0
        for number, batch in enumerate(batches):
            if dies and number == 5:
                while not _messages(queue_url):
                    time.sleep(0.1)
                os._exit(1)
            yield batch

    return fall_over_once


def _messages(queue_url: str) -> int:
    name = "ApproximateNumberOfMessages"
    attributes = boto3.client("sqs").get_queue_attributes(QueueUrl=queue_url, AttributeNames=[name])["Attributes"]
    return int(attributes[name])


def main(queue_url: str) -> None:
    """Print the tally, as JSON."""
    spark = (
        # Tasks run one after the other: a message sent before the first task ends is of the first task.
        SparkSession.builder.master("local[1,3]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "1000")
        .getOrCreate()
    )
    rows = spark.range(0, ROWS, 1, 2).select(
        sf.concat(sf.lit("row-"), "id").alias("row"), sf.lit("s3://b/" + "k" * 400).alias("at")
    )
    rows = rows.mapInArrow(falling_over_once(queue_url), rows.schema)
    tally = emit_records(
        rows,
        root_id=sf.lit("flights"),
        parent_id=sf.lit("landed"),
        action="CHECKED",
        key="row",
        storage_location="at",
        queue_url=queue_url,
        requested_at=NOON,
    )
    spark.stop()
    print(json.dumps({"sent": tally.sent, "failed": tally.failed, "refused": tally.refused, "error": tally.error}))  # noqa: T201 - what the test reads


if __name__ == "__main__":
    main(sys.argv[1])
