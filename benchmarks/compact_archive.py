"""compact_archive: time and bytes of a day's tables, beside plain PySpark for the same tables.

Plain PySpark without checks: the day's prefix read as JSON with a given schema, for `records` the steps exploded and
`dropDuplicates`; both sorted, zstd, a file each as ours. Ours reads the digest, checks each object's SHA-256, skips
outdated objects, checks the counts, and makes `records` from its `traces`. Objects of 100 traces with paths of 4 to 6
steps, UUIDs as node ids and in S3 locations; read from the disk's cache and written to disk, two cores, each run in a
new session. Lines are counted before their compression.
"""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

from benchmarks.processes import Report, in_turns, run
from benchmarks.rows import Row, gigabytes, seconds, within

# Objects of 100 traces each.
_OBJECTS, _QUICK = 10_000, 20
_TIME_AT_MOST, _BYTES_AT_MOST = 1.2, 0.2


def measure(report: Report, *, quick: bool) -> list[Row]:
    """Measure both jobs in turns over a single archive, in seconds: Glue bills by time."""
    objects = _QUICK if quick else _OBJECTS
    with tempfile.TemporaryDirectory() as name:
        archive = str(Path(name) / "archive")
        report(f"{objects * 100:,} traces in {objects:,} objects")
        line_figures = run("compact_archive_work", "make", archive, str(objects))
        works = {variant: partial(run, "compact_archive_work", variant, archive) for variant in ("ours", "plain")}
        ours, plain = in_turns(1, works, report).values()
    bytes_of = ours["traces_bytes"] + ours["records_bytes"]
    return [
        within(
            f"compact_archive: {objects * 100:,} traces", ours["s"], plain["s"], at_most=_TIME_AT_MOST, show=seconds
        ),
        within(
            "compact_archive: Parquet of both tables, beside the lines",
            bytes_of,
            line_figures["line_bytes"],
            at_most=_BYTES_AT_MOST,
            show=gigabytes,
        ),
    ]
