"""The traces of an archive, read from a copy of it, and a trace as a tree of text."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from rich.text import Text
from rich.tree import Tree

from headwater.records.lines import COMPACTION_ACTION

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


class Step(TypedDict):
    """A step of a trace line."""

    node_id: str
    parent_id: str
    action_taken: str
    recordedAt: int
    storage_location: str


class Trace(TypedDict):
    """A line of the archive: the steps from a root to a leaf, and the compaction that wrote them."""

    record_id: str
    root_id: str
    lineage: list[Step]


def copy_archive(s3: S3Client, bucket: str, folder: Path) -> int:
    """Copy every object of the archive into a folder, under its own key; return how many there are."""
    copied = 0
    for page in s3.get_paginator("list_objects_v2").paginate(Bucket=bucket):
        for item in page.get("Contents", []):
            target = folder / item["Key"]
            target.parent.mkdir(parents=True, exist_ok=True)
            s3.download_file(bucket, item["Key"], str(target))
            copied += 1
    return copied


def read_traces(folder: Path) -> Iterator[Trace]:
    """Yield every trace of a copied archive, in the order of its keys."""
    for file in sorted(folder.glob("traces/**/*.jsonl.gz")):
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            for line in lines:
                trace: Trace = json.loads(line)
                yield trace


@dataclass(frozen=True)
class Archived:
    """The counts of an archive: lines, and distinct records by action."""

    traces: int
    by_action: Counter[str]


def count_records(traces: Iterator[Trace]) -> Archived:
    """Count lines, and each record once, however many leaves lie below it."""
    seen: dict[tuple[str, str], str] = {}
    lines = 0
    for trace in traces:
        lines += 1
        for step in trace["lineage"]:
            if step["action_taken"] != COMPACTION_ACTION:
                seen[trace["root_id"], step["node_id"]] = step["action_taken"]
    return Archived(lines, Counter(seen.values()))


def find_trace(traces: Iterator[Trace], action: str) -> Trace | None:
    """Return the first trace with a leaf that `action` made."""
    return next((trace for trace in traces if trace["lineage"][-2]["action_taken"] == action), None)


def tree_of(trace: Trace) -> Tree:
    """Return the trace from its root down, each step with its time (UTC) and its storage location."""
    tree = branch = Tree(Text(trace["root_id"], "bold"), guide_style="dim")
    for step in trace["lineage"]:
        branch = branch.add(_label(step))
    return tree


def _label(step: Step) -> Text:
    at = datetime.fromtimestamp(step["recordedAt"], timezone.utc)
    label = Text.assemble((step["action_taken"], "cyan"), " ", (step["node_id"], "bold"), overflow="fold")
    return label.append(f"\n{at:%Y-%m-%d %H:%M:%S}  {step['storage_location']}", "dim")
