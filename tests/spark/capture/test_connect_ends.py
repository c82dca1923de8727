"""However a program on Spark Connect ends, all its writes and its end are emitted; each is its own process."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.spark.capture.test_ends import CAPTURE, WRITES, all_states, run, states

_SESSION = """
import sys
from pyspark.sql import SparkSession

spark = SparkSession.builder.remote("{endpoint}").getOrCreate()
spark.conf.set("spark.openlineage.appName", "nightly_emissions")
"""


@pytest.mark.parametrize(
    ("end", "status", "ended", "message"),
    [
        ("", 0, "COMPLETE", None),
        pytest.param("spark.stop()", 0, "COMPLETE", None, marks=pytest.mark.slow),
        pytest.param("raise ValueError('no input')", 1, "FAIL", "ValueError: no input", marks=pytest.mark.slow),
    ],
    ids=["last line", "stop", "exception"],
)
def test_all_is_emitted_at_the_end(
    endpoint: str, end: str, status: int, ended: str, message: str | None, tmp_path: Path
) -> None:
    returned, errors, events = run(_SESSION.format(endpoint=endpoint) + CAPTURE + WRITES + end, tmp_path)
    assert returned == status, errors
    assert states(events) == all_states(tmp_path, ended)
    last = events[-1]["run"]["facets"]
    assert last.get("errorMessage", {}).get("message") == message
    assert last["headwater_capture"]["counts"]["writes"] == 3
    assert "capture:" not in errors


def test_a_program_without_a_line_of_capture_is_captured_by_configuration(endpoint: str, tmp_path: Path) -> None:
    script = _SESSION.format(endpoint=endpoint).partition("spark.conf")[0] + WRITES
    returned, errors, events = run(script, tmp_path, "-m", "spark_client.run_captured")
    assert returned == 0, errors
    assert [event["eventType"] for event in events] == ["START", *["START", "COMPLETE"] * 3, "COMPLETE"]
