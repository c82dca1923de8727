"""Items of the queue in the JVM: executions, moments of streams and ends, as `Executions.java` renders them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from spark_client.capturing.model import (
    Commit,
    Ended,
    Execution,
    Failure,
    InputStatistics,
    Over,
    RowIds,
    Scan,
    StreamEnd,
    StreamPlan,
    StreamProgress,
    StreamStart,
    WriteStatistics,
)
from spark_client.capturing.plans.plan import parse_plan

# Item of the queue in the JVM.
Item: TypeAlias = "Execution | Unread | Lost | Over | Ended | StreamStart[StreamPlan] | StreamProgress | StreamEnd"


@dataclass(frozen=True, slots=True)
class Unread:
    """Execution lost to a fault of reading, with the reason."""

    id: int
    reason: str


@dataclass(frozen=True, slots=True)
class Lost:
    """Part in Java without support in this Spark, and the reason; without `LISTENER` nothing more is read."""

    part: str
    reason: str


def parse_item(text: str) -> Item:
    """Parse the result of a call of `Executions.java`: `{"over": 7}` is `Over(7)`."""
    document = json.loads(text)
    if "stream" in document:
        return _parse_moment(document)
    if "at_ms" in document:
        return Ended(document["at_ms"], document.get("shutdown") is True)
    if "over" in document:
        return Over(document["over"])
    if "lost" in document:
        return Lost(document["lost"], document["reason"])
    if "unread" in document:
        return Unread(document["id"], document["unread"])
    # No other member named the kind: the document is an execution.
    plan, failure = document["plan"], document.get("failure")
    return Execution(
        id=document["id"],
        root_id=document["root_id"],
        action=document["action"],
        started_ms=document["started_ms"],
        ended_ms=document["ended_ms"],
        tier=document["tier"],
        plan=parse_plan(plan["kinds"], plan["objects"], plan["types"]),
        metrics=document.get("metrics") or (),
        had_jobs=document["had_jobs"],
        failure=Failure(*failure) if failure else None,
        sql=document.get("sql"),
        dynamic_overwrite=document.get("dynamic") is True,
        stream=document.get("of_stream"),
        read_versions=document.get("versions") or {},
        commit=_parse_commit(document.get("commit")),
        is_read=document.get("read") is True,
        last_rdd=_text(document.get("rdd")),
        task_outputs=WriteStatistics(*document.get("written", ())),
        scans=tuple(map(_parse_scan, document.get("scans", ()))),
        session=document.get("session", ""),
    )


def _parse_scan(document: Mapping[str, Any]) -> Scan:
    rows, size_bytes, files = (count if count >= 0 else None for count in document["counts"])
    read = InputStatistics(rows, size_bytes, files, tuple(document.get("folders", ())))
    return Scan(tuple(document["paths"]), read, tuple(document.get("columns", ())))


def _parse_commit(document: dict[str, Any] | None) -> Commit | None:
    """Parse a commit: Delta's by its own entry, Iceberg's by the summary of the snapshot."""
    if document is None:
        return None
    entry = (document.get("entry") or {}).get("commitInfo")
    return Commit(
        _text(document.get("version")),
        _parse_summary(document.get("summary") or {}) if entry is None else _parse_entry(entry),
        _text((entry or {}).get("readVersion")),
        document.get("location"),
        document.get("branch"),
        RowIds(*document["rows"]) if document.get("rows") else None,
    )


def _text(number: object) -> str | None:
    return None if number is None else str(number)


def _parse_summary(summary: Mapping[str, int | None]) -> WriteStatistics:
    """Count the rows, bytes and files of an Iceberg snapshot; files of deletes were written, too."""
    files = [summary.get("added-data-files"), summary.get("added-delete-files")]
    known = [count for count in files if count is not None]
    return WriteStatistics(summary.get("added-records"), summary.get("added-files-size"), sum(known) if known else None)


def _parse_entry(entry: Mapping[str, Any]) -> WriteStatistics:
    """Count the rows, bytes and files of a Delta commit: `{"operationMetrics": {"numFiles": "2"}}`.

    A MERGE or UPDATE counts inserted and changed rows, not copied rows; a DELETE writes none.
    """
    metrics = {name: int(text) for name, text in (entry.get("operationMetrics") or {}).items() if text.isdigit()}
    rows = {
        "MERGE": ("numTargetRowsInserted", "numTargetRowsUpdated"),
        "UPDATE": ("numUpdatedRows",),
        "DELETE": (),
    }.get(entry.get("operation", ""), ("numOutputRows",))
    known = [metrics[name] for name in rows if name in metrics]
    names = (
        ("numOutputBytes", "numTargetBytesAdded", "numAddedBytes"),
        ("numFiles", "numTargetFilesAdded", "numAddedFiles"),
    )
    size_bytes, files = (next((metrics[name] for name in each if name in metrics), None) for each in names)
    return WriteStatistics(sum(known) if known else None, size_bytes, files)


def _parse_moment(document: dict[str, Any]) -> StreamStart[StreamPlan] | StreamProgress | StreamEnd:
    run_id, at_ms, plan = document["stream"], document["moment_ms"], document.get("plan")
    if plan is not None:
        tree = parse_plan(plan["kinds"], plan["objects"], plan["types"])
        stream = StreamPlan(document["tier"], tree, document["options"] or {}, document.get("session", ""))
        return StreamStart(run_id, at_ms, stream)
    counts = (count if count >= 0 else None for count in document["written"])
    written, commit = WriteStatistics(*counts), _parse_commit(document.get("commit"))
    progress = StreamProgress(run_id, at_ms, document["batches"], written, document.get("versions") or {}, commit)
    stack = document.get("failure")
    # Python's own traceback is a part of the message; Java's stack follows it.
    failure = Failure(stack.split("\n\tat ", 1)[0].strip(), stack) if stack else None
    return StreamEnd(progress, failure) if document["what"] == "end" else progress
