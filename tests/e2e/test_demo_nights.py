"""The demo's days and nights, as a stranger runs them: two days instead of three."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]


# Takes long: two days of the pipeline and two compactions, each with Spark, as a stranger runs them.
@pytest.mark.timeout(900)
@pytest.mark.slow
def test_what_expired_is_found_in_the_archive_which_is_verified_and_caught_when_tampered_with(tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    command = [sys.executable, "-m", "headwater", "demo", "--days-of-compaction", "2"]

    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=850, check=False
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.isascii()
    nights = [line.split("\t")[1:] for line in done.stdout.splitlines() if re.match(r"\d{4}-\d\d-\d\d\t", line)]
    # Sent, lines, objects, rows in Parquet; what has expired by a morning depends on the hour of the test.
    assert [night[:4] for night in nights] == [["1,676", "842", "1", "1,676"], ["1,874", "943", "1", "1,874"]]
    assert "A day later the table holds 0 records" in done.stdout
    _, _, story = done.stdout.partition("A record that has expired from the table")
    verdicts = re.findall(r"^(all of it is as it was sealed|found: .*)$", story, re.MULTILINE)
    assert verdicts == ["all of it is as it was sealed", "found: 1 CHANGED", "all of it is as it was sealed"]
