"""The tracers of function and Spark on one root: `python -m benchmarks.trace_on_spark_work RECORDS [MEMORY]`.

A million records take minutes. Prints the seconds of each and Spark's peak memory; fails if lines differ by a byte.
"""

from __future__ import annotations

import hashlib
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from benchmarks.processes import print_figures
from headwater.records.forest import Forest
from headwater.records.lines import Compaction, in_blocks, render_lines, render_step
from headwater.records.record import LineageRecord
from jobs.forest import arrange, number
from jobs.rendered import render_rows
from jobs.trace_root import prepare_session
from local_stack.toolchain import with_java

ROOT_ID = "s3://carbonlake-landing/2026/11/20/emissions-7c1f4e9a.csv"
COMPACTION = Compaction("nightly", 1_763_684_000, "s3://archive/traces/year=2026/month=11/day=20/")


def shapes(size: int) -> Iterator[tuple[int, int | str]]:
    """Yield nodes and their parents: a random tree, a chain, a star, small trees, cycles and missing parents."""
    dice = random.Random(7)
    tenth = size // 10
    yield 0, ROOT_ID
    for node in range(1, 6 * tenth):
        yield node, dice.randrange(max(0, node - tenth), node)
    start = 6 * tenth
    for node in range(start, start + size // 50):
        yield node, node - 1 if node > start else 0
    start += size // 50
    for node in range(start, start + tenth):
        yield node, 1
    start += tenth
    for node in range(start, size):
        position = node % 8
        first = node - position
        yield node, (ROOT_ID, first, first, first + 1, f"gone-{first % 400}", first + 6, first + 5, first + 6)[position]


def records_of(size: int) -> list[LineageRecord]:
    """Build the shapes as records, with ids in random order."""
    names = [hashlib.md5(str(node).encode()).hexdigest() for node in range(size)]  # noqa: S324 - no secret
    return [
        LineageRecord(
            ROOT_ID,
            names[node],
            names[min(parent, size - 1)] if isinstance(parent, int) else parent,
            "CALCULATE_EMISSIONS",
            f"s3://carbonlake-enriched/emissions/2026/11/20/{names[node]}.snappy.parquet",
            1_763_640_000 + node % 3600,
        )
        for node, parent in shapes(size)
    ]


def write(records: Sequence[LineageRecord], folder: Path) -> None:
    """Write the records in the form of `jobs.forest`."""
    columns = {
        "root": pa.array([0] * len(records), pa.int32()),
        "node_id": [record.node_id for record in records],
        "parent_id": [record.parent_id for record in records],
        "step": pa.array([render_step(record) for record in records], pa.binary()),
    }
    pq.write_table(pa.table(columns), folder / "records.parquet")


def digest_of(blocks: Iterable[bytes]) -> tuple[str, int]:
    """Hash the lines: SHA-256 and size."""
    digest, size = hashlib.sha256(), 0
    for block in blocks:
        digest.update(block)
        size += len(block)
    return digest.hexdigest(), size


def session(memory: str) -> SparkSession:
    """Start Spark as on a small machine."""
    os.environ.update(with_java(os.environ))
    builder = SparkSession.builder.master("local[2]").config("spark.driver.memory", memory)
    builder = builder.config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "16")
    builder = builder.config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1")
    return prepare_session(builder.config("spark.ui.showConsoleProgress", "false").getOrCreate())


def peak_of_java(spark: SparkSession) -> int:
    """Read the peak memory of Spark's process in bytes."""
    context: Any = spark.sparkContext
    process = context._jvm.java.lang.ProcessHandle.current().pid()
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    return int(status.split("VmHWM:")[1].split()[0]) * 1024


def main(arguments: Sequence[str]) -> None:
    """Print the figures of both tracers."""
    size, memory = int(arguments[0]), arguments[1] if len(arguments) > 1 else "2g"
    with tempfile.TemporaryDirectory() as folder:
        records = records_of(size)
        write(records, Path(folder))
        started = time.perf_counter()
        expected, size_bytes = digest_of(render_lines(Forest(ROOT_ID, records), COMPACTION))
        plain_s = time.perf_counter() - started
        records.clear()
        spark = session(memory)
        started = time.perf_counter()
        nodes = number(spark.read.parquet(folder))
        rows = arrange(nodes, [ROOT_ID]).toLocalIterator(prefetchPartitions=True)
        actual, _ = digest_of(in_blocks(render_rows(rows, [ROOT_ID], COMPACTION)))
        spark_s = time.perf_counter() - started
        print_figures(function_s=plain_s, spark_s=spark_s, bytes=size_bytes, spark_peak=peak_of_java(spark))
        spark.stop()
    assert actual == expected, "the tracers differ"


if __name__ == "__main__":
    main(sys.argv[1:])
