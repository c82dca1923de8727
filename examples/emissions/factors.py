"""A step without a Spark plan: a figure computed and written by Python, and recorded by hand."""

from __future__ import annotations

import json
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from examples.emissions.fuel import AIRLINER_SEATS_MIN
from spark_client import FieldOperation, LineageClient, OperationRecorder

SCHEMA = "average_seats INT"


def write_factors(planes: DataFrame, file: Path) -> None:
    """Write the factors for unregistered planes: the average seats of registered airliners.

    Raises:
        ValueError: there is no airliner.
    """
    row = planes.where(sf.col("seats") >= AIRLINER_SEATS_MIN).agg(sf.avg("seats")).first()
    if row is None or row[0] is None:
        raise ValueError("no airliner in the table of planes")
    file.write_text(json.dumps({"average_seats": round(row[0])}) + "\n", encoding="utf-8")


def record_factors(lineage: LineageClient, planes: Path, file: Path) -> None:
    """Record the operations that made the file, as part of the captured run."""
    with OperationRecorder(lineage) as recorder:
        recorder.record(
            ("file", str(file)),
            [
                FieldOperation("read planes").reads(("file", str(planes))).outputs("seats"),
                FieldOperation("average").describe("of airliners").inputs("seats").outputs(average_seats="int"),
            ],
            fields=["average_seats"],
        )
