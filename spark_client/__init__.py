"""Client of PySpark jobs: lineage requests, events and operations on fields, over HTTP, by Lambda or into a file.

    from spark_client import LineageClient

    with LineageClient() as lineage:  # HEADWATER_URL, HEADWATER_FUNCTION or HEADWATER_FILE names the destination
        read = lineage.record("flights", "flights", "READ", "s3://raw/flights.csv")
        lineage.record("flights", read.node_id, "CHECKED", "s3://checked/flights.csv")

`OperationRecorder` records which fields a job made of which (docs/recorder.md); `capture(spark)` emits events for every
batch write of a Spark application; `emit_records` sends a record for each row; `archive` reads the archive's tables
(docs/archive.md). Importing the package loads the standard library alone. boto3 follows for a Lambda function or a
signature, the modules of the recorder and of the last three when they are first named.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from spark_client.client import LineageClient
from spark_client.current_run import JobRun
from spark_client.errors import LineageError, Misconfigured, Refused, Undelivered
from spark_client.record_requests import DeliveryCounts, Record, RecordedNode, RecordResult, RecordsResult, Step
from spark_client.transport.retry import RetryPolicy

if TYPE_CHECKING:
    from spark_client import archive
    from spark_client.capturing.session.running import Capture
    from spark_client.capturing.session.start import capture
    from spark_client.recorder.operations import FieldOperation
    from spark_client.recorder.recorder import LineageRecorder, OperationRecorder
    from spark_client.rows.columns import derived_node_id
    from spark_client.rows.emit import RowCounts, RowFault, emit_records

# Names whose modules are loaded when they are first used.
_LATER = {
    "Capture": "spark_client.capturing.session.running",
    "FieldOperation": "spark_client.recorder.operations",
    "LineageRecorder": "spark_client.recorder.recorder",
    "OperationRecorder": "spark_client.recorder.recorder",
    "RowFault": "spark_client.rows.emit",
    "RowCounts": "spark_client.rows.emit",
    "capture": "spark_client.capturing.session.start",
    "derived_node_id": "spark_client.rows.columns",
    "emit_records": "spark_client.rows.emit",
}

__all__ = [
    "Capture",
    "DeliveryCounts",
    "FieldOperation",
    "JobRun",
    "LineageClient",
    "LineageError",
    "LineageRecorder",
    "Misconfigured",
    "OperationRecorder",
    "Record",
    "RecordResult",
    "RecordedNode",
    "RecordsResult",
    "Refused",
    "RetryPolicy",
    "RowCounts",
    "RowFault",
    "Step",
    "Undelivered",
    "archive",
    "capture",
    "derived_node_id",
    "emit_records",
]


def __getattr__(name: str) -> Any:
    if name == "archive":
        return import_module("spark_client.archive")
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LATER[name]), name)
