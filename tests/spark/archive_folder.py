"""An archive in a folder, as written by traces and seals, and its expected compaction in plain Python."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headwater.records.archive import compress_lines, prefix_of
from headwater.records.archive_state import Seal
from headwater.records.digest import Head, key_of, render_digest
from headwater.records.forest import Forest
from headwater.records.lines import Compaction, render_lines
from headwater.records.pointers import ArchiveObject
from headwater.records.record import LineageRecord
from headwater_model.archive_tables import Manifest, attempt_prefix, published_key, render_manifest
from headwater_model.ids import sha256_hex

DAY, NEXT_DAY, THIRD_DAY = "2026-11-20", "2026-11-21", "2026-11-22"
_SEALED_AT = 1_763_684_000


@dataclass
class ArchiveFolder:
    """`traced` has each day's objects in the order of their traces, with the records of each."""

    folder: Path
    traced: dict[str, list[tuple[str, ArchiveObject, Sequence[LineageRecord]]]] = field(default_factory=dict)

    def trace(self, day: str, *records: LineageRecord) -> ArchiveObject:
        """Archive all of a root's records, also the records of its last object."""
        root_id = records[0].root_id
        last = self._last(root_id)
        version = last[1].version + 1 if last else 1
        compaction = Compaction(f"nightly-{day}-{version}", _SEALED_AT, f"s3://archive/{prefix_of(day)}")
        file = io.BytesIO()
        written = compress_lines(render_lines(Forest(root_id, records), compaction), file)
        key = f"{prefix_of(day)}{sha256_hex(root_id)}.{written.sha256}.jsonl.gz"
        base = None if last is None else last[1].key if last[0] < day else last[1].base
        trace_object = ArchiveObject(
            key, written.sha256, written.size_bytes, len(records), written.lines, version, base
        )
        self.put(key, file.getvalue())
        self.traced.setdefault(day, []).append((day, trace_object, records))
        return trace_object

    def _last(self, root_id: str) -> tuple[str, ArchiveObject] | None:
        traced = [
            (day, trace_object)
            for objects in self.traced.values()
            for day, trace_object, records in objects
            if records[0].root_id == root_id
        ]
        return max(traced, key=lambda last: last[1].version, default=None)

    def seal(self, day: str) -> None:
        """Write the day's digest."""
        objects = sorted(
            (trace_object for _, trace_object, _ in self.traced.get(day, [])), key=lambda trace_object: trace_object.key
        )
        file = io.BytesIO()
        compress_lines(render_digest(Head(day, Seal("nightly", _SEALED_AT), None), objects, ["s3://missing"]), file)
        self.put(key_of(day), file.getvalue())

    def publish(self, manifest: Manifest) -> None:
        """Publish an attempt."""
        self.put(published_key(manifest.day), render_manifest(manifest))

    def put(self, key: str, body: bytes) -> None:
        """Write an object, as S3 does: nothing else is left beside it."""
        path = self.folder / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
        path.write_bytes(body)

    def files(self, table: str, day: str, attempt: str) -> list[Path]:
        """List the Parquet files of an attempt."""
        return sorted((self.folder / attempt_prefix(table, day, attempt)).glob("*.parquet"))

    def newest(self, day: str) -> dict[str, tuple[ArchiveObject, Sequence[LineageRecord]]]:
        """By root: the last object of the day, with its records."""
        return {records[0].root_id: (trace_object, records) for _, trace_object, records in self.traced.get(day, [])}

    def expected_records(self, day: str) -> list[dict[str, Any]]:
        """List the rows of `records`: the records of each root new on the day."""
        rows = []
        for root_id, (_, records) in self.newest(day).items():
            before = {
                record.node_id
                for earlier in self.traced
                if earlier < day and root_id in self.newest(earlier)
                for record in self.newest(earlier)[root_id][1]
            }
            rows += [record_row(record) for record in records if record.node_id not in before]
        return sorted(rows, key=lambda row: (row["root_id"].encode(), row["node_id"].encode()))

    def expected_traces(self, day: str) -> list[dict[str, Any]]:
        """Parse the rows of `traces`: the lines of each root's last object of the day."""
        rows = []
        for trace_object, _ in self.newest(day).values():
            lines = gzip.decompress((self.folder / trace_object.key).read_bytes()).splitlines()
            rows += [_trace_row(json.loads(line)) for line in lines]
        return sorted(rows, key=lambda row: (row["root_id"].encode(), row["record_id"].encode()))


def record_row(record: LineageRecord) -> dict[str, Any]:
    """Make a row of `records`."""
    return {
        "root_id": record.root_id,
        "node_id": record.node_id,
        "parent_id": record.parent_id,
        "action_taken": record.action_taken,
        "storage_location": record.storage_location,
        "recorded_at": record.recorded_at,
        "run_id": record.run_id,
        "metadata": dict(record.metadata) or None,
    }


def _trace_row(line: dict[str, Any]) -> dict[str, Any]:
    return {
        "root_id": line["root_id"],
        "record_id": line["record_id"],
        "complete": line.get("complete", True),
        "missing": line.get("missing"),
        "cycle": line.get("cycle"),
        "lineage": [
            {
                "node_id": step["node_id"],
                "parent_id": step["parent_id"],
                "action_taken": step["action_taken"],
                "recorded_at": step["recordedAt"],
                "storage_location": step["storage_location"],
                "run_id": step.get("run_id"),
                "metadata": step.get("metadata"),
            }
            for step in line["lineage"]
        ],
    }


def rows_of(rows: Iterable[Any]) -> list[dict[str, Any]]:
    """Rows of Spark as plain dictionaries, structs too."""
    return [row.asDict(recursive=True) for row in rows]
