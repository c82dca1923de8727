"""The cost of tracing a root: `python -m benchmarks.trace_work WORK FILE` (see `WORKS` and `shape.py`)."""

from __future__ import annotations

import hashlib
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import orjson

from benchmarks.processes import Figures, Stopwatch, peak_bytes, print_figures
from benchmarks.shape import ROOT_ID, read_shape
from headwater.records.archive import compress_lines
from headwater.records.lines import COMPACTION_ACTION, Compaction, render_lines
from headwater.records.record import LineageRecord
from headwater.records.root_records import RootRecords

COMPACTION = Compaction(
    "nightly-2026-11-20", 1_763_684_000, "s3://carbonlake-archive/traces/year=2026/month=11/day=20/"
)
_CHUNK_BYTES = 256 * 1024


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


def measure_lines(lines: Lines) -> Callable[[Path], Figures]:
    """Build the measurement of rendering a list of records to lines, which are dropped."""

    def measure(path: Path) -> Figures:
        records = list(read_shape(path))
        watch = Stopwatch()
        size = sum(map(len, lines(records)))
        figures = watch.read()
        # Counting costs as much as a third of rendering, so a separate pass counts.
        return {**figures, "lines": sum(block.count(b"\n") for block in lines(records)), "bytes": size}

    return measure


def measure_object(lines: Lines) -> Callable[[Path], Figures]:
    """Build the measurement of writing a list of records to the compressed object."""

    def measure(path: Path) -> Figures:
        records = list(read_shape(path))
        return _write(lambda: lines(records))

    return measure


def measure_bytes_alone(path: Path) -> Figures:
    """Measure gzip alone, at its default level: lines rendered before, hashed and written."""
    rendered = list(our_lines(read_shape(path)))
    with tempfile.TemporaryFile() as file:
        watch = Stopwatch()
        compressor, digest, size = zlib.compressobj(6, zlib.DEFLATED, 31), hashlib.sha256(), 0
        for compressed in (*map(compressor.compress, rendered), compressor.flush()):
            digest.update(compressed)
            size += file.write(compressed)
        return {**watch.read(), "size": size}


def measure_memory(lines: Lines) -> Callable[[Path], Figures]:
    """Build the measurement of peak memory from records, read one at a time, to the object."""

    def measure(path: Path) -> Figures:
        before = peak_bytes()
        figures = _write(lambda: lines(read_shape(path)))
        return {**figures, "before": before, "peak": peak_bytes()}

    return measure


def _write(lines: Callable[[], Iterable[bytes]]) -> Figures:
    with tempfile.TemporaryFile() as file:
        watch = Stopwatch()
        written = compress_lines(_chunks(lines()), file)
        return {**watch.read(), "size": written.size_bytes}


def _chunks(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Gather lines to chunks as large as ours: a call of the compressor for each line would cost more."""
    chunk: list[bytes] = []
    size = 0
    for block in blocks:
        chunk.append(block)
        size += len(block)
        if size >= _CHUNK_BYTES:
            yield b"".join(chunk) if len(chunk) > 1 else block
            chunk, size = [], 0
    yield b"".join(chunk)


WORKS: dict[str, Callable[[Path], Figures]] = {
    "lines-ours": measure_lines(our_lines),
    "lines-plain": measure_lines(plain_lines),
    "object-ours": measure_object(our_lines),
    "object-bytes": measure_bytes_alone,
    "memory-ours": measure_memory(our_lines),
    "memory-plain": measure_memory(plain_lines),
}


def main(arguments: Sequence[str]) -> None:
    """Print the figures of a work on a file of records."""
    work, path = arguments
    print_figures(**WORKS[work](Path(path)))


if __name__ == "__main__":
    main(sys.argv[1:])
