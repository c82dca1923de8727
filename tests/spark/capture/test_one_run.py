"""Capture, requests and recorder of one job are of one run, so that a captured column leads to records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from lineage.fields.questions import FieldQuestions
from lineage.runs.apply import apply
from lineage.runs.door.parse import parse_event
from lineage.runs.door.rules import NameRules
from spark_client import FieldOperation, LineageClient, LineageRecorder, capture
from tests.memory_table import MemoryTable

JOB = {"namespace": "emissions", "name": "emissions"}


def test_a_captured_column_leads_to_the_records_of_its_job(spark: SparkSession, datasets: Path, tmp_path: Path) -> None:
    told, out = tmp_path / "lineage.jsonl", tmp_path / "out"
    with LineageClient(file=told, strict=True) as client:
        captured = capture(spark, client=client, **JOB)
        client.record("flights", "flights", "READ", "s3://raw/flights")
        spark.read.parquet(f"{datasets}/flights").select("tailnum").write.parquet(str(out))

        def record(_: object) -> None:
            client.record("flights", "flights", "CHECKED", "s3://checked/flights")

        spark.range(0, 1, 1, 1).foreachPartition(record)
        with LineageRecorder(client, strict=True) as recorder:
            recorder.record(
                ("s3://flights", "by hand"), [FieldOperation("read").reads(("file", str(out))).outputs("tailnum")]
            )
        captured.close()

    sent = [json.loads(line) for line in told.read_text("utf-8").splitlines()]
    requests = [one for one in sent if "root_id" in one]
    events = [one for one in sent if "eventTime" in one]
    assert [(one["action_taken"], one["run_id"]) for one in requests] == [
        ("READ", captured.run_id),
        ("CHECKED", captured.run_id),
    ]
    assert {one["run"]["runId"] for one in events if one["job"] == events[0]["job"]} == {captured.run_id}
    assert recorder.run_id == captured.run_id

    (origin,) = _questions(events).find_origins(f"datasetField:file:{out}:tailnum").versions
    assert origin.run is not None
    assert origin.run.job.name == f"emissions.{tmp_path.name}_out"
    assert (origin.roots, origin.reported_by) == (("flights",), captured.run_id)


def _questions(events: list[dict[str, Any]]) -> FieldQuestions:
    table = MemoryTable()
    apply([parse_event(event, NameRules(), now=None) for event in events], table)
    return FieldQuestions(table)
