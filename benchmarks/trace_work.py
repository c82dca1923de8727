"""The cost of tracing a root of a file of records (see `WORKS` and `shape.py`)."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import orjson

from benchmarks.processes import Figures, Stopwatch, peak_bytes
from benchmarks.shape import ROOT_ID, read_shape
from headwater.records.archive import compress_lines
from headwater.records.lines import COMPACTION_ACTION, Compaction, render_lines
from headwater.records.record import LineageRecord
from headwater.records.root_records import RootRecords

COMPACTION = Compaction(
    "nightly-2026-11-20", 1_763_684_000, "s3://carbonlake-archive/traces/year=2026/month=11/day=20/"
)


def our_lines(records: Iterable[LineageRecord]) -> Iterator[bytes]:
    """Render lines as the trace function does between reading the table and compressing."""
    findings = RootRecords(ROOT_ID, None)
    findings.add_all(records)
    return render_lines(findings.forest(), COMPACTION)


def plain_lines(records: Iterable[LineageRecord]) -> Iterator[bytes]:
    """Yield the same lines in a different order: a dict of all records, for each leaf a walk to the root and orjson."""
    by_id = {record.node_id: record for record in records}
    parents = {record.parent_id for record in by_id.values()}
    for leaf in by_id.values():
        if leaf.node_id not in parents:
            path = [_compaction_step(leaf)]
            node: LineageRecord | None = leaf
            while node is not None:
                path.append(_step(node))
                node = by_id.get(node.parent_id)
            line = {"record_id": leaf.node_id, "root_id": ROOT_ID, "lineage": path[::-1]}
            yield orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE)


def _step(record: LineageRecord) -> dict[str, object]:
    return {
        "node_id": record.node_id,
        "parent_id": record.parent_id,
        "action_taken": record.action_taken,
        "recordedAt": record.recorded_at,
        "storage_location": record.storage_location,
    }


def _compaction_step(leaf: LineageRecord) -> dict[str, object]:
    return {
        "node_id": COMPACTION.node_id,
        "parent_id": leaf.node_id,
        "action_taken": COMPACTION_ACTION,
        "recordedAt": COMPACTION.recorded_at,
        "storage_location": COMPACTION.storage_location,
    }


Lines = Callable[[Iterable[LineageRecord]], Iterator[bytes]]


def measure_lines(lines: Lines) -> Callable[[str], Figures]:
    """Build the measurement of rendering a list of records to lines, which are dropped."""

    def measure(path: str) -> Figures:
        records = list(read_shape(Path(path)))
        watch = Stopwatch()
        size = sum(map(len, lines(records)))
        figures = watch.read()
        # Counting costs as much as a third of rendering, so a separate pass counts.
        return {**figures, "lines": sum(block.count(b"\n") for block in lines(records)), "bytes": size}

    return measure


def measure_memory(path: str) -> Figures:
    """Measure the peak memory from records, read one at a time, to the object."""
    with tempfile.TemporaryFile() as file:
        compress_lines(our_lines(read_shape(Path(path))), file)
    return {"peak": peak_bytes()}


WORKS = {
    "lines-ours": measure_lines(our_lines),
    "lines-plain": measure_lines(plain_lines),
    "memory": measure_memory,
}
