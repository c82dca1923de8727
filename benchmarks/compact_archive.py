"""compact_archive: a day's traces made into tables, beside plain PySpark that writes the same two, and their bytes."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

from benchmarks.processes import Say, in_turns, run
from benchmarks.rows import Row, gigabytes, seconds, within

# Objects of 100 traces each.
_OBJECTS, _QUICK = 10_000, 20
_TIME_AT_MOST, _BYTES_AT_MOST = 1.2, 0.2


def measure(say: Say, *, quick: bool) -> list[Row]:
    """One archive, made once; both ways in turns, on the clock, which is what a job on Glue is paid by."""
    objects = _QUICK if quick else _OBJECTS
    with tempfile.TemporaryDirectory() as name:
        archive = str(Path(name) / "archive")
        say(f"{objects * 100:,} traces in {objects:,} objects")
        made = run("compact_archive_work", "make", archive, str(objects))
        works = {way: partial(run, "compact_archive_work", way, archive) for way in ("ours", "plain")}
        ours, plain = in_turns(1 if quick else 3, works, say).values()
    bytes_of = ours["traces_bytes"] + ours["records_bytes"]
    return [
        within(
            f"compact_archive: {objects * 100:,} traces", ours["s"], plain["s"], at_most=_TIME_AT_MOST, show=seconds
        ),
        within(
            "compact_archive: Parquet of both tables, beside the lines",
            bytes_of,
            made["line_bytes"],
            at_most=_BYTES_AT_MOST,
            show=gigabytes,
        ),
    ]
