"""Rows of a DataFrame sent to a queue or over HTTP: `python -m benchmarks.emit_records_work VARIANT ROWS`.

The endpoint of the environment responds like SQS and fails some messages (`packed`, `singly`), or like the HTTP API
(`requests`, `plainly`). CPU seconds are of the JVM and its Python workers: computing the rows, checking, writing,
packing and sending them, and sending again.
"""

from __future__ import annotations

import http.client
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from http import HTTPStatus
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from benchmarks.capture_session import spark_session
from benchmarks.processes import print_figures
from headwater_model.record_requests import RECORDS_MAX
from spark_client import LineageClient
from spark_client.rows.emit import emit_records

if TYPE_CHECKING:
    import pyarrow as pa
    from mypy_boto3_sqs.type_defs import SendMessageBatchRequestEntryTypeDef
    from pyspark.sql import DataFrame, Row, SparkSession

_NOW_S = 1_763_640_000
_ENTRIES = 10
_ROOT_ID, _ACTION = "flights-2013-01-01", "ESTIMATED"


def flights(spark: SparkSession, rows: int) -> DataFrame:
    """Build rows with records of about 250 bytes of JSON each."""
    from pyspark.sql import functions as sf

    number = sf.col("id").cast("string")
    return spark.range(0, rows, 1, 2).select(
        sf.concat(sf.lit("estimated-2013-01-01-"), number).alias("flight"),
        sf.concat(sf.lit("checked-2013-01-01-"), number).alias("of"),
        sf.lit("s3://flights/estimated/day=2013-01-01/part-00000.snappy.parquet").alias("at"),
    )


def packed(df: DataFrame, url: str) -> int:
    """Send rows into a queue by `emit_records`; count the sent rows."""
    return _emit(df, queue_url=_queue_url(url))


def requests(df: DataFrame, url: str) -> int:
    """Send rows over HTTP by `emit_records`; count the sent rows."""
    return _emit(df, client=LineageClient(url=url))


def _emit(df: DataFrame, *, queue_url: str | None = None, client: LineageClient | None = None) -> int:
    from pyspark.sql import functions as sf

    counts = emit_records(
        df,
        root_id=sf.lit(_ROOT_ID),
        parent_id="of",
        action=_ACTION,
        storage_location="at",
        node_id="flight",
        queue_url=queue_url,
        client=client,
        requested_at=_NOW_S,
    )
    assert counts.complete, counts
    return counts.sent


def _queue_url(url: str) -> str:
    return f"{url}/123456789012/packed"


def plainly(df: DataFrame, url: str) -> int:
    """Send requests as large as ours from `foreachPartition`: in turn, over a kept connection.

    Nothing is checked, compressed, or sent again, and a repeated node goes unnoticed.
    """
    sent = df.sparkSession.sparkContext.accumulator(0)

    def send(rows: Iterator[Row]) -> None:
        connection = http.client.HTTPConnection(urlsplit(url).netloc)
        while batch := list(islice(rows, RECORDS_MAX)):
            records = [{"parent_id": row.of, "node_id": row.flight, "storage_location": row.at} for row in batch]
            head = {"root_id": _ROOT_ID, "action_taken": _ACTION, "requested_at": _NOW_S}
            body = json.dumps({**head, "records": records})
            connection.request("POST", "/api/v1/records", body, {"Content-Type": "application/json"})
            response = connection.getresponse()
            assert response.status < HTTPStatus.MULTIPLE_CHOICES, response.read()
            response.read()
            sent.add(len(records))
        connection.close()

    df.foreachPartition(send)
    return sent.value


def singly(df: DataFrame, url: str) -> int:
    """Send a message for each row by boto3 in each task, ten in a call; failed entries are sent again."""
    from pyspark.sql import functions as sf

    queue_url = _queue_url(url)
    record = sf.to_json(
        sf.struct(
            sf.lit(_ROOT_ID).alias("root_id"),
            sf.col("of").alias("parent_id"),
            sf.lit(_ACTION).alias("action_taken"),
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


VARIANTS: dict[str, Callable[[DataFrame, str], int]] = {
    "packed": packed,
    "singly": singly,
    "requests": requests,
    "plainly": plainly,
}


def cpu_s(spark: SparkSession) -> float:
    """Read the CPU seconds of the JVM and of its children, so far."""
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
    """Measure a run, after a run of as many rows to warm up."""
    url = os.environ["AWS_ENDPOINT_URL"]
    with spark_session() as (spark, _):
        df = flights(spark, rows)
        VARIANTS[variant](df, url)
        cpu, clock = cpu_s(spark), time.perf_counter()
        assert VARIANTS[variant](df, url) == rows
        spent, s = cpu_s(spark) - cpu, time.perf_counter() - clock
    return {"s": s, "cpu_s": spent, "per_cpu_s": rows / spent, "per_s": rows / s}


def main(arguments: Sequence[str]) -> None:
    """Print the figures of a variant, for so many rows."""
    variant, rows = arguments
    print_figures(**measure(variant, int(rows)))


if __name__ == "__main__":
    main(sys.argv[1:])
