"""While a capture is on, requests and recorders are of the captured application's run."""

from __future__ import annotations

import json
import logging
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from spark_client import FieldOperation, LineageClient, OperationRecorder, Record, Refused, Step
from spark_client.current_run import (
    JobRun,
    RunContext,
    current_run,
    current_run_id,
    enter,
    leave,
    report_root,
    reported_roots,
)

NIGHTLY = JobRun("emissions", "nightly", "01941f29-7c00-7ea7-b5a3-4d2d5f0a1b20")
CAPTURED = RunContext(JobRun("emissions", "emissions", "01941f29-7c00-7ea7-b5a3-4d2d5f0a1b2c"), NIGHTLY, NIGHTLY)
OTHER = RunContext(JobRun("emissions", "other", "01941f29-7c00-7ea7-b5a3-4d2d5f0a1b2d"))
ESTIMATED = ("s3://flights", "estimated")
OPERATIONS = [FieldOperation("read").reads(("s3://flights", "checked")).outputs("co2")]


@pytest.fixture
def sent(tmp_path: Path) -> Callable[[], list[dict[str, Any]]]:
    return lambda: [json.loads(line) for line in (tmp_path / "lineage.jsonl").read_text("utf-8").splitlines()]


@pytest.fixture
def client(tmp_path: Path) -> Iterator[LineageClient]:
    with LineageClient(file=tmp_path / "lineage.jsonl", strict=True) as client:
        yield client


@pytest.fixture
def captured() -> Iterator[None]:
    enter(CAPTURED)
    yield
    leave(CAPTURED)


def test_a_process_is_the_run_that_it_entered_last_and_did_not_leave() -> None:
    runs = [current_run()]
    for change, context in [(enter, CAPTURED), (enter, OTHER), (leave, CAPTURED), (leave, CAPTURED), (leave, OTHER)]:
        change(context)
        runs.append(current_run())

    assert runs == [None, CAPTURED, OTHER, OTHER, OTHER, None]
    assert current_run_id() is None


@pytest.mark.usefixtures("captured")
def test_requests_without_a_run_id_are_of_the_captured_run(
    client: LineageClient, sent: Callable[[], list[dict[str, Any]]]
) -> None:
    client.record("flights", "flights", "READ", "s3://raw/flights")
    client.record_many("flights", "raw", "CHECKED", [Record("s3://checked/flights")])
    client.record_all([Step("flights", "raw", "CHECKED", "s3://checked/flights")])
    client.record("flights", "flights", "READ", "s3://raw/flights", run_id="mine")

    assert [request["run_id"] for request in sent()] == [CAPTURED.run.run_id] * 3 + ["mine"]


def test_the_roots_of_the_run_s_requests_are_reported_once_each_and_those_of_other_runs_are_not(
    client: LineageClient,
) -> None:
    client.record("before", "before", "READ", "s3://raw/flights")
    run = RunContext(JobRun("emissions", "emissions", str(uuid4())))
    enter(run)
    client.record("flights", "flights", "READ", "s3://raw/flights")
    client.record_many("planes", "raw", "CHECKED", [Record("s3://checked/planes")], run_id=run.run.run_id)
    client.record_all([Step(root, "raw", "CHECKED", "s3://checked") for root in ("flights", "airports")])
    client.record("another's", "flights", "READ", "s3://raw/flights", run_id="another")
    leave(run)
    client.record("after", "after", "READ", "s3://raw/flights")

    assert reported_roots(run.run.run_id) == ("flights", "planes", "airports")
    assert reported_roots("another") == ()


@pytest.mark.parametrize(("root", "kept"), [("{}", 10_000), ("x" * 995 + "{:05}", 200)])
def test_more_roots_than_an_event_may_hold_are_left_out_with_one_warning(
    root: str, kept: int, caplog: pytest.LogCaptureFixture
) -> None:
    run = RunContext(JobRun("emissions", "emissions", str(uuid4())))
    enter(run)
    for number in range(12_000):
        report_root(root.format(number))
    leave(run)

    assert len(reported_roots(run.run.run_id)) == kept
    assert caplog.messages == ["emissions: there are more record roots than an event may hold: not all are reported"]


@pytest.mark.parametrize("root", [None, "", "half a character: \ud83d", "x" * 2049])
def test_roots_that_no_record_may_have_are_not_reported(root: Any, client: LineageClient) -> None:
    run = RunContext(JobRun("emissions", "emissions", str(uuid4())))
    enter(run)
    with pytest.raises(Refused, match="root_id: "):
        client.record(root, "flights", "READ", "s3://raw/flights")
    client.record("é" * 1024, "flights", "READ", "s3://raw/flights")
    leave(run)

    assert reported_roots(run.run.run_id) == ("é" * 1024,)


def test_roots_are_reported_as_they_travel(client: LineageClient) -> None:
    run, root = RunContext(JobRun("emissions", "emissions", str(uuid4()))), uuid4()
    enter(run)
    client.record(root, "flights", "READ", "s3://raw/flights")  # type: ignore[arg-type]
    leave(run)

    assert reported_roots(run.run.run_id) == (str(root),)


def test_a_client_in_a_spark_task_keeps_the_run_of_its_driver(
    client: LineageClient, sent: Callable[[], list[dict[str, Any]]]
) -> None:
    enter(CAPTURED)
    pickled = pickle.dumps(client)
    leave(CAPTURED)

    pickle.loads(pickle.dumps(pickle.loads(pickled))).record("flights", "flights", "READ", "s3://raw/flights")
    client.record("flights", "flights", "READ", "s3://raw/flights")

    assert [request.get("run_id") for request in sent()] == [CAPTURED.run.run_id, None]


@pytest.mark.usefixtures("captured")
def test_a_recorder_without_a_job_is_of_the_captured_run_which_it_does_not_end(
    client: LineageClient, sent: Callable[[], list[dict[str, Any]]]
) -> None:
    with OperationRecorder(client, owns_run=True, strict=True) as recorder:
        recorder.record(ESTIMATED, OPERATIONS, ["co2"])

    (event,) = sent()
    nightly = {"run": {"runId": NIGHTLY.run_id}, "job": {"namespace": "emissions", "name": "nightly"}}
    assert recorder.run_id == CAPTURED.run.run_id
    assert (event["eventType"], event["run"]["runId"]) == ("OTHER", CAPTURED.run.run_id)
    assert event["job"] == {"namespace": "emissions", "name": "emissions"}
    assert {name: event["run"]["facets"]["parent"][name] for name in ("run", "job", "root")} == {
        **nightly,
        "root": nightly,
    }


@pytest.mark.usefixtures("captured")
def test_a_recorder_with_a_job_is_of_a_run_of_its_own(client: LineageClient) -> None:
    assert OperationRecorder(client, ("emissions", "by hand")).run_id != CAPTURED.run.run_id


def test_a_recorder_without_a_job_or_a_capture_takes_the_programs_name_and_says_so(
    client: LineageClient,
    sent: Callable[[], list[dict[str, Any]]],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr("sys.argv", ["/jobs/emissions.py", "--day", "1"])
    with caplog.at_level(logging.WARNING), OperationRecorder(client) as recorder:
        recorder.record(ESTIMATED, OPERATIONS, ["co2"])

    assert sent()[0]["job"] == {"namespace": "default", "name": "emissions"}
    assert caplog.messages == [
        "emissions: no job is given and no capture is on: the job is called as the program is",
    ]
