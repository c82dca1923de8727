"""Makes a sealed day's traces into the archive's tables.

    python -m jobs.compact_archive --archive s3://bucket --day 2026-11-20 --attempt nightly-2026-11-20

What is written lies under the attempt's own prefix and counts for nobody until the attempt is published. The manifest
is written last: where there is one, the attempt is whole.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from pyspark.sql import DataFrame, SparkSession

from jobs.archived_objects import prove_all_of, prove_some
from jobs.day_tables import Files, nodes_of, read_table, records_of, traces_of, write_table
from jobs.sealed_day import SealedDay, Unfaithful, read_sealed_day
from jobs.storage import Storage
from lineage.archive_tables.columns import RECORDS, TRACES
from lineage.archive_tables.places import Manifest, Written, attempt_prefix, manifest_key, render_manifest
from lineage.records.archive import prefix_of

# Measured as Parquet, and of what each object has of its own: its end, and the first of everything that repeats.
_RECORD_BYTES = 50
_LINE_BYTES = 60
_OBJECT_BYTES = 400


def compact(spark: SparkSession, archive: str, day: str, attempt: str) -> Manifest:
    """Write the tables of a sealed day (YYYY-MM-DD) under the attempt's prefix, in the place of what may be there.

    `archive` is a location that Spark reads: `s3://bucket`, or a folder with what the bucket holds of the day.

    Raises:
        Unfaithful: an object is not as the day's digest has it, or does not hold what it says.
    """
    storage = Storage(spark, archive)
    storage.remove(manifest_key(day, attempt))
    sealed = read_sealed_day(storage, day)
    try:
        traces = _write_traces(storage, sealed, attempt)
        records = _write_records(storage, sealed, attempt)
    finally:
        sealed.newest.unpersist()
    manifest = Manifest(day, attempt, sealed.digest_sha256, records, traces)
    storage.put(manifest_key(day, attempt), render_manifest(manifest))
    return manifest


def _write_traces(storage: Storage, sealed: SealedDay, attempt: str) -> Written:
    objects = prove_all_of(storage, prefix_of(sealed.day), sealed.newest.select("key", "sha256"))
    rows = Files.of(_traces_bytes(sealed)).shuffle(traces_of(objects))
    written = write_table(rows, TRACES, storage, attempt_prefix("traces", sealed.day, attempt))
    _check("lines", sealed.day, written.rows, sealed.lines)
    return written


def _write_records(storage: Storage, sealed: SealedDay, attempt: str) -> Written:
    """Of the traces just written: the records that the root's last object of an earlier day does not hold."""
    traces = read_table(storage, TRACES, attempt_prefix("traces", sealed.day, attempt))
    files = Files.of(sealed.records * _RECORD_BYTES)
    rows = records_of(files.cut(traces))
    if not sealed.continued:
        return _put_records(storage, sealed, attempt, rows, before=0)
    nodes = nodes_of(prove_some(storage, sealed.bases)).persist()
    try:
        rows = files.cut(rows.join(nodes, ["root_id", "node_id"], "left_anti"))
        return _put_records(storage, sealed, attempt, rows, before=nodes.count())
    finally:
        nodes.unpersist()


def _put_records(storage: Storage, sealed: SealedDay, attempt: str, rows: DataFrame, *, before: int) -> Written:
    written = write_table(rows, RECORDS, storage, attempt_prefix("records", sealed.day, attempt))
    _check("records", sealed.day, written.rows, sealed.records - before)
    return written


def _traces_bytes(sealed: SealedDay) -> int:
    """About what the traces will have as Parquet: of long paths most is what lines share, of short ones the ids."""
    ids = sealed.records * _RECORD_BYTES + sealed.lines * _LINE_BYTES
    return max(ids, sealed.size_bytes - sealed.objects * _OBJECT_BYTES)


def _check(what: str, day: str, found: int, expected: int) -> None:
    if found != expected:
        raise Unfaithful(f"the objects of {day} hold {found} {what} that count, expected {expected} by the digest")


def main(arguments: Sequence[str], spark: SparkSession | None = None) -> int:
    """Compact one day; 0, or an exception."""
    parser = argparse.ArgumentParser(prog="compact_archive", description=__doc__)
    parser.add_argument("--archive", required=True, help="s3://bucket, or a folder")
    parser.add_argument("--day", required=True, help="the sealed day, YYYY-MM-DD")
    parser.add_argument("--attempt", required=True, help="what the attempt is called, without a slash")
    told = parser.parse_args(arguments)
    manifest = compact(spark or _session(), told.archive, told.day, told.attempt)
    sys.stdout.write(f"{render_manifest(manifest).decode()}\n")
    return 0


def _session() -> SparkSession:
    return SparkSession.builder.appName("compact_archive").getOrCreate()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
