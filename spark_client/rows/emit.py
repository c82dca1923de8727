"""Lineage records for the rows of a DataFrame, sent from the executors: packed, counted, and never failing the job."""

from __future__ import annotations

import logging
import os
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from headwater_model.errors import print_value
from headwater_model.record_requests import SHORT_ID_MAX
from spark_client.client import LineageClient
from spark_client.current_run import current_run_id, report_root
from spark_client.record_requests import SECONDS, text_option, whole_number
from spark_client.redaction import redact
from spark_client.rows.columns import RowFields, select_lines, select_records
from spark_client.rows.delivery import EXAMPLES_MAX, FAILED, REFUSED, RESULT, ROOT, SENT, TaskConfig, deliver_rows
from spark_client.transport.retry import Clock, RetryPolicy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa
    from pyspark.sql import Column, DataFrame, Row

QUEUE_VARIABLE = "HEADWATER_QUEUE_URL"
_WARNED_REASONS = 3
_ERROR_CHARS = 300

_log = logging.getLogger("headwater.client")


@dataclass(frozen=True)
class RowFault:
    """Reason why rows were not recorded, their number, and the ids of a few of them as JSON."""

    reason: str
    rows: int
    examples: tuple[str, ...] = ()


@dataclass(frozen=True)
class RowCounts:
    """Numbers of the rows of a call by outcome.

    Attributes:
        sent: accepted by the queue or the service. Each row counts once, even if a second run of its task sent the same
            record again.
        failed: not accepted for lack of a network, a right or time.
        refused: breaking a rule of records (docs/emit_records.md), found here or by the service.
        faults: the reasons of failed and refused rows, most rows first.
        error: why the rows could not be read or the job not be run, else None; nothing is counted then.
    """

    sent: int = 0
    failed: int = 0
    refused: int = 0
    faults: tuple[RowFault, ...] = ()
    error: str | None = None

    @property
    def complete(self) -> bool:
        """True if every row was recorded."""
        return not (self.failed or self.refused or self.error)


def emit_records(
    df: DataFrame,
    *,
    root_id: str | Column,
    parent_id: str | Column,
    action: str | Column,
    storage_location: str | Column,
    node_id: str | Column | None = None,
    key: str | Column | None = None,
    client: LineageClient | None = None,
    queue_url: str | None = None,
    run_id: str | None = None,
    requested_at: int | None = None,
    retry: RetryPolicy | None = None,
) -> RowCounts:
    """Record a step for each row: `action` on `parent_id` made the row, stored at `storage_location`.

    A string names a column, and a constant is `sf.lit("flights")`; but a string as `action` is the action itself. The
    node's id is `node_id`, or else derived from root, parent, action and `key` (see `derived_node_id`). The `key`
    distinguishes the rows of a step. All must be the same however often a row is computed: each try of a task computes
    `df` again, so persist it, or read the written rows back.

    Records go to the packed queue at `queue_url`, or as requests by `client`; with neither, to HEADWATER_QUEUE_URL, or
    as a new LineageClient would send them. `run_id` defaults to the current run's, and `requested_at` (whole seconds
    since 1970) to now.

    Rows against a rule, or not sent within `retry`, are counted and named in a single warning; the job goes on.

    Raises:
        TypeError: an argument has another type; the message names it.
        ValueError: the call itself is wrong: no such column, neither `node_id` nor `key`, a run id too long.
        AnalysisException: Spark's, for an ambiguous column or an invalid expression.
    """
    if not isinstance(client, (LineageClient, type(None))):
        raise TypeError(f"client: must be a LineageClient, got {print_value(client)}")
    queue_url = text_option("queue_url", queue_url)
    clock = client.clock if client else Clock()
    at = int(clock.now()) if requested_at is None else whole_number("requested_at", requested_at, SECONDS)
    shared = _shared(at, text_option("run_id", run_id) or current_run_id())
    records = select_records(df, RowFields(root_id, parent_id, action, storage_location, node_id, key))
    result = _send(records, _task_config(client, queue_url, shared, retry))
    if not result.complete:
        _warn(result)
    return result


def _shared(at: int, run_id: str | None) -> dict[str, object]:
    if at < 0:
        raise ValueError(f"requested_at: {SECONDS}, got {at!r}")
    if run_id is None:
        return {"requested_at": at}
    if not 0 < len(run_id.encode()) <= SHORT_ID_MAX:
        raise ValueError(f"run_id: must be 1 to {SHORT_ID_MAX} bytes of UTF-8, got {run_id!r}")
    return {"requested_at": at, "run_id": run_id}


def _task_config(
    client: LineageClient | None, queue_url: str | None, shared: dict[str, object], policy: RetryPolicy | None
) -> TaskConfig:
    if client is not None and queue_url is not None:
        raise ValueError("client, queue_url: give one of them")
    if client is None:
        queue_url = queue_url or os.environ.get(QUEUE_VARIABLE)
    if queue_url:
        return TaskConfig(queue_url, None, shared, policy or RetryPolicy())
    client = client or LineageClient()
    return TaskConfig(None, client.destination, shared, policy or client.retry)


def _send(records: DataFrame, config: TaskConfig) -> RowCounts:
    """Run the job. Whatever ends it is returned, not raised: the described job goes on."""
    if config.queue_url is None and config.destination is None:
        return RowCounts(error="nowhere to send lineage to")
    in_line = {"recordedAt" if name == "requested_at" else name: value for name, value in config.shared.items()}
    to_queue = config.queue_url is not None
    lines = select_lines(records, in_line if to_queue else {}, nodes=not to_queue)

    def deliver(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return deliver_rows(batches, config)

    try:
        _warn_if_unstable(records)
        rows = lines.mapInArrow(deliver, RESULT).collect()
    except Exception as error:  # noqa: BLE001 - a job at its end must not fail for want of lineage
        return RowCounts(error=f"{type(error).__name__}: {_message(error)}")
    run_id = config.shared.get("run_id")
    for row in rows:
        if row.outcome == ROOT and isinstance(run_id, str):
            report_root(row.reason, run_id)
    return _count(row for row in rows if row.outcome != ROOT)


def _message(error: Exception) -> str:
    """Get the error's message in a single line, without stack frames; the workers' own error follows them."""
    lines = str(error).splitlines()
    messages = [line for line in lines if line[:1].strip()] or lines
    return " ".join(" ".join(messages).split())[:_ERROR_CHARS]


def _warn_if_unstable(records: DataFrame) -> None:
    """Warn of ids that change when a task runs again: they would make second nodes."""
    plan = getattr(records, "_jdf", None)  # Spark Connect has none
    if plan is not None and not plan.queryExecution().optimizedPlan().deterministic():
        _log.warning("rows with uuid(), rand() or the like may be recorded twice: write or persist them first")


def _count(rows: Iterable[Row]) -> RowCounts:
    """Sum the results of all tasks."""
    of_outcome: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    examples: dict[str, list[str]] = {}
    for outcome, reason, number, few in rows:
        of_outcome[outcome] += number
        if outcome != SENT:
            reasons[reason] += number
            examples.setdefault(reason, []).extend(few)
    faults = (RowFault(reason, rows, tuple(examples[reason][:EXAMPLES_MAX])) for reason, rows in reasons.most_common())
    return RowCounts(of_outcome[SENT], of_outcome[FAILED], of_outcome[REFUSED], tuple(faults))


def _warn(result: RowCounts) -> None:
    if result.error is not None:
        _log.warning("rows not recorded: %s", redact(result.error))
        return
    reasons = "; ".join(f"{fault.rows} rows: {fault.reason}" for fault in result.faults[:_WARNED_REASONS])
    _log.warning("%d rows not recorded, %d recorded: %s", result.failed + result.refused, result.sent, redact(reasons))
