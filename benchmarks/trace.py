"""Traces of one large root: lines, the whole object, memory."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

from benchmarks.processes import Report, in_turns, run
from benchmarks.rows import Row, below, gigabytes, seconds, within
from benchmarks.shape import Shape, write_shape

FULL = Shape(splits=1000, results=1000)
QUICK = Shape(splits=20, results=50)


def measure(report: Report, *, quick: bool) -> list[Row]:
    """Make three comparisons, each in turns."""
    shape = QUICK if quick else FULL
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "records.jsonl")
        report(f"writing {len(shape):,} records")
        write_shape(shape, path)
        work = {name: partial(run, "trace_work", name, str(path)) for name in _WORKS}
        rounds = 1 if quick else 3
        lines = in_turns(rounds, {name: work[name] for name in ("lines-ours", "lines-plain")}, report)
        whole = in_turns(rounds, {name: work[name] for name in ("object-ours", "object-bytes")}, report)
        memory = in_turns(1, {name: work[name] for name in ("memory-ours", "memory-plain")}, report)
    ours, plain = lines["lines-ours"], lines["lines-plain"]
    assert (ours["lines"], ours["bytes"]) == (plain["lines"], plain["bytes"])
    of = f"trace of {len(shape):,} records"
    whole_ours, whole_bytes = whole["object-ours"], whole["object-bytes"]
    return [
        within(f"{of}: index, walk, render (CPU)", ours["cpu_s"], plain["cpu_s"], at_most=0.5, show=seconds),
        within(f"{of}: the whole object; gzip alone", whole_ours["s"], whole_bytes["s"], at_most=1.2, show=seconds),
        below(
            f"{of}: peak memory, records to object",
            memory["memory-ours"]["peak"],
            memory["memory-plain"]["peak"],
            limit=1.5e9,
            show=gigabytes,
        ),
    ]


_WORKS = ("lines-ours", "lines-plain", "object-ours", "object-bytes", "memory-ours", "memory-plain")
