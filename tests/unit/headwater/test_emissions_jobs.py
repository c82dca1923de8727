"""How the emissions pipeline of the demo tells of its jobs, without the Spark that does their work."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from examples.emissions.jobs import job_run
from spark_client import LineageClient, Patience


def events_of(file: Path) -> list[tuple[str, str]]:
    events = [json.loads(line) for line in file.read_text().splitlines()]
    return [(event["job"]["name"], event["eventType"]) for event in events]


@pytest.mark.parametrize("error", [ValueError("no flights"), KeyboardInterrupt("no flights")])
def test_a_job_that_fails_says_so_and_why_and_its_pipeline_fails_with_it(tmp_path: Path, error: BaseException) -> None:
    file = tmp_path / "lineage.jsonl"
    lineage = LineageClient(file=file, strict=True)

    with (
        pytest.raises(type(error)),
        job_run(lineage, "emissions") as pipeline,
        job_run(lineage, "emissions.check", parent=pipeline),
    ):
        raise error

    assert events_of(file) == [
        ("emissions", "START"),
        ("emissions.check", "START"),
        ("emissions.check", "FAIL"),
        ("emissions", "FAIL"),
    ]
    failed = json.loads(file.read_text().splitlines()[2])
    assert failed["run"]["facets"]["errorMessage"]["message"] == f"{type(error).__name__}: no flights"


def test_a_job_goes_on_where_no_event_can_be_delivered(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    lineage = LineageClient(file=tmp_path / "file" / "lineage.jsonl", patience=Patience(deadline_s=0.01))

    with job_run(lineage, "emissions") as run:
        ran = run.name

    assert ran == "emissions"
    assert (lineage.sent, lineage.failed) == (0, 2)
