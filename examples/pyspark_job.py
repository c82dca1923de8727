"""Minimal lineage of a PySpark job: a line for its writes, a call for each file that it moves on.

HEADWATER_URL=http://127.0.0.1:8080 python examples/pyspark_job.py in.csv out.parquet
"""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession

from spark_client import LineageClient, capture


def main(source: str, target: str) -> None:
    """Copy complete CSV rows, and record the source of each file."""
    spark = SparkSession.builder.appName("complete-rows").getOrCreate()
    capture(spark)
    with LineageClient() as lineage:
        read = lineage.record(root_id=source, parent_id=source, action_taken="READ", storage_location=source)
        spark.read.csv(source, header=True).dropna().write.mode("overwrite").parquet(target)
        lineage.record(root_id=source, parent_id=read.node_id, action_taken="CLEANED", storage_location=target)


if __name__ == "__main__":
    main(*sys.argv[1:])
