"""However a job ends, all its writes and its end are emitted; each job is a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import until

# Each starts a JVM of its own; tests/unit/spark_client/capturing/test_shutdown.py has every end without a JVM.
slow = pytest.mark.slow
ROOT = Path(__file__).parents[3]
SESSION = """
import sys
from pyspark.sql import SparkSession

spark = (
    SparkSession.builder.master("local[1]").appName("nightly emissions")
    .config("spark.ui.enabled", "false").config("spark.log.level", "OFF")
    .config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1")
    .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
    .config("spark.headwater.capture.flushSeconds", "120")
    .getOrCreate()
)
"""
CAPTURE = "from spark_client import capture\ncapture(spark)\n"
# Spark is warm then, and writes before the classes of a capture are compiled.
WARM = 'spark.range(5).write.parquet(f"{sys.argv[1]}/before")\n'
WRITES = """
for number in range(3):
    spark.range(5).write.mode("append").parquet(f"{sys.argv[1]}/flights")
"""
TERMINATED = """
import os, signal, time
os.kill(os.getpid(), signal.SIGTERM)
time.sleep(60)
"""
EMITTED = "events.jsonl"
# A thread of ours may still be about to end.
ENDED_THREADS = """
for thread in threading.enumerate():
    if thread.name.startswith("headwater"):
        thread.join(60)
assert not [thread for thread in threading.enumerate() if thread.name.startswith("headwater")]
"""
JVM_TERMINATED = """
import os, signal, time
os.kill(os.getppid(), signal.SIGTERM)
until_s = time.monotonic() + 120
while on.state == "on" and time.monotonic() < until_s:
    time.sleep(0.1)
"""


def run(
    script: str, folder: Path, *before: str, program: str = sys.executable
) -> tuple[int, str, list[dict[str, Any]]]:
    """Run a job: its status, its stderr, and its sent events."""
    (folder / "job.py").write_text(script)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HEADWATER_FILE": str(folder / EMITTED)}
    done = subprocess.run(
        [program, *before, str(folder / "job.py"), str(folder)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    return done.returncode, done.stderr, events_in(folder)


def events_in(folder: Path) -> list[dict[str, Any]]:
    emitted = folder / EMITTED
    lines = emitted.read_text().splitlines() if emitted.exists() else []
    return [json.loads(line) for line in lines]


def states(events: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(event["job"]["name"].replace("nightly_emissions", "job"), event["eventType"]) for event in events]


def all_states(folder: Path, end: str) -> list[tuple[str, str]]:
    write = f"job.{folder.name}_flights"
    return [("job", "START"), *[(write, "START"), (write, "COMPLETE")] * 3, ("job", end)]


@pytest.mark.parametrize(
    ("end", "status", "ended", "message"),
    [
        pytest.param("", 0, "COMPLETE", None, id="last line", marks=slow),
        pytest.param("spark.stop()", 0, "COMPLETE", None, id="stop", marks=slow),
        pytest.param("raise ValueError('no input')", 1, "FAIL", "ValueError: no input", id="exception", marks=slow),
        pytest.param("sys.exit(3)", 3, "FAIL", "exit status 3", id="exit", marks=slow),
        pytest.param("spark.stop()\nsys.exit(3)", 3, "FAIL", "exit status 3", id="stop and exit", marks=slow),
        pytest.param(TERMINATED, -15, "ABORT", "terminated by SIGTERM", id="signal", marks=slow),
    ],
)
def test_all_is_emitted_at_the_end(end: str, status: int, ended: str, message: str | None, tmp_path: Path) -> None:
    returned, errors, events = run(SESSION + WARM + CAPTURE + WRITES + end, tmp_path)
    assert returned == status
    assert states(events) == all_states(tmp_path, ended)
    assert len({event["run"]["runId"] for event in events}) == 4
    last = events[-1]["run"]["facets"]
    assert last.get("errorMessage", {}).get("message") == message
    assert last["headwater_capture"]["counts"]["writes"] == 3
    assert "capture:" not in errors


def test_capture_goes_on_in_the_next_session_and_ends_with_the_last(tmp_path: Path) -> None:
    session = SESSION.replace("import sys", "import logging, sys, threading\nlogging.basicConfig(level=logging.INFO)")
    second = SESSION.replace("nightly emissions", "next emissions")
    end = "spark.stop()\nlast = capture(spark)\nlast.close()\nlast.flush()\n"
    returned, errors, events = run(
        f"{session}{CAPTURE}{WRITES}spark.stop()\n{second}{WRITES}{end}{ENDED_THREADS}", tmp_path
    )
    assert returned == 0, errors
    first = all_states(tmp_path, "COMPLETE")
    then = [(name.replace("job", "next_emissions", 1), state) for name, state in first]
    # The first application ends beside the second.
    assert sorted(states(events)) == sorted([*first, *then])
    assert len({event["run"]["runId"] for event in events}) == 8
    assert [line.partition("capture: ")[2] for line in errors.splitlines() if ":headwater.capture:" in line] == [
        f"events of {name} go to {tmp_path / EMITTED}" for name in ("nightly_emissions", "next_emissions")
    ]


@slow
def test_a_job_whose_jvm_is_killed_ends_as_it_would_have_and_its_end_is_emitted(tmp_path: Path) -> None:
    script = SESSION + "from spark_client import capture\non = capture(spark)\n" + WRITES
    script += "on.flush()\nimport os\nos.kill(spark.sparkContext._gateway.proc.pid, 9)\n"
    returned, errors, events = run(script, tmp_path)
    assert returned == 0
    assert states(events) == all_states(tmp_path, "COMPLETE")
    assert "capture: Spark cannot be reached" in errors


# Takes long: `spark-submit` is a process of its own.
@slow
def test_a_job_whose_jvm_came_first_and_is_terminated_is_aborted(tmp_path: Path) -> None:
    script = SESSION + "from spark_client import capture\non = capture(spark)\n" + WRITES + JVM_TERMINATED
    returned, _, _ = run(script, tmp_path, program=str(Path(sys.executable).with_name("spark-submit")))
    assert returned == 128 + signal.SIGTERM
    # `spark-submit` does not wait for Python.
    until(lambda: states(events_in(tmp_path)) == all_states(tmp_path, "ABORT"))
    assert events_in(tmp_path)[-1]["run"]["facets"]["errorMessage"]["message"] == "the driver's JVM was ended"


@slow
def test_a_job_without_a_line_of_capture_is_captured_by_configuration(tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("STATUS = 3")
    end = "import beside\nraise SystemExit(beside.STATUS)"
    returned, _, events = run(SESSION + WRITES + end, tmp_path, "-m", "spark_client.run_captured")
    assert returned == 3
    assert states(events) == all_states(tmp_path, "FAIL")
    assert events[-1]["run"]["facets"]["errorMessage"]["message"] == "exit status 3"


@slow
def test_names_tags_and_owners_are_those_of_the_configuration(tmp_path: Path) -> None:
    configured = {
        "spark.openlineage.job.tags": "nightly;team:flights",
        "spark.openlineage.run.tags": "backfill",
        "spark.openlineage.job.owners.team": "flights",
        "spark.headwater.capture.description": "emissions of each flight",
        "spark.openlineage.dataset.removePath.pattern": "remove",
        "spark.headwater.capture.datasetReplacements": r"^.*/(\w+)$ -> lake/\1",
        "spark.headwater.capture.datasetAliases": "file lake/flights -> s3://lake flights",
    }
    session = SESSION.replace(".getOrCreate()", f"\n    .config(map={configured!r}).getOrCreate()")

    returned, errors, events = run(session + CAPTURE + WRITES, tmp_path)

    application, written = events[0], events[-2]
    job, run_facets = application["job"]["facets"], application["run"]["facets"]
    assert returned == 0
    assert [(tag["key"], tag["value"]) for tag in job["tags"]["tags"]] == [("nightly", "true"), ("team", "flights")]
    assert job["ownership"]["owners"] == [{"name": "flights", "type": "team"}]
    assert job["documentation"]["description"] == "emissions of each flight"
    assert [tag["key"] for tag in run_facets["tags"]["tags"]] == ["backfill"]
    assert [(dataset["namespace"], dataset["name"]) for dataset in written["outputs"]] == [("s3://lake", "flights")]
    assert written["job"]["name"] == "nightly_emissions.flights"
    assert errors.count("spark.openlineage.dataset.removePath.pattern is 'remove': must be") == 1


# Takes long: a Spark process of its own waits for an absent transport.
@slow
def test_a_job_whose_lineage_goes_nowhere_ends_as_it_would_have(tmp_path: Path) -> None:
    script = "import os\nos.environ['HEADWATER_URL'] = os.environ.pop('HEADWATER_FILE') and 'http://127.0.0.1:9'\n"
    returned, errors, events = run(script + SESSION + CAPTURE + WRITES + "print(spark.range(3).count())", tmp_path)
    assert (returned, events) == (0, [])
    assert (tmp_path / "flights" / "_SUCCESS").exists()
    warnings = [line for line in errors.splitlines() if "not recorded" in line or "capture:" in line]
    assert len(warnings) <= 2
