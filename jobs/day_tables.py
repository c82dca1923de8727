"""A day's two tables, made of the lines of its newest objects, as Parquet."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from headwater_model.archive_tables import RECORDS, TRACES, ArchiveTable, TableFiles
from jobs.archived_objects import Objects
from jobs.storage import Storage

# Spelled as in objects: a step's time in its own case.
_LINE = TRACES.ddl.replace("recorded_at", "recordedAt")
_NODES = "root_id string, lineage array<struct<node_id: string>>"
_LINEAGE = next(column.type for column in TRACES.columns if column.name == "lineage")
# The fields of every step.
_STEP = ("node_id", "parent_id", "action_taken", "storage_location", "recorded_at")
# All steps but the last, the compaction's.
_STEPS = "slice(lineage, 1, size(lineage) - 1)"
_LEAVES = {"records": "node_id", "traces": "record_id"}
# A query of a root reads a group of rows or two, not the whole file; in compressed bytes.
_GROUP_BYTES = 8 * 1024 * 1024
# The rows of a group, about; its Bloom filter has room for them (a byte and a half for each).
_GROUP_ROWS = 150_000


@dataclass(frozen=True, slots=True)
class Files:
    """The number of files of a table, by ranges of root ids: a root is in a single file."""

    number: int

    @classmethod
    def of(cls, size_bytes: int, file_bytes: int) -> Files:
        """Compute the number of files of about `file_bytes` each, at least one."""
        return cls(max(1, round(size_bytes / file_bytes)))

    def shuffle(self, rows: DataFrame) -> DataFrame:
        """Sort the rows by root into a partition for each file; earlier stages keep their number of tasks."""
        return rows.repartition(1) if self.number == 1 else rows.repartitionByRange(self.number, "root_id")

    def gather(self, rows: DataFrame) -> DataFrame:
        """Sort freshly shuffled rows as `shuffle` does: a single file needs no second shuffle."""
        return rows.coalesce(1) if self.number == 1 else self.shuffle(rows)


def traces_of(objects: Objects) -> DataFrame:
    """Build the rows of `traces`; an incomplete line is left out, and the count shows it."""
    lacking = " or ".join(f"step.{name} is null" for name in _STEP)
    whole = f"root_id is not null and record_id is not null and not exists(lineage, step -> {lacking})"
    lines = objects.lines(_LINE).withColumn("lineage", sf.col("lineage").cast(_LINEAGE)).where(whole)
    lines = lines.withColumn("complete", sf.coalesce("complete", sf.lit(True)))
    return lines.select(*(column.name for column in TRACES.columns))


def records_of(traces: DataFrame) -> DataFrame:
    """Select the records in the traces, each once: lines of a root repeat them."""
    steps = traces.select("root_id", sf.expr(f"inline({_STEPS})"))
    # Maps cannot be compared; their entries can, in the order of their names.
    steps = steps.withColumn("metadata", sf.map_entries("metadata"))
    columns = [column.name for column in RECORDS.columns]
    return steps.select(*columns).distinct().withColumn("metadata", sf.map_from_entries("metadata"))


def nodes_of(objects: Objects) -> DataFrame:
    """Select root and node id of every record in the objects, each once."""
    return objects.lines(_NODES).selectExpr("root_id", f"explode({_STEPS}.node_id) as node_id").distinct()


def write_table(rows: DataFrame, table: ArchiveTable, storage: Storage, folder: str, *, expected: int) -> TableFiles:
    """Write about `expected` rows in their partitions, each file sorted; count the files.

    With the Bloom filter, queries by node id alone skip groups of rows.
    """
    columns = [column.name for column in table.columns]
    leaf = _LEAVES[table.name]
    ordered = rows.select(*columns).sortWithinPartitions("root_id", leaf)
    options: dict[str, str | int | bool] = {
        "compression": "zstd",
        "parquet.block.size": _GROUP_BYTES,
        f"parquet.bloom.filter.enabled#{leaf}": True,
        f"parquet.bloom.filter.expected.ndv#{leaf}": max(1, min(expected, _GROUP_ROWS)),
    }
    ordered.write.mode("overwrite").options(**options).parquet(storage.path(folder))
    sizes = storage.parquet_sizes(folder)
    return TableFiles(read_table(storage, table, folder).count(), sizes.files, sizes.size_bytes)


def read_table(storage: Storage, table: ArchiveTable, folder: str) -> DataFrame:
    """Read the rows of an attempt."""
    return storage.spark.read.schema(table.ddl).parquet(storage.path(folder))
