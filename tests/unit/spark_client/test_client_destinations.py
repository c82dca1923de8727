"""Destinations of the client: tokens, signatures, proxies, files, and the environment."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from spark_client import (
    LineageClient,
    Misconfigured,
    RecordResult,
)
from spark_client.version import VERSION
from tests.unit.spark_client.a_client import CHECKED, NOW, RAW, ROOT, a_client, nobody_listens
from tests.unit.spark_client.lineage_service import (
    SHORT,
    Service,
    Watch,
)


def test_a_token_travels_as_a_bearer_token(service: Service, watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_TOKEN", "secret")

    a_client(service, watch).record(ROOT, ROOT, "READ", RAW)

    assert service.calls[0].headers["Authorization"] == "Bearer secret"


@pytest.mark.parametrize("token", ["hunter-two\n", " hunter-two"])
def test_a_token_that_came_out_of_a_file_travels_without_the_blanks_around_it(
    token: str, service: Service, watch: Watch
) -> None:
    a_client(service, watch, token=token).record(ROOT, ROOT, "READ", RAW)

    assert service.calls[0].headers["Authorization"] == "Bearer hunter-two"


@pytest.mark.parametrize(
    "given",
    [
        {"url": "http://127.0.0.1:1", "token": "hunter\ntwo"},
        {"url": "http://127.0.0.1:1", "token": "hunter\u20actwo"},
        {"url": "http//me:hunter-two@host"},
        {"url": "http://me:hunter#two@host"},
        {"url": "me:hunter/two@host"},
    ],
)
def test_the_fault_of_a_destination_is_shown_without_its_secrets(
    given: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    LineageClient(**given).record(ROOT, ROOT, "READ", RAW)  # type: ignore[arg-type]

    (warning,) = caplog.messages
    assert "must be" in warning
    assert "hunter" not in warning


def test_a_fork_has_connections_of_its_own(service: Service, watch: Watch) -> None:
    lineage = a_client(service, watch)
    lineage.record(ROOT, ROOT, "READ", RAW)

    if (child := os.fork()) == 0:
        os._exit(0 if lineage.record(ROOT, ROOT, "READ", RAW).delivered else 1)
    assert os.waitpid(child, 0) == (child, 0)
    lineage.record(ROOT, ROOT, "READ", RAW)

    assert (len(service.calls), service.connections) == (3, 2)


def test_requests_name_the_client_and_its_version(service: Service, watch: Watch) -> None:
    a_client(service, watch).record(ROOT, ROOT, "READ", RAW)

    assert service.calls[0].headers["User-Agent"] == f"headwater-client/{VERSION}"


def test_this_machine_is_reached_without_a_proxy(
    service: Service, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", nobody_listens())

    a_client(service, watch).record(ROOT, ROOT, "READ", RAW)

    assert service.calls[0].path == "/api/v1/records"


def test_requests_are_appended_to_a_file_as_json_lines(watch: Watch, tmp_path: Path) -> None:
    file = tmp_path / "new" / "lineage.jsonl"

    for request_id in ("r-1", "r-2"):
        with LineageClient(file=file, clock=watch.clock) as lineage:
            result = lineage.record(ROOT, ROOT, "READ", RAW, request_id=request_id)

    assert result == RecordResult(ROOT, "READ", NOW, None, result.node_id, RAW, delivered=True)
    assert [json.loads(line)["request_id"] for line in file.read_text().splitlines()] == ["r-1", "r-2"]


def test_a_file_that_cannot_be_written_is_not_waited_for(
    watch: Watch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    lineage = LineageClient(file=tmp_path, retry=SHORT, clock=watch.clock)

    assert [lineage.record(ROOT, ROOT, "READ", RAW).delivered for _ in range(3)] == [False] * 3
    assert watch.pauses == []
    assert caplog.messages == [f"1 records of READ not recorded: {tmp_path}: Is a directory"]


def test_a_full_disk_is_waited_for_and_each_line_is_whole(tmp_path: Path) -> None:
    """In a process of its own: the bound on files is one of processes, and takes their signal, too."""
    file = tmp_path / "lineage.jsonl"
    script = f"""
import resource, signal
from spark_client import LineageClient, RetryPolicy
from spark_client.version import VERSION
from spark_client.transport.retry import Clock
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
def more_room(seconds):
    assert open({str(file)!r}).read() == ""
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 10_000))
lineage = LineageClient(file={str(file)!r}, clock=Clock(sleep=more_room))
assert lineage.record("flights", "flights", "READ", "s3://raw", request_id="r-1").delivered
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)

    (whole,) = file.read_text().splitlines()
    assert json.loads(whole)["request_id"] == "r-1"


def test_an_argument_puts_the_environment_s_place_aside(
    service: Service, watch: Watch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADWATER_URL", service.url)

    assert LineageClient(file=tmp_path / "lineage.jsonl", clock=watch.clock).record(ROOT, ROOT, "READ", RAW).delivered
    assert service.requests == []


CONFLICTS = [
    pytest.param({}, {}, "set HEADWATER_URL, HEADWATER_FUNCTION or HEADWATER_FILE$", id="nowhere"),
    pytest.param(
        {"HEADWATER_URL": "http://h", "HEADWATER_FILE": "f"},
        {},
        "^HEADWATER_URL and HEADWATER_FILE are both set: keep one of them$",
        id="two in the environment",
    ),
    pytest.param(
        {},
        {"url": "http://h", "function": "f", "file": "f"},
        "^url and function and file are all",
        id="three given",
    ),
    pytest.param({"HEADWATER_URL": "h:80"}, {}, "^url 'h:80': must be http://", id="no scheme"),
    pytest.param({"HEADWATER_AUTH": "basic"}, {"url": "http://h"}, "^auth 'basic': must be 'iam' or 'none'", id="auth"),
    pytest.param(
        {"HEADWATER_TOKEN": "t", "HEADWATER_AUTH": "iam"},
        {"url": "http://h"},
        "^a token and auth 'iam'",
        id="two ways in",
    ),
]


@pytest.mark.parametrize(("environment", "given", "message"), CONFLICTS)
def test_a_strict_client_names_what_is_wrong_with_its_destination(
    environment: dict[str, str], given: dict[str, str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    with pytest.raises(Misconfigured, match=message):
        LineageClient(strict=True, **given).record(ROOT, ROOT, "READ", RAW)  # type: ignore[arg-type]


def test_a_job_without_a_destination_lives_with_one_warning(caplog: pytest.LogCaptureFixture) -> None:
    lineage = LineageClient()

    results = [lineage.record(ROOT, ROOT, "READ", RAW) for _ in range(3)]

    assert [result.delivered for result in results] == [False] * 3
    assert lineage.failed == 3
    assert [record.getMessage() for record in caplog.records] == [
        "lineage is off: nowhere to send lineage to: set HEADWATER_URL, HEADWATER_FUNCTION or HEADWATER_FILE"
    ]


def test_a_task_gets_the_destination_that_the_driver_chose(
    service: Service, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADWATER_URL", service.url)
    driver = LineageClient(retry=SHORT)
    driver.record(ROOT, ROOT, "READ", RAW)
    pickled = pickle.dumps(driver)
    monkeypatch.delenv("HEADWATER_URL")

    task: LineageClient = pickle.loads(pickled)
    task.record(ROOT, "raw", "CHECKED", CHECKED)

    assert len(service.requests) == 2
    assert (driver.sent, task.sent) == (1, 1)
