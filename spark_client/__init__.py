"""The client of a PySpark job: lineage requests, events and operations on fields, by HTTP, Lambda or to a file.

    from spark_client import LineageClient

    with LineageClient() as lineage:  # HEADWATER_URL, HEADWATER_FUNCTION or HEADWATER_FILE says where to
        read = lineage.record("flights", "flights", "READ", "s3://raw/flights.csv")
        lineage.record("flights", read.node_id, "CHECKED", "s3://checked/flights.csv")

`LineageRecorder` records which fields a job made of which (docs/recorder.md). Importing it all loads the standard
library alone; boto3 follows when a Lambda function or a signature is asked for.
"""

from __future__ import annotations

from spark_client.client import LineageClient
from spark_client.errors import LineageError, Misconfigured, Refused, Undelivered
from spark_client.recorder import LineageRecorder
from spark_client.recorder_operations import FieldOperation
from spark_client.requests import Answer, BatchAnswer, Record, Recorded, Step, Tally
from spark_client.retry import Patience

__all__ = [
    "Answer",
    "BatchAnswer",
    "FieldOperation",
    "LineageClient",
    "LineageError",
    "LineageRecorder",
    "Misconfigured",
    "Patience",
    "Record",
    "Recorded",
    "Refused",
    "Step",
    "Tally",
    "Undelivered",
]
