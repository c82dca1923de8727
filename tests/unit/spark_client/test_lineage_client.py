from __future__ import annotations

import json
import logging
import os
import pickle
import socket
import subprocess
import sys
from pathlib import Path
from uuid import UUID

import pytest

from lineage_model.ids import derive_node_id
from spark_client import (
    DeliveryCounts,
    LineageClient,
    Misconfigured,
    Record,
    RecordedNode,
    RecordResult,
    RecordsResult,
    Refused,
    RetryPolicy,
    Step,
    Undelivered,
)
from tests.unit.spark_client.lineage_service import (
    SHORT,
    TTL_S,
    Service,
    Watch,
    failing,
    hanging_up,
    silent_for,
    trickling,
)

NOW = 1_357_016_400
RAW = "s3://landing/flights-2013-01-01.csv"
CHECKED = "s3://checked/flights-2013-01-01"
ROOT = "flights-2013-01-01"


def a_client(service: Service, watch: Watch, **options: object) -> LineageClient:
    return LineageClient(**{"url": service.url, "retry": SHORT, "clock": watch.clock, **options})


def nobody_listens() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"


def test_importing_the_client_loads_nothing_heavy() -> None:
    heavy = ("boto3", "botocore", "pydantic", "pyspark", "aws_cdk", "moto", "orjson")
    program = f"import sys, spark_client; print([name for name in {heavy!r} if name in sys.modules])"

    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert loaded.stdout.strip() == "[]"


def test_a_record_travels_as_a_single_request_with_its_id_and_time(service: Service, watch: Watch) -> None:
    with a_client(service, watch) as lineage:
        result = lineage.record(ROOT, ROOT, "READ", RAW, request_id="r-1", run_id="run-7")

    node_id = derive_node_id(ROOT, ROOT, "READ", "r-1", 0)
    assert [call.path for call in service.calls] == ["/api/v1/records"]
    assert service.requests == [
        {
            "root_id": ROOT,
            "parent_id": ROOT,
            "action_taken": "READ",
            "request_id": "r-1",
            "requested_at": NOW,
            "run_id": "run-7",
            "record": {"node_id": node_id, "storage_location": RAW},
        }
    ]
    assert result == RecordResult(ROOT, "READ", NOW, NOW + TTL_S, node_id, RAW, delivered=True)
    assert (lineage.sent, lineage.failed) == (1, 0)


def test_a_given_node_id_is_kept(service: Service, watch: Watch) -> None:
    result = a_client(service, watch).record(ROOT, ROOT, "READ", RAW, node_id="raw")

    assert result.node_id == "raw"
    assert service.requests[0]["record"] == {"node_id": "raw", "storage_location": RAW}


def test_every_request_has_an_id_of_its_own(service: Service, watch: Watch) -> None:
    lineage = a_client(service, watch)

    lineage.record(ROOT, ROOT, "READ", RAW)
    lineage.record(ROOT, ROOT, "READ", RAW)

    assert len({request["request_id"] for request in service.requests}) == 2


def test_many_records_travel_as_one_batch(service: Service, watch: Watch) -> None:
    rows = (Record(f"{CHECKED}#{row}", f"row-{row}") for row in range(3))

    result = a_client(service, watch).record_many(ROOT, "raw", "CHECKED", rows, request_id="r-2")

    records = tuple(RecordedNode(f"{CHECKED}#{row}", f"row-{row}") for row in range(3))
    assert service.requests == [
        {
            "root_id": ROOT,
            "parent_id": "raw",
            "action_taken": "CHECKED",
            "request_id": "r-2",
            "requested_at": NOW,
            "records": [record._asdict() for record in records],
        }
    ]
    assert result == RecordsResult(ROOT, "CHECKED", NOW, NOW + TTL_S, records, delivered=True)


def test_a_common_storage_location_is_that_of_every_record(service: Service, watch: Watch) -> None:
    result = a_client(service, watch).record_many(
        ROOT, "raw", "CHECKED", [Record(node_id="a"), Record("s3://elsewhere", "b")], storage_location=CHECKED
    )

    assert result.records == (RecordedNode(CHECKED, "a"), RecordedNode(CHECKED, "b"))
    assert service.requests[0]["records"] == [record._asdict() for record in result.records]


def test_a_batch_of_one_is_still_a_batch(service: Service, watch: Watch) -> None:
    a_client(service, watch).record_many(ROOT, "raw", "CHECKED", [Record(CHECKED, "a")])

    assert service.requests[0]["records"] == [{"node_id": "a", "storage_location": CHECKED}]


def test_no_records_make_no_request(service: Service, watch: Watch) -> None:
    result = a_client(service, watch).record_many(ROOT, "raw", "CHECKED", [])

    assert result == RecordsResult(ROOT, "CHECKED", NOW, None, (), delivered=True)
    assert service.requests == []


def test_more_than_ten_thousand_records_take_several_requests(service: Service, watch: Watch) -> None:
    rows = (Record(CHECKED, f"row-{row}") for row in range(25_000))

    result = a_client(service, watch).record_many(ROOT, "raw", "CHECKED", rows, request_id="r-3")

    assert [(request["request_id"], len(request["records"])) for request in service.requests] == [
        ("r-3", 10_000),
        ("r-3/1", 10_000),
        ("r-3/2", 5_000),
    ]
    assert [record.node_id for record in result.records] == [f"row-{row}" for row in range(25_000)]


def test_a_request_stays_below_four_megabytes_whatever_the_records_weigh(watch: Watch, tmp_path: Path) -> None:
    heavy = [Record("s3://höhe/" + "\0" * 1_000, f"row-{row}") for row in range(2_000)]
    file = tmp_path / "lineage.jsonl"

    LineageClient(file=file, clock=watch.clock).record_many(ROOT, "raw", "CHECKED", heavy)

    lines = file.read_bytes().splitlines()
    assert [len(line) < 4_000_000 for line in lines] == [True] * len(lines)
    assert len(lines) > 1
    sent = [record for line in lines for record in json.loads(line)["records"]]
    assert sent == [record._asdict() for record in heavy]


def test_the_same_records_sent_again_get_the_same_node_ids(service: Service, watch: Watch) -> None:
    rows = [Record(CHECKED)] * 10_001
    first = a_client(service, watch).record_many(ROOT, "raw", "CHECKED", rows, request_id="task-1")
    again = a_client(service, watch).record_many(ROOT, "raw", "CHECKED", rows, request_id="task-1")

    assert again == first
    assert len({record.node_id for record in first.records}) == 10_001


def test_a_stream_of_steps_shares_requests_between_neighbours_of_one_parent(service: Service, watch: Watch) -> None:
    steps = [
        Step(ROOT, "raw", "CHECKED", CHECKED, "a"),
        Step(ROOT, "raw", "CHECKED", CHECKED, "b"),
        Step(ROOT, "a", "ESTIMATED", "s3://co2", "a-co2"),
        Step(ROOT, "b", "ESTIMATED", "s3://co2", "b-co2"),
    ]

    counts = a_client(service, watch).record_all(iter(steps), request_id="task-1")

    travelled = sorted(
        (request["request_id"], request["parent_id"], [record["node_id"] for record in request["records"]])
        for request in service.requests
    )
    assert travelled == [
        ("task-1#0", "raw", ["a", "b"]),
        ("task-1#1", "a", ["a-co2"]),
        ("task-1#2", "b", ["b-co2"]),
    ]
    assert counts == DeliveryCounts(sent=4, failed=0)


def test_a_stream_of_steps_goes_out_on_a_few_connections(service: Service, watch: Watch) -> None:
    steps = (Step(ROOT, f"row-{row}", "ESTIMATED", "s3://co2", f"co2-{row}") for row in range(300))

    counts = a_client(service, watch).record_all(steps, threads=4)

    assert counts == DeliveryCounts(sent=300, failed=0)
    assert {request["parent_id"] for request in service.requests} == {f"row-{row}" for row in range(300)}
    assert service.connections <= 4


def test_a_connection_that_the_service_closed_meanwhile_is_opened_anew(service: Service, watch: Watch) -> None:
    lineage = a_client(service, watch)
    lineage.record(ROOT, ROOT, "READ", RAW)
    service.faults = [hanging_up]

    result = lineage.record(ROOT, "raw", "CHECKED", CHECKED)

    assert result.delivered
    assert watch.pauses == []
    assert service.connections == 2


def test_large_bodies_are_compressed(service: Service, watch: Watch) -> None:
    rows = [Record(CHECKED, f"row-{row}") for row in range(1_000)]

    a_client(service, watch).record_many(ROOT, "raw", "CHECKED", rows)

    (call,) = service.calls
    assert call.headers["Content-Encoding"] == "gzip"
    assert call.size_bytes < 20_000
    assert len(call.request["records"]) == 1_000


PASSING = [
    pytest.param(failing(429, {"message": "slow down"}), id="throttled"),
    pytest.param(failing(500, {"message": "Internal server error"}), id="failed"),
    pytest.param(failing(503), id="unavailable"),
    pytest.param(failing(408), id="request timeout"),
    pytest.param(failing(200, "<html>"), id="a proxy's page"),
    pytest.param(hanging_up, id="hung up"),
]


@pytest.mark.parametrize("fault", PASSING)
def test_what_may_pass_is_tried_again_as_the_same_request(service: Service, watch: Watch, fault: object) -> None:
    service.faults = [fault, fault, fault]  # type: ignore[list-item]

    result = a_client(service, watch).record(ROOT, ROOT, "READ", RAW)

    assert result.delivered
    assert len(service.requests) == 4
    assert [request == service.requests[0] for request in service.requests] == [True] * 4
    assert watch.pauses == [1, 2, 4]


def test_the_service_says_when_to_come_back(service: Service, watch: Watch) -> None:
    service.faults = [failing(503, Retry_After="7")]

    assert a_client(service, watch).record(ROOT, ROOT, "READ", RAW).delivered
    assert watch.pauses == [7]


def test_a_silent_service_is_not_waited_for_longer_than_an_attempt(service: Service, watch: Watch) -> None:
    service.faults = [silent_for(5)]

    result = a_client(service, watch, retry=RetryPolicy(attempt_s=0.2, pause_s=1)).record(ROOT, ROOT, "READ", RAW)

    assert result.delivered
    assert len(service.requests) == 2


def test_a_job_lives_on_when_the_service_is_down(watch: Watch, caplog: pytest.LogCaptureFixture) -> None:
    lineage = LineageClient(url=nobody_listens(), retry=SHORT, clock=watch.clock)

    result = lineage.record(ROOT, ROOT, "READ", RAW, request_id="r-1")

    node_id = derive_node_id(ROOT, ROOT, "READ", "r-1", 0)
    assert result == RecordResult(ROOT, "READ", NOW, None, node_id, RAW, delivered=False)
    assert (lineage.sent, lineage.failed) == (0, 1)
    assert watch.pauses == [1, 2, 4, 4, 4, 4]
    assert sum(watch.pauses) < SHORT.deadline_s
    (warning,) = caplog.records
    assert warning.levelno == logging.WARNING
    assert warning.getMessage().startswith("1 records of READ not recorded: 127.0.0.1: ConnectionRefusedError")
    assert warning.getMessage().endswith("(gave up after 7 attempts)")


def test_an_outage_is_waited_for_and_warned_of_once(
    service: Service, watch: Watch, caplog: pytest.LogCaptureFixture
) -> None:
    lineage = a_client(service, watch)
    service.faults = [failing(503)] * 9

    delivered = [lineage.record(ROOT, ROOT, "READ", RAW).delivered for _ in range(5)]

    assert delivered == [False, False, False, True, True]
    assert len(service.requests) == 7 + 1 + 1 + 1 + 1
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert (lineage.sent, lineage.failed) == (2, 3)


def test_after_an_outage_a_request_is_tried_again_as_often_as_before(service: Service, watch: Watch) -> None:
    lineage = a_client(service, watch)
    service.faults = [failing(503)] * 7
    lineage.record(ROOT, ROOT, "READ", RAW)
    lineage.record(ROOT, ROOT, "READ", RAW)
    service.faults = [failing(503)] * 2

    assert lineage.record(ROOT, ROOT, "READ", RAW).delivered


def test_a_refusal_is_not_tried_again(service: Service, watch: Watch, caplog: pytest.LogCaptureFixture) -> None:
    service.faults = [failing(422, {"code": 422, "message": "root_id: must not be empty, got ''"})]
    lineage = a_client(service, watch)

    result = lineage.record("", "", "READ", RAW)

    assert not result.delivered
    assert len(service.requests) == 1
    assert [record.getMessage() for record in caplog.records] == [
        "1 records of READ not recorded: 422: root_id: must not be empty, got ''"
    ]


@pytest.mark.parametrize("nothing", ["root_id", "parent_id", "action_taken", "storage_location"])
def test_a_null_in_the_data_is_the_service_s_to_refuse(service: Service, watch: Watch, nothing: str) -> None:
    service.faults = [failing(422, {"code": 422, "message": f"{nothing}: must be a string, got None"})]
    step = {"root_id": ROOT, "parent_id": ROOT, "action_taken": "READ", "storage_location": RAW, nothing: None}

    result = a_client(service, watch).record(**step)  # type: ignore[arg-type]

    assert not result.delivered
    assert len(service.requests) == 1


def test_a_broken_string_in_the_data_is_the_service_s_to_refuse(service: Service, watch: Watch) -> None:
    service.faults = [failing(422, {"code": 422, "message": "root_id: must be Unicode text"})]

    assert not a_client(service, watch).record("flights-\ud800", ROOT, "READ", RAW).delivered
    assert service.requests[0]["root_id"] == "flights-\ud800"


def test_paths_and_uuids_travel_as_their_text(service: Service, watch: Watch) -> None:
    node_id = UUID("357d959f-5302-5c2a-933c-78f3e3edde97")

    a_client(service, watch).record(ROOT, ROOT, "READ", Path("/landing/1.csv"), node_id=node_id)  # type: ignore[arg-type]

    assert service.requests[0]["record"] == {"node_id": str(node_id), "storage_location": "/landing/1.csv"}


def test_an_error_in_the_job_s_own_rows_is_the_job_s(service: Service, watch: Watch) -> None:
    rows = (Record(f"{1 // row}") for row in (1, 0))

    with pytest.raises(ZeroDivisionError):
        a_client(service, watch).record_many(ROOT, "raw", "CHECKED", rows)


def test_a_strict_client_raises_the_services_error(service: Service, watch: Watch) -> None:
    service.faults = [failing(422, {"code": 422, "message": "root_id: must not be empty, got ''"})]

    with pytest.raises(Refused, match=r"^422: root_id: must not be empty, got ''$") as refused:
        a_client(service, watch, strict=True).record("", "", "READ", RAW)

    assert refused.value.code == "422"


def test_a_strict_client_raises_when_its_patience_ends(watch: Watch) -> None:
    lineage = LineageClient(url=nobody_listens(), retry=SHORT, clock=watch.clock, strict=True)

    with pytest.raises(Undelivered, match=r"gave up after 7 attempts"):
        lineage.record_all([Step(ROOT, ROOT, "READ", RAW)])

    assert lineage.failed == 1


def test_a_status_without_an_error_of_ours_is_a_refusal_by_its_number(service: Service, watch: Watch) -> None:
    service.faults = [failing(301, None, Location="http://elsewhere")]

    with pytest.raises(Refused, match=r"^301: Moved Permanently$"):
        a_client(service, watch, strict=True).record(ROOT, ROOT, "READ", RAW)


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


def test_a_response_that_trickles_in_has_the_time_of_one_attempt_in_all(service: Service) -> None:
    retry = RetryPolicy(deadline_s=0.4, attempt_s=0.4)
    service.faults = [trickling(0.1)]

    with pytest.raises(Undelivered, match="TimeoutError timed out"):
        LineageClient(url=service.url, retry=retry, strict=True).record(ROOT, ROOT, "READ", RAW)


def test_a_response_without_an_end_is_not_kept(service: Service, watch: Watch) -> None:
    service.faults = [failing(200, "x" * 16_000_000)] * 9

    with pytest.raises(Undelivered, match="response has more than 16000000 bytes"):
        a_client(service, watch, strict=True).record(ROOT, ROOT, "READ", RAW)


def test_a_fork_has_connections_of_its_own(service: Service, watch: Watch) -> None:
    lineage = a_client(service, watch)
    lineage.record(ROOT, ROOT, "READ", RAW)

    if (child := os.fork()) == 0:
        os._exit(0 if lineage.record(ROOT, ROOT, "READ", RAW).delivered else 1)
    assert os.waitpid(child, 0) == (child, 0)
    lineage.record(ROOT, ROOT, "READ", RAW)

    assert (len(service.calls), service.connections) == (3, 2)


def test_a_url_may_name_a_stage(service: Service, watch: Watch) -> None:
    a_client(service, watch, url=f"{service.url}/prod/").record(ROOT, ROOT, "READ", RAW)

    assert service.calls[0].path == "/prod/api/v1/records"


def test_requests_are_signed_with_the_aws_credentials_if_configured(
    service: Service, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")

    a_client(service, watch, auth="iam").record(ROOT, ROOT, "READ", RAW)

    authorization = service.calls[0].headers["Authorization"]
    assert authorization.startswith("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/")
    assert "/eu-west-1/execute-api/aws4_request" in authorization


def test_the_service_is_reached_through_the_proxy_of_the_environment(
    service: Service, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", service.url)

    a_client(service, watch, url="http://lineage.invalid/prod").record(ROOT, ROOT, "READ", RAW)

    (call,) = service.calls
    assert (call.path, call.headers["Host"]) == ("http://lineage.invalid/prod/api/v1/records", "lineage.invalid")


def test_an_encrypted_request_goes_through_a_tunnel_of_the_proxy(
    service: Service, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("https_proxy", service.url)
    once = RetryPolicy(deadline_s=2, pause_s=5)
    lineage = a_client(service, watch, url="https://lineage.invalid", strict=True, retry=once)

    with pytest.raises(Undelivered):
        lineage.record(ROOT, ROOT, "READ", RAW)

    assert [call.path for call in service.calls] == ["lineage.invalid:443"]


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


def test_a_full_disk_is_waited_for_and_what_it_took_in_part_spoils_no_other_line(tmp_path: Path) -> None:
    """In a process of its own: the bound on files is one of processes, and takes their signal, too."""
    file = tmp_path / "lineage.jsonl"
    script = f"""
import resource, signal
from spark_client import LineageClient, RetryPolicy
from spark_client.transport.retry import Clock
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
def more_room(seconds):
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 10_000))
lineage = LineageClient(file={str(file)!r}, clock=Clock(sleep=more_room))
assert lineage.record("flights", "flights", "READ", "s3://raw", request_id="r-1").delivered
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)

    torn, whole = file.read_text().splitlines()
    assert len(torn) == 100
    assert json.loads(whole)["request_id"] == "r-1"


def test_the_environment_says_where_to(service: Service, watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_URL", service.url)

    assert LineageClient(clock=watch.clock).record(ROOT, ROOT, "READ", RAW).delivered
    assert len(service.requests) == 1


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
