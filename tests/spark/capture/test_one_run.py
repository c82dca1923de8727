"""Capture, requests and recorder of one job are of one run, so that a captured column leads to records.

What the service makes of it: tests/unit/queries/columns/test_origins_by_example.py.
"""

from __future__ import annotations

import json
from pathlib import Path

from pyspark.sql import SparkSession

from spark_client import FieldOperation, LineageClient, OperationRecorder, capture

JOB = {"namespace": "emissions", "name": "emissions"}


def test_all_that_a_job_reports_is_of_one_run(spark: SparkSession, datasets: Path, tmp_path: Path) -> None:
    emitted, out = tmp_path / "lineage.jsonl", tmp_path / "out"
    with LineageClient(file=emitted, strict=True) as client:
        captured = capture(spark, client=client, **JOB)
        client.record("flights", "flights", "READ", "s3://raw/flights")
        spark.read.parquet(f"{datasets}/flights").select("tailnum").write.parquet(str(out))

        def record(_: object) -> None:
            client.record("flights", "flights", "CHECKED", "s3://checked/flights")

        spark.range(0, 1, 1, 1).foreachPartition(record)
        with OperationRecorder(client, strict=True) as recorder:
            recorder.record(
                ("s3://flights", "by hand"), [FieldOperation("read").reads(("file", str(out))).outputs("tailnum")]
            )
        captured.close()

    sent = [json.loads(line) for line in emitted.read_text("utf-8").splitlines()]
    requests = [body for body in sent if "root_id" in body]
    events = [body for body in sent if "eventTime" in body]
    assert [(request["action_taken"], request["run_id"]) for request in requests] == [
        ("READ", captured.run_id),
        ("CHECKED", captured.run_id),
    ]
    assert {event["run"]["runId"] for event in events if event["job"] == events[0]["job"]} == {captured.run_id}
    assert recorder.run_id == captured.run_id

    (write,) = [event for event in events if event["eventType"] == "COMPLETE" and event["outputs"]]
    assert write["job"]["name"] == f"emissions.{tmp_path.name}_out"
    assert write["run"]["facets"]["parent"]["run"] == {"runId": captured.run_id}
    assert (events[-1]["eventType"], events[-1]["run"]["facets"]["headwater_records"]["rootIds"]) == (
        "COMPLETE",
        ["flights"],
    )
