"""A day's two tables, made of the lines of its newest objects and written as Parquet."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from jobs.archived_objects import Objects
from jobs.storage import Storage
from lineage.archive_tables.columns import RECORDS, TRACES, Table
from lineage.archive_tables.places import Written

# As objects spell the lines' columns: a step's time in another case.
_LINE = TRACES.ddl.replace("recorded_at", "recordedAt")
_NODES = "root_id string, lineage array<struct<node_id: string>>"
_LINEAGE = next(column.type for column in TRACES.columns if column.name == "lineage")
# What a step never lacks, and with it a record.
_STEP = ("node_id", "parent_id", "action_taken", "storage_location", "recorded_at")
# The step that says which compaction wrote the line is the last.
_STEPS = "slice(lineage, 1, size(lineage) - 1)"
_OPTIONS = {"compression": "zstd"}


def traces_of(objects: Objects) -> DataFrame:
    """The rows of `traces`; a line that lacks what no line lacks is left out, for the count to miss."""
    lines = objects.lines(_LINE).withColumn("lineage", sf.col("lineage").cast(_LINEAGE))
    lacking = " or ".join(f"step.{name} is null" for name in _STEP)
    whole = f"root_id is not null and record_id is not null and not exists(lineage, step -> {lacking})"
    lines = lines.where(whole).withColumn("complete", sf.coalesce("complete", sf.lit(True)))
    return lines.select(*(column.name for column in TRACES.columns))


def records_of(traces: DataFrame) -> DataFrame:
    """The records in the traces, each once; lines of a root say the same of it."""
    # Maps cannot be compared; their entries can, and come in the order of their names.
    steps = traces.select("root_id", sf.expr(f"inline({_STEPS})"))
    columns = ["metadata" if column.name == "metadata" else column.name for column in RECORDS.columns]
    distinct = steps.withColumn("metadata", sf.map_entries("metadata")).select(*columns).distinct()
    return distinct.withColumn("metadata", sf.map_from_entries("metadata")).select(*columns)


def nodes_of(objects: Objects) -> DataFrame:
    """Root and node id of every record in the objects, each once."""
    return objects.lines(_NODES).selectExpr("root_id", f"explode({_STEPS}.node_id) as node_id").distinct()


def write_table(rows: DataFrame, table: Table, storage: Storage, folder: str) -> Written:
    """Write rows as they are partitioned, each file sorted; answers what lies there then."""
    sort = {"records": ("root_id", "node_id"), "traces": ("root_id", "record_id")}[table.name]
    rows.sortWithinPartitions(*sort).write.parquet(storage.path(folder), mode="overwrite", **_OPTIONS)
    sizes = storage.parquet_sizes(folder)
    return Written(read_table(storage, table, folder).count(), sizes.files, sizes.size_bytes)


def read_table(storage: Storage, table: Table, folder: str) -> DataFrame:
    """What an attempt wrote."""
    return storage.spark.read.schema(table.ddl).parquet(storage.path(folder))
