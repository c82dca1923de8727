"""The job that makes the graph's tables of the missing days.

    python -m jobs.launch --job graph_tables --archive s3://bucket --archive-bucket bucket --graph-table <table>
        --search-database <database> --attempt <id> --since none

`--since 2026-11-01` makes every day from then on again, from the facts at the end of each day. A day's files lie under
the attempt's own prefix; its partitions name them once all are written.
"""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import dataclass

from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from headwater.aws.athena import Catalog
from headwater.aws.clients import client
from headwater.features.graph_tables.published_days import PublishedDays, days_to_make
from headwater.features.graph_tables.rows import end_of_day
from headwater.features.graph_tables.source import GraphSource
from headwater.features.graph_tables.tables import COLUMN_EDGES, EDGE_TABLES, EDGES_KEPT_DAYS, TABLES, GraphTable
from headwater.times import day_of, shift
from headwater_model.archive_tables import PREFIX, attempt_prefix
from jobs.storage import Storage

ARGUMENTS = ("archive", "archive-bucket", "graph-table", "search-database", "attempt", "since")
# The files of earlier days that the job reads; the local stack copies them for a run.
PREFIXES_READ = tuple(f"{PREFIX}{table.name}/" for table in EDGE_TABLES)
NO_DAY = "none"
# The times among the columns of an edge.
_TIMES = ("first_time", "last_time", "is_current")
# About 100 MB of Parquet.
_FILE_ROWS = 2_000_000


@dataclass(frozen=True, slots=True)
class GraphTables:
    """The tables of an attempt: the source of their rows, and the place of their files and partitions."""

    source: GraphSource
    storage: Storage
    days: PublishedDays
    attempt: str

    def make(self, day: str) -> dict[str, int]:
        """Write and publish a day; count the rows of each table."""
        rows = self.source.rows(self.storage.spark, day).persist(StorageLevel.DISK_ONLY)
        try:
            written = {table.name: self._write(rows, table, day) for table in TABLES}
        finally:
            rows.unpersist()
        self.days.publish(day, self.attempt)
        return written

    def _write(self, rows: DataFrame, table: GraphTable, day: str) -> int:
        ours = rows.where(sf.col("table") == table.name)
        lines = ours.select(sf.from_json("row", table.ddl, {"mode": "FAILFAST"}).alias("line")).select("line.*")
        rows_of_day = self._with_earlier(lines, table, day) if table in EDGE_TABLES else lines
        columns = [column.name for column in table.columns]
        number = ours.count()
        ordered = rows_of_day.repartition(1 + number // _FILE_ROWS).sortWithinPartitions(*columns[:4])
        folder = self.storage.path(attempt_prefix(table.name, day, self.attempt))
        ordered.select(*columns).write.mode("overwrite").option("compression", "zstd").parquet(folder)
        return number

    def _with_earlier(self, edges: DataFrame, table: GraphTable, day: str) -> DataFrame:
        """Unite the day's edges with the vanished edges of the previous day, with the times of both."""
        ends = [column.name for column in table.columns if column.name not in _TIMES]
        first = sf.coalesce("first_time", sf.lit(end_of_day(day))) if table is COLUMN_EDGES else sf.col("first_time")
        now = edges.withColumn("first_time", first).select(
            *ends, "first_time", sf.lit(end_of_day(day)).alias("last_time"), sf.lit(True).alias(_TIMES[2])
        )
        key = self.days.key_before(table.name, day)
        if key is not None:
            oldest = end_of_day(shift(day, -EDGES_KEPT_DAYS))
            before = self.storage.spark.read.schema(table.ddl).parquet(self.storage.path(key))
            before = before.where(sf.col("last_time") >= oldest).withColumn("is_current", sf.lit(False))
            now = now.unionByName(before.select(*ends, *_TIMES))
        # Groups treat null as equal to null; joins do not.
        return now.groupBy(*ends).agg(
            sf.min("first_time").alias("first_time"),
            sf.max("last_time").alias("last_time"),
            sf.max("is_current").alias("is_current"),
        )


def main(arguments: Sequence[str], spark: SparkSession | None = None) -> int:
    """Make the missing days, then remove expired days; return 0, or raise."""
    parser = ArgumentParser(prog="graph_tables", description=__doc__)
    for name in ARGUMENTS:
        parser.add_argument(f"--{name}", required=True)
    given = parser.parse_args(arguments)
    days = PublishedDays(Catalog(client("glue"), given.search_database), client("s3"), given.archive_bucket)
    source = GraphSource(given.graph_table, given.archive_bucket, client("dynamodb").meta.region_name)
    storage = Storage(spark or SparkSession.builder.appName("graph_tables").getOrCreate(), given.archive)
    tables = GraphTables(source, storage, days, given.attempt)
    today = day_of(int(time.time()))
    for day in days_to_make(days.list_made(), None if given.since == NO_DAY else given.since, shift(today, -1)):
        written = tables.make(day)
        sys.stdout.write(f"{day}: {', '.join(f'{count} {name}' for name, count in written.items())}\n")
    days.expire(today)
    return 0
