"""Reading of a root on Spark: its rows of the table, its staged images and its last archive, in bounded memory.

Each source is a stream of a task. More tasks would not read faster: the table's local index keeps a root in a single
partition, with 3,000 read units (12 MB, strongly consistent) a second; and gzip is read from its start.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from headwater.aws.clients import client
from headwater.records.archive import Archive
from headwater.records.expired import Staged
from headwater.records.lines import parse_lines, render_step
from headwater.records.pointers import LastArchive
from headwater.records.record import LineageRecord
from headwater.records.root_records import RecordSources
from headwater.records.table import RecordsTable, parse_item

# A record as read: `step` is rendered by `render_step`; `place` is the sort key of a staged image.
FOUND = "root int, node_id string, parent_id string, step binary, place string"
_ARROW = pa.schema(
    [
        ("root", pa.int32()),
        ("node_id", pa.string()),
        ("parent_id", pa.string()),
        ("step", pa.binary()),
        ("place", pa.string()),
    ]
)
_BATCH_ROWS = 4096
# Lines of a family repeat its path: within so many bytes of lines, each record comes once.
_LINES_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class RootSources:
    """The locations of one root's records; sent to Spark's workers, which make their own clients in the region."""

    root_id: str
    records_table: str
    graph_table: str
    bucket: str
    archive_key: str | None
    region: str

    def read(self, spark: SparkSession) -> DataFrame:
        """Read every record of every source, as `FOUND`; a record in several sources comes several times."""
        streams = spark.range(0, len(_STREAMS), 1, len(_STREAMS))
        return streams.mapInArrow(self._read, FOUND)

    def _read(self, numbers: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        os.environ.setdefault("AWS_DEFAULT_REGION", self.region)
        for batch in numbers:
            for number in batch.column(0).to_pylist():
                records = _STREAMS[number](self)
                while rows := list(islice(records, _BATCH_ROWS)):
                    yield _batch(rows)


def sources_of(root_id: str, sources: RecordSources, pointer: LastArchive | None) -> RootSources:
    """Describe the sources without clients; `pointer` is the root's last archive."""
    return RootSources(
        root_id=root_id,
        records_table=sources.table.name,
        graph_table=sources.staged.table,
        bucket=sources.archive.bucket,
        archive_key=pointer.object.key if pointer else None,
        region=sources.archive.s3.meta.region_name,
    )


def _table_rows(root: RootSources) -> Iterator[tuple[LineageRecord, str | None]]:
    for item in RecordsTable(client("dynamodb"), root.records_table).read_root(root.root_id):
        yield parse_item(item), None


def _staged_images(root: RootSources) -> Iterator[tuple[LineageRecord, str | None]]:
    for place, record in Staged(client("dynamodb"), root.graph_table).read(root.root_id):
        yield record, place


def _read_archive(root: RootSources) -> Iterator[tuple[LineageRecord, str | None]]:
    if root.archive_key is not None:
        lines = Archive(client("s3"), root.bucket).lines(root.archive_key)
        for batch in _runs(lines):
            for record in parse_lines(batch):
                yield record, None


_STREAMS: tuple[Callable[[RootSources], Iterator[tuple[LineageRecord, str | None]]], ...] = (
    _table_rows,
    _staged_images,
    _read_archive,
)


def _runs(lines: Iterable[bytes]) -> Iterator[Iterator[bytes]]:
    """Yield runs of lines of about 64 MB, each to be read to its end: `parse_lines` remembers every node of a run."""
    left = iter(lines)
    for first in left:
        yield _run(first, left)


def _run(first: bytes, left: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    size = len(first)
    while size < _LINES_BYTES and (line := next(left, None)) is not None:
        size += len(line)
        yield line


def _batch(rows: list[tuple[LineageRecord, str | None]]) -> pa.RecordBatch:
    columns = (
        [0] * len(rows),
        [record.node_id for record, _ in rows],
        [record.parent_id for record, _ in rows],
        [render_step(record) for record, _ in rows],
        [place for _, place in rows],
    )
    return pa.record_batch(list(map(pa.array, columns, _ARROW.types)), schema=_ARROW)
