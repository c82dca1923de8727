"""The guide's lines of a PySpark job, as they are written: where they send to is a file, and the bucket a folder."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

GUIDE = (Path(__file__).parents[2] / "docs" / "producers.md").read_text(encoding="utf-8")
CLEAN = "s3://clean/flights/"


def test_a_job_of_the_guides_lines_reports_its_write_its_file_and_its_rows_as_one_run(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    emitted, clean = tmp_path / "told.jsonl", tmp_path / "clean"
    monkeypatch.setenv("HEADWATER_FILE", str(emitted))
    section = GUIDE.partition("## From PySpark\n")[2].partition("\n## ")[0]
    capturing, sending, _ = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    job = {"spark": spark}

    exec(capturing.replace("capture(spark)", "captured = capture(spark)"), job)
    spark.sql("SELECT explode(array('UA1545', 'B6725')) AS flight_id").coalesce(1).write.parquet(str(clean))
    exec(sending.replace(f'parquet("{CLEAN}")', f"parquet({str(clean)!r})"), job)
    captured = job["captured"]
    captured.close()

    lines = [json.loads(line) for line in emitted.read_text(encoding="utf-8").splitlines()]
    requests = [line for line in lines if "requested_at" in line]
    events = [line for line in lines if "eventTime" in line]
    assert {request["run_id"] for request in requests} == {captured.run_id}
    assert sorted(request.get("action_taken", "CHECKED") for request in requests) == ["CHECKED", "CLEANED", "READ"]
    (rows,) = [request["records"] for request in requests if "records" in request]
    assert [(row["node_id"], row["action_taken"], row["storage_location"]) for row in rows] == [
        ("UA1545", "CHECKED", CLEAN),
        ("B6725", "CHECKED", CLEAN),
    ]
    assert [event["eventType"] for event in events] == ["START", "START", "COMPLETE", "COMPLETE"]
    assert [output["name"] for output in events[2]["outputs"]] == [str(clean)]
    assert events[-1]["run"]["facets"]["headwater_records"]["rootIds"] == ["flights"]
