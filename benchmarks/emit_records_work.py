"""Rows of a DataFrame sent to a queue: `python -m benchmarks.emit_records_work packed|singly ROWS`.

The endpoint, taken from the environment, responds as SQS does and fails some messages. CPU seconds are those of the
JVM and of its Python workers: computing the rows, checking, writing, packing and sending them, and sending again.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from benchmarks.capture_session import spark_session
from benchmarks.processes import print_figures
from spark_client.rows.emit import emit_records

if TYPE_CHECKING:
    import pyarrow as pa
    from mypy_boto3_sqs.type_defs import SendMessageBatchRequestEntryTypeDef
    from pyspark.sql import DataFrame, SparkSession

_NOW_S = 1_763_640_000
_ENTRIES = 10


def flights(spark: SparkSession, rows: int) -> DataFrame:
    """Return rows whose records are about 250 bytes of JSON each."""
    from pyspark.sql import functions as sf

    number = sf.col("id").cast("string")
    return spark.range(0, rows, 1, 2).select(
        sf.concat(sf.lit("estimated-2013-01-01-"), number).alias("flight"),
        sf.concat(sf.lit("checked-2013-01-01-"), number).alias("of"),
        sf.lit("s3://flights/estimated/day=2013-01-01/part-00000.snappy.parquet").alias("at"),
    )


def packed(df: DataFrame, queue_url: str) -> int:
    """Send rows by `emit_records`; return how many were sent."""
    from pyspark.sql import functions as sf

    tally = emit_records(
        df,
        root_id=sf.lit("flights-2013-01-01"),
        parent_id="of",
        action="ESTIMATED",
        storage_location="at",
        node_id="flight",
        queue_url=queue_url,
        requested_at=_NOW_S,
    )
    assert tally.complete, tally
    return tally.sent


def singly(df: DataFrame, queue_url: str) -> int:
    """Send a message for each row by boto3 in each task, ten in a call; failed entries are sent again."""
    from pyspark.sql import functions as sf

    record = sf.to_json(
        sf.struct(
            sf.lit("flights-2013-01-01").alias("root_id"),
            sf.col("of").alias("parent_id"),
            sf.lit("ESTIMATED").alias("action_taken"),
            sf.lit(_NOW_S).alias("recordedAt"),
            sf.col("at").alias("storage_location"),
            sf.col("flight").alias("node_id"),
        )
    )

    def send(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import boto3
        import pyarrow as pa

        sqs = boto3.client("sqs")
        sent = 0
        for batch in batches:
            bodies = batch.column(0).to_pylist()
            for start in range(0, len(bodies), _ENTRIES):
                unsent: list[SendMessageBatchRequestEntryTypeDef] = [
                    {"Id": str(number), "MessageBody": body}
                    for number, body in enumerate(bodies[start : start + _ENTRIES])
                ]
                sent += len(unsent)
                while unsent:
                    response = sqs.send_message_batch(QueueUrl=queue_url, Entries=unsent)
                    failed = {entry["Id"] for entry in response.get("Failed", [])}
                    unsent = [entry for entry in unsent if entry["Id"] in failed]
        yield pa.RecordBatch.from_pydict({"sent": [sent]})

    return sum(row.sent for row in df.select(record.alias("record")).mapInArrow(send, "sent long").collect())


VARIANTS: dict[str, Callable[[DataFrame, str], int]] = {"packed": packed, "singly": singly}


def cpu_s(spark: SparkSession) -> float:
    """Return the CPU seconds of the JVM and of the processes that it started, so far."""
    jvm = spark.sparkContext._jvm
    assert jvm is not None
    process = jvm.java.lang.ProcessHandle.current()
    millis = process.info().totalCpuDuration().get().toMillis()
    children = process.descendants().iterator()
    while children.hasNext():
        spent = children.next().info().totalCpuDuration()
        millis += spent.get().toMillis() if spent.isPresent() else 0
    return float(millis) / 1000


def measure(variant: str, rows: int) -> dict[str, float]:
    """Measure a run, after a run of as many rows that warms up."""
    queue_url = f"{os.environ['AWS_ENDPOINT_URL']}/123456789012/packed"
    with spark_session() as (spark, _):
        df = flights(spark, rows)
        VARIANTS[variant](df, queue_url)
        cpu, clock = cpu_s(spark), time.perf_counter()
        assert VARIANTS[variant](df, queue_url) == rows
        spent, s = cpu_s(spark) - cpu, time.perf_counter() - clock
    return {"s": s, "cpu_s": spent, "per_cpu_s": rows / spent, "per_s": rows / s}


def main(arguments: Sequence[str]) -> None:
    """Print the figures of one variant, for so many rows."""
    variant, rows = arguments
    print_figures(**measure(variant, int(rows)))


if __name__ == "__main__":
    main(sys.argv[1:])
