"""Two jobs for the tables of a day of the archive, in a folder.

`make` writes the day; `ours` and `plain` read it and write both tables, each into a folder of its own.
"""

from __future__ import annotations

import io
import random
import shutil
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

from benchmarks.capture_session import jvm_cpu_s, spark_session
from benchmarks.processes import Figures
from benchmarks.shape import Shape
from headwater.records.archive import compress_lines, prefix_of
from headwater.records.archive_state import Seal
from headwater.records.digest import Head, key_of, render_digest
from headwater.records.forest import Forest
from headwater.records.lines import Compaction, render_lines
from headwater.records.pointers import ArchiveObject
from headwater_model.archive_tables import TABLES, TRACES, attempt_prefix
from headwater_model.ids import sha256_hex

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_DAY = "2026-11-20"
_STEPS = ("INGEST", "VALIDATE", "NORMALISE")
_COMPACTION = Compaction("nightly-2026-11-20", 1_763_684_000, f"s3://carbonlake-archive/{prefix_of(_DAY)}")


def make(archive: str, objects: str) -> Figures:
    """Write the day's objects and its digest; return the bytes of the lines and of the objects."""
    # Not for secrets: equal input in every run.
    folder, dice = Path(archive), random.Random(7)
    written, line_bytes = [], 0
    (folder / prefix_of(_DAY)).mkdir(parents=True)
    for _ in range(int(objects)):
        root_id = f"s3://carbonlake-landing/2026/11/20/emissions-{UUID(int=dice.getrandbits(128))}.csv"
        # A root of 100 leaves, after one to three steps in a row.
        records = list(Shape(10, 10, _STEPS[: dice.randint(1, len(_STEPS))]).records(root_id, dice))
        blocks = list(render_lines(Forest(root_id, records), _COMPACTION))
        line_bytes += sum(map(len, blocks))
        written.append(_put(folder, root_id, len(records), blocks))
    digest = folder / key_of(_DAY)
    digest.parent.mkdir(parents=True)
    with digest.open("wb") as file:
        head = Head(_DAY, Seal("nightly-2026-11-20", _COMPACTION.recorded_at), None)
        compress_lines(render_digest(head, sorted(written, key=lambda archived: archived.key), ()), file)
    return {"line_bytes": line_bytes, "object_bytes": sum(archived.size_bytes for archived in written)}


def _put(folder: Path, root_id: str, records: int, blocks: Sequence[bytes]) -> ArchiveObject:
    file = io.BytesIO()
    written = compress_lines(blocks, file)
    key = f"{prefix_of(_DAY)}{sha256_hex(root_id)}.{written.sha256}.jsonl.gz"
    (folder / key).write_bytes(file.getvalue())
    return ArchiveObject(key, written.sha256, written.size_bytes, records, written.lines, version=1)


def ours(spark: SparkSession, folder: Path) -> None:
    """Run the job, as Glue does."""
    from jobs.compact_archive import compact

    compact(spark, str(folder), _DAY, "ours")


def plain(spark: SparkSession, folder: Path) -> None:
    """Trust the prefix: read, explode, deduplicate by key, sort, and write a file for each table, as ours does."""
    from pyspark.sql import functions as sf

    lines = spark.read.schema(TRACES.ddl.replace("recorded_at", "recordedAt")).json(str(folder / prefix_of(_DAY)))
    traces = lines.withColumn("complete", sf.coalesce("complete", sf.lit(True)))
    _write(traces, folder, "traces", "record_id")
    steps = lines.select("root_id", sf.inline("lineage")).where("action_taken <> 'DATA_COMPACTION'")
    _write(steps.dropDuplicates(["root_id", "node_id"]), folder, "records", "node_id")


def _write(rows: DataFrame, folder: Path, table: str, leaf: str) -> None:
    ordered = rows.repartition(1).sortWithinPartitions("root_id", leaf)
    ordered.write.parquet(str(folder / attempt_prefix(table, _DAY, "plain")), compression="zstd")


def measure(work: Callable[[SparkSession, Path], None], archive: str) -> Figures:
    """Run a job in a new session; measure seconds, CPU seconds of the JVM, and the bytes of both tables."""
    folder = Path(archive)
    shutil.rmtree(folder / "tables", ignore_errors=True)
    with spark_session() as (spark, _):
        cpu, clock = jvm_cpu_s(spark), time.perf_counter()
        work(spark, folder)
        figures = {"s": time.perf_counter() - clock, "cpu_s": jvm_cpu_s(spark) - cpu}
        counts = {f"{table.name}_rows": _read(spark, folder, table.name).count() for table in TABLES}
    sizes = {f"{table.name}_bytes": _bytes(folder, table.name) for table in TABLES}
    return {**figures, **counts, **sizes}


def _read(spark: SparkSession, folder: Path, table: str) -> DataFrame:
    return spark.read.option("recursiveFileLookup", True).parquet(str(folder / "tables" / table))


def _bytes(folder: Path, table: str) -> int:
    return sum(file.stat().st_size for file in (folder / "tables" / table).rglob("*.parquet"))


WORKS = {"make": make, "ours": partial(measure, ours), "plain": partial(measure, plain)}
