"""The demo's records as they lie in the table and in the archive: counted at each step, and as traces.

The demo loses nothing if the counts of sent, loaded and archived records are equal. Traces are read from a copy of the
archive.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import boto3
from rich.text import Text
from rich.tree import Tree

from headwater import settings
from headwater.records.lines import COMPACTION_ACTION

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

    from local_stack.stack import LocalStack


class Step(TypedDict):
    """A step of a trace line."""

    node_id: str
    parent_id: str
    action_taken: str
    recordedAt: int
    storage_location: str


class Trace(TypedDict):
    """A line of the archive: the steps from a root to a leaf, and the compaction step."""

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
    """Find the first trace with a leaf by `action`."""
    return next((trace for trace in traces if trace["lineage"][-2]["action_taken"] == action), None)


def tree_of(trace: Trace) -> Tree:
    """Draw the trace from its root down, each step with its time (UTC) and its storage location."""
    tree = branch = Tree(Text(trace["root_id"], "bold"), guide_style="dim")
    for step in trace["lineage"]:
        at = datetime.fromtimestamp(step["recordedAt"], timezone.utc)
        label = Text.assemble((step["action_taken"], "cyan"), " ", (step["node_id"], "bold"), overflow="fold")
        branch = branch.add(label.append(f"\n{at:%Y-%m-%d %H:%M:%S}  {step['storage_location']}", "dim"))
    return tree


@dataclass(frozen=True)
class Reconciliation:
    """The records by action at three steps: sent by the pipeline, loaded into the table, archived."""

    sent: Counter[str]
    loaded: Counter[str]
    archived: Counter[str]
    undelivered: int
    dead: int

    @property
    def balanced(self) -> bool:
        """True if no record was lost or added."""
        return self.sent == self.loaded == self.archived and not self.undelivered and not self.dead


def count_loaded(stack: LocalStack) -> Counter[str]:
    """Count the records of the records table by action."""
    dynamodb = boto3.client("dynamodb", **stack.client_settings)
    pages = dynamodb.get_paginator("scan").paginate(
        TableName=stack.outputs["RecordsTableName"], ProjectionExpression=settings.ACTION_TAKEN, ConsistentRead=True
    )
    return Counter(item[settings.ACTION_TAKEN]["S"] for page in pages for item in page["Items"])


def count_dead(stack: LocalStack) -> int:
    """Count the messages of all dead-letter queues."""
    sqs = boto3.client("sqs", **stack.client_settings)
    dead = 0
    for name in ("RecordsDeadLettersUrl", "EventsDeadLettersUrl", "ChangesDeadLettersUrl", "TraceDeadLettersUrl"):
        queue = sqs.get_queue_attributes(QueueUrl=stack.outputs[name], AttributeNames=["ApproximateNumberOfMessages"])
        dead += int(queue["Attributes"]["ApproximateNumberOfMessages"])
    return dead
