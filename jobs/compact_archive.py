"""The job that makes the archive's tables from a sealed day's traces.

    python -m jobs.compact_archive --archive s3://bucket --day 2026-11-20 --attempt nightly-2026-11-20

The files lie under the attempt's own prefix and have no readers until the attempt is published. The manifest is written
last: an attempt with a manifest is complete.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession

from headwater.records.archive import prefix_of
from headwater_model.archive_tables import (
    RECORDS,
    TRACES,
    ArchiveTable,
    Manifest,
    TableFiles,
    attempt_prefix,
    manifest_key,
    render_manifest,
)
from jobs.archived_objects import prove_all_of, prove_some
from jobs.day_tables import Files, nodes_of, read_table, records_of, traces_of, write_table
from jobs.sealed_day import DigestMismatch, SealedDay, read_sealed_day
from jobs.storage import Storage

ARGUMENTS = ("archive", "day", "attempt")
# Measured as Parquet: an object's own bytes are at its end, and repeated bytes at the first place.
_RECORD_BYTES = 50
_LINE_BYTES = 60
_OBJECT_BYTES = 400
# The size of a table's file: Athena and Spark read as many bytes at once.
_FILE_BYTES = 256 * 1024 * 1024


def compact(spark: SparkSession, archive: str, day: str, attempt: str, *, file_bytes: int = _FILE_BYTES) -> Manifest:
    """Write the tables of a sealed day (YYYY-MM-DD) under the attempt's prefix, replacing existing files.

    `archive` is a location that Spark reads: `s3://bucket`, or a folder with the bucket's objects of the day. A table
    of more than about `file_bytes` becomes several files; each root is in one file.

    Raises:
        DigestMismatch: an object differs from the day's digest in its bytes or its counts.
    """
    storage = Storage(spark, archive)
    storage.remove(manifest_key(day, attempt))
    sealed = read_sealed_day(storage, day)
    try:
        written = _Attempt(storage, sealed, attempt, file_bytes)
        traces, records = written.traces(), written.records()
    finally:
        sealed.newest.unpersist()
    manifest = Manifest(day, attempt, sealed.digest_sha256, records, traces)
    storage.put(manifest_key(day, attempt), render_manifest(manifest))
    return manifest


@dataclass(frozen=True, slots=True)
class _Attempt:
    """An attempt under way: the sealed day and the location of its files."""

    storage: Storage
    sealed: SealedDay
    attempt: str
    file_bytes: int

    def traces(self) -> TableFiles:
        """Write the lines of the newest objects."""
        sealed = self.sealed
        objects = prove_all_of(self.storage, prefix_of(sealed.day), sealed.newest.select("key", "sha256"))
        files = Files.of(_traces_bytes(sealed), self.file_bytes)
        return self._write(files.shuffle(traces_of(objects)), TRACES, sealed.lines, "lines")

    def records(self) -> TableFiles:
        """Write the records of the traces, without the records of the root's last object of an earlier day."""
        sealed = self.sealed
        rows = records_of(read_table(self.storage, TRACES, self._folder(TRACES)))
        if not sealed.continued:
            return self._write_records(rows, sealed.records)
        before = nodes_of(prove_some(self.storage, sealed.bases)).persist()
        try:
            expected = sealed.records - before.count()
            rows = rows.join(before, ["root_id", "node_id"], "left_anti")
            return self._write_records(rows, expected)
        finally:
            before.unpersist()

    def _write_records(self, rows: DataFrame, expected: int) -> TableFiles:
        files = Files.of(expected * _RECORD_BYTES, self.file_bytes)
        return self._write(files.gather(rows), RECORDS, expected, "records")

    def _write(self, rows: DataFrame, table: ArchiveTable, expected: int, what: str) -> TableFiles:
        written = write_table(rows, table, self.storage, self._folder(table), expected=expected)
        if written.rows != expected:
            contents = f"{written.rows} {what} that count"
            raise DigestMismatch(f"the objects of {self.sealed.day} hold {contents}, expected {expected} by the digest")
        return written

    def _folder(self, table: ArchiveTable) -> str:
        return attempt_prefix(table.name, self.sealed.day, self.attempt)


def _traces_bytes(sealed: SealedDay) -> int:
    """Estimate the traces' bytes as Parquet: lines share most of a long path, and are mostly ids with a short path."""
    ids = sealed.records * _RECORD_BYTES + sealed.lines * _LINE_BYTES
    return max(ids, sealed.size_bytes - sealed.objects * _OBJECT_BYTES)


def main(arguments: Sequence[str], spark: SparkSession | None = None) -> int:
    """Compact a day; return 0, or raise."""
    parser = argparse.ArgumentParser(prog="compact_archive", description=__doc__)
    parser.add_argument("--archive", required=True, help="s3://bucket, or a folder")
    parser.add_argument("--day", required=True, help="the sealed day, YYYY-MM-DD")
    parser.add_argument("--attempt", required=True, help="what the attempt is called, without a slash")
    options = parser.parse_args(arguments)
    manifest = compact(spark or _session(), options.archive, options.day, options.attempt)
    sys.stdout.write(f"{render_manifest(manifest).decode()}\n")
    return 0


def _session() -> SparkSession:
    return SparkSession.builder.appName("compact_archive").getOrCreate()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
