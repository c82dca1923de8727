"""Rows, bytes and files of an execution's writes, as counted by Spark, or else by the table's format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from spark_client.capturing.datasets.target import Target
from spark_client.capturing.datasets.targets import STATEMENTS, WRAPPERS
from spark_client.capturing.model import Execution, WriteStatistics
from spark_client.capturing.parts import module

# Command with a copy of all rows in the changed files.
_COPIES = "ReplaceData"
# Hudi's commands have Spark's counters, but never count.
_COUNT_NOTHING = STATEMENTS | {"InsertIntoHoodieTableCommand", "CreateHoodieTableAsSelectCommand"}


def count_writes(targets: Sequence[Target], execution: Execution) -> list[WriteStatistics]:
    """Count rows, bytes and files of each target; a command of `WRAPPERS` leaves the count to an inner execution."""
    written = [_written(metrics) for metrics in execution.metrics]
    if any(target.command in _COUNT_NOTHING for target in targets):
        written = []
    if len(targets) == 1 and len(written) < 2:
        return [_counted_alone(targets[0], written, execution)]
    if len(written) == len(targets):
        return written
    # Several targets: match the counts in order, if there are as many.
    counting = [target for target in targets if target.command not in WRAPPERS]
    if len(written) != len(counting):
        return [WriteStatistics()] * len(targets)
    counts = iter(written)
    return [WriteStatistics() if target.command in WRAPPERS else next(counts) for target in targets]


def _counted_alone(target: Target, metrics: Sequence[WriteStatistics], execution: Execution) -> WriteStatistics:
    if not metrics and target.output is not None and module("urls").is_database(target.output.id):
        return WriteStatistics(execution.task_outputs.rows)
    written = metrics[0] if metrics else WriteStatistics()
    committed = execution.commit.written if execution.commit else WriteStatistics()
    # Spark's rows of changed tables include copied and deleted rows.
    if target.rows is not None:
        written = replace(written, rows=None)
        committed = replace(committed, rows=None) if target.command == _COPIES else committed
    return written.otherwise(committed)


def _written(metrics: Mapping[str, int]) -> WriteStatistics:
    return WriteStatistics(metrics.get("numOutputRows"), metrics.get("numOutputBytes"), metrics.get("numFiles"))
