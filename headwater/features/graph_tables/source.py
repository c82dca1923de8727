"""The rows of the graph's tables on Spark: names in, rows out, by the rules of `rows`.

Spark distributes names alone. Each task reads the graph table itself, a chunk of names at a time.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import orjson
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from headwater.aws.clients import READ_CONCURRENCY, client
from headwater.facts.table import GraphTable
from headwater.features.graph_tables.rows import TableRow, named_ever, rows_of_columns, rows_of_datasets, rows_of_jobs
from headwater_model.ids import DatasetId, JobId

_NAMES = "of string, namespace string, name string"
_ROWS = "table string, row string"
_ARROW = pa.schema([("table", pa.string()), ("row", pa.string())])
# Names of a read: a round of requests serves all of them.
_CHUNK = 100
# Datasets of a read of columns: each may have thousands.
_WIDE_CHUNK = 20
_CHUNKS_OF_A_TASK = 5
# More tasks are no faster: ten workers have forty cores.
_TASKS_MAX = 400
_BATCH_ROWS = 4096


@dataclass(frozen=True, slots=True)
class GraphSource:
    """The location of the graph table; sent to Spark's workers, which make their own clients in the region."""

    table: str
    bucket: str
    region: str

    def open(self) -> GraphTable:
        """Open the table."""
        return GraphTable(client("dynamodb"), self.table, client("s3"), self.bucket, concurrency=READ_CONCURRENCY)

    def rows(self, spark: SparkSession, day: str) -> DataFrame:
        """Read `table`, `row` (JSON) of every row of the tables at the end of the day."""
        jobs, datasets = named_ever(self.open())
        names = [("job", job.namespace, job.name) for job in jobs]
        names += [("dataset", dataset.namespace, dataset.name) for dataset in datasets]
        tasks = max(1, min(len(names) // (_CHUNK * _CHUNKS_OF_A_TASK), _TASKS_MAX))
        # Neighbours in the order of names are often alike: wide jobs would meet in a task.
        spread = spark.createDataFrame(names, _NAMES).repartition(tasks)
        return spread.mapInArrow(lambda batches: self._read(batches, day), _ROWS)

    def _read(self, batches: Iterable[pa.RecordBatch], day: str) -> Iterator[pa.RecordBatch]:
        os.environ.setdefault("AWS_DEFAULT_REGION", self.region)
        table, rows = self.open(), list[TableRow]()
        for batch in batches:
            for row in _rows_of(batch.to_pylist(), table, day):
                rows.append(row)
                if len(rows) == _BATCH_ROWS:
                    yield _batch(rows)
                    rows = []
        yield _batch(rows)


def _rows_of(names: Sequence[dict[str, str]], table: GraphTable, day: str) -> Iterator[TableRow]:
    jobs = [JobId(named["namespace"], named["name"]) for named in names if named["of"] == "job"]
    datasets = [DatasetId(named["namespace"], named["name"]) for named in names if named["of"] == "dataset"]
    for start in range(0, len(jobs), _CHUNK):
        yield from rows_of_jobs(jobs[start : start + _CHUNK], table, day)
    for start in range(0, len(datasets), _CHUNK):
        yield from rows_of_datasets(datasets[start : start + _CHUNK], table, day)
    for start in range(0, len(datasets), _WIDE_CHUNK):
        yield from rows_of_columns(datasets[start : start + _WIDE_CHUNK], table, day)


def _batch(rows: Sequence[TableRow]) -> pa.RecordBatch:
    columns = [table for table, _ in rows], [orjson.dumps(row).decode() for _, row in rows]
    return pa.record_batch(list(map(pa.array, columns, _ARROW.types)), schema=_ARROW)
