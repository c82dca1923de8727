"""Traces of a large root: lines, memory.

*Index, walk, render*: a dict of all records, then for each leaf a walk to the root and orjson of the whole path. Its
lines equal ours. The root is shaped like the Carbonlake pipeline: 4 steps in a row, 1,000 splits of the last, 1,000
results of each split; UUIDs as node ids and in S3 locations. Input is a list of records, output is not compressed; CPU
seconds of the process. The goal is two thirds of the plain walk's CPU: two machines gave ratios of 0.47 and 0.57 to
0.61. A third of ours is one record for each node, their order and their parents: the plain walk needs
these, too. Most of the rest is reading records scattered in memory, since a parent's leaves stand together. The values
of a field are rendered by a single call of orjson for some hundred leaves. Slower: a call for each
leaf; a call for the steps of many leaves; blocks of a few dozen leaves.

*Peak memory*: records arrive one at a time, as from the table, and end in a compressed object.
"""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

from benchmarks.processes import Report, in_turns, run
from benchmarks.rows import Row, gigabytes, seconds, within
from benchmarks.shape import Shape, write_shape

FULL = Shape(splits=1000, results=1000)
QUICK = Shape(splits=20, results=50)


def measure(report: Report, *, quick: bool) -> list[Row]:
    """Compare the lines in turns, and measure the memory."""
    shape = QUICK if quick else FULL
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "records.jsonl")
        report(f"writing {len(shape):,} records")
        write_shape(shape, path)
        work = {name: partial(run, "trace_work", name, str(path)) for name in _WORKS}
        rounds = 1 if quick else 3
        lines = in_turns(rounds, {name: work[name] for name in ("lines-ours", "lines-plain")}, report)
        peak = work["memory"]()["peak"]
    ours, plain = lines["lines-ours"], lines["lines-plain"]
    assert (ours["lines"], ours["bytes"]) == (plain["lines"], plain["bytes"])
    of = f"trace of {len(shape):,} records"
    return [
        within(f"{of}: index, walk, render (CPU)", ours["cpu_s"], plain["cpu_s"], at_most=0.67, show=seconds),
        Row(f"{of}: peak memory, records to object", gigabytes(peak), "", "", "< 1.50 GB", peak < 1.5e9),
    ]


_WORKS = ("lines-ours", "lines-plain", "memory")
