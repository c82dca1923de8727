"""OpenLineage events out of a job, by every transport."""

from __future__ import annotations

import json
import sys
from datetime import datetime, timezone
from pathlib import Path

import pytest
from openlineage.client.event_v2 import Dataset, Job, OutputDataset, Run, RunEvent, RunState

from spark_client import DeliveryCounts, LineageClient, Refused, Undelivered
from tests.builders_events import RUN, a_dataset_event, a_run_event
from tests.unit.spark_client.a_client import a_client
from tests.unit.spark_client.lineage_service import SHORT, Service, Watch, failing, hanging_up, reply

EVENT = a_run_event()
ARN = "arn:aws:lambda:eu-west-1:123456789012:function:input"


@pytest.fixture
def function(service: Service, watch: Watch, monkeypatch: pytest.MonkeyPatch) -> LineageClient:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_ENDPOINT_URL_LAMBDA", service.url)
    return LineageClient(function=ARN, strict=True, retry=SHORT, clock=watch.clock)


def taken(handler: object) -> None:
    reply(handler, 201, b"")  # type: ignore[arg-type]


def all_taken(handler: object) -> None:
    reply(handler, 204, b"")  # type: ignore[arg-type]


def not_all(*failed: tuple[int, str, bool]) -> object:
    listed = [{"index": index, "reason": reason, "retriable": retriable} for index, reason, retriable in failed]
    return failing(200, {"status": "partial_success", "summary": {}, "failed_events": listed})


def events(count: int, **changes: object) -> list[dict[str, object]]:
    return [a_run_event(job=f"emissions.{number}", **changes) for number in range(count)]


def test_an_event_travels_as_it_is(service: Service, watch: Watch) -> None:
    service.faults = [taken, taken]  # type: ignore[list-item]

    with a_client(service, watch) as lineage:
        assert lineage.emit(EVENT)
        assert lineage.emit(a_dataset_event())

    assert [(call.path, call.request) for call in service.calls] == [
        ("/api/v1/lineage", EVENT),
        ("/api/v1/lineage", a_dataset_event()),
    ]
    assert (lineage.sent, lineage.failed, service.connections) == (2, 0, 1)


def test_an_event_of_openlineages_own_client_travels_as_that_would_send_it(service: Service, watch: Watch) -> None:
    service.faults = [taken]  # type: ignore[list-item]
    now = datetime(2025, 11, 20, 12, tzinfo=timezone.utc).isoformat()
    outputs = [OutputDataset("s3://flights", "raw")]
    event = RunEvent(
        eventTime=now,
        eventType=RunState.COMPLETE,
        run=Run(RUN),
        job=Job("emissions", "read"),
        outputs=outputs,
        producer="https://github.com/flights/emissions",
    )

    assert a_client(service, watch).emit(event)

    (sent,) = service.requests
    assert sent["job"] == {"namespace": "emissions", "name": "read", "facets": {}}
    assert (sent["eventType"], sent["run"]["runId"]) == ("COMPLETE", RUN)
    assert sent["outputs"][0]["name"] == "raw"


def test_a_batch_travels_as_one_request(service: Service, watch: Watch) -> None:
    service.faults = [all_taken]  # type: ignore[list-item]

    assert a_client(service, watch).emit_many(iter(events(20))) == DeliveryCounts(20, 0)

    (call,) = service.calls
    assert (call.path, call.request) == ("/api/v1/lineage/batch", events(20))
    assert call.headers["Content-Encoding"] == "gzip"


def test_more_than_a_thousand_events_or_four_megabytes_take_several_requests(service: Service, watch: Watch) -> None:
    service.faults = [all_taken] * 9  # type: ignore[list-item]
    large = [{**EVENT, "plan": "x" * 1_500_000}] * 5

    assert a_client(service, watch).emit_many([*events(2500), *large]) == DeliveryCounts(2505, 0)

    assert [len(call.request) for call in service.calls][:2] == [1000, 1000]
    assert sum(len(call.request) for call in service.calls) == 2505
    assert max(len(json.dumps(call.request)) for call in service.calls) < 4_200_000
    assert a_client(service, watch).emit_many([]) == DeliveryCounts(0, 0)


def test_only_the_events_that_may_yet_be_taken_are_sent_again(service: Service, watch: Watch) -> None:
    service.faults = [
        not_all((1, "job.name: is required", False), (2, "throttled", True), (4, "throttled", True)),
        failing(503),
        not_all((0, "throttled", True)),
        all_taken,
    ]  # type: ignore[list-item]
    lineage = a_client(service, watch)
    sent = events(5)

    assert lineage.emit_many(sent) == DeliveryCounts(4, 1)
    assert service.requests == [sent, [sent[2], sent[4]], [sent[2], sent[4]], [sent[2]]]
    assert (lineage.sent, lineage.failed) == (4, 1)


def test_what_was_refused_is_one_warning(service: Service, watch: Watch, caplog: pytest.LogCaptureFixture) -> None:
    service.faults = [not_all((0, "job.name: is required", False), (2, "inputs: must be a list", False))]  # type: ignore[list-item]

    assert a_client(service, watch).emit_many(events(3)) == DeliveryCounts(1, 2)
    assert [record.getMessage() for record in caplog.records] == [
        "2 events not recorded: Invalid: job.name: is required"
    ]


def test_a_strict_client_raises_what_was_refused(service: Service, watch: Watch) -> None:
    service.faults = [
        not_all((0, "job.name: is required", False)),
        failing(422, {"code": 422, "message": "job.name: is required"}),
    ]  # type: ignore[list-item]
    lineage = a_client(service, watch, strict=True)

    with pytest.raises(Refused, match=r"^Invalid: job.name: is required$"):
        lineage.emit_many(events(2))
    with pytest.raises(Refused, match=r"^422: job.name: is required$"):
        lineage.emit(EVENT)
    assert (lineage.sent, lineage.failed) == (1, 2)


PASSING = [
    pytest.param(failing(429, {"message": "slow down"}), id="throttled"),
    pytest.param(failing(503), id="unavailable"),
    pytest.param(hanging_up, id="hung up"),
]


@pytest.mark.parametrize("fault", PASSING)
def test_what_may_pass_is_tried_again(service: Service, watch: Watch, fault: object) -> None:
    service.faults = [fault, taken, fault, all_taken]  # type: ignore[list-item]

    assert a_client(service, watch).emit(EVENT)
    assert a_client(service, watch).emit_many([EVENT]) == DeliveryCounts(1, 0)
    assert watch.pauses == [1, 1]


def test_a_strict_client_counts_what_arrived_before_its_patience_ended(service: Service, watch: Watch) -> None:
    service.faults = [not_all((1, "throttled", True)), *[failing(503)] * 99]  # type: ignore[list-item]
    lineage = a_client(service, watch, strict=True)

    with pytest.raises(Undelivered, match="gave up"):
        lineage.emit_many(events(3))
    assert (lineage.sent, lineage.failed) == (2, 1)


def circular() -> dict[str, object]:
    form: dict[str, object] = {}
    form["self"] = form
    return form


def nested() -> dict[str, object]:
    form: dict[str, object] = {}
    for _ in range(100_000):
        form = {"a": form}
    return form


UNSENDABLE = [7, "text", None, object(), circular(), {"n": float("nan")}, {"name": "\ud800"}, nested()]


def test_what_is_no_event_is_refused_alone_and_before_it_travels(
    service: Service, watch: Watch, caplog: pytest.LogCaptureFixture
) -> None:
    service.faults = [all_taken]  # type: ignore[list-item]
    lineage = a_client(service, watch)

    assert lineage.emit_many([UNSENDABLE[0], EVENT, *UNSENDABLE[1:]]) == DeliveryCounts(1, len(UNSENDABLE))
    assert service.requests == [[EVENT]]
    assert [lineage.emit(event) for event in UNSENDABLE] == [False] * len(UNSENDABLE)
    assert lineage.emit_many(UNSENDABLE) == DeliveryCounts(0, len(UNSENDABLE))
    assert len(service.requests) == 1
    assert caplog.records[0].getMessage().startswith(f"{len(UNSENDABLE)} events not recorded: Invalid: ")


def test_without_openlineages_client_a_dict_is_sent_and_others_are_refused(
    service: Service, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "openlineage.client.serde", None)
    service.faults = [taken]  # type: ignore[list-item]
    lineage = a_client(service, watch, strict=True)

    assert lineage.emit(EVENT)
    with pytest.raises(Refused, match="which is not installed"):
        lineage.emit(Dataset("s3://flights", "raw"))


def test_events_are_signed_for_their_own_address(
    service: Service, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    service.faults = [taken, all_taken]  # type: ignore[list-item]
    lineage = a_client(service, watch, auth="iam", url=f"{service.url}/prod/")

    assert (lineage.emit(EVENT), lineage.emit_many([EVENT])) == (True, DeliveryCounts(1, 0))
    assert [call.path for call in service.calls] == ["/prod/api/v1/lineage", "/prod/api/v1/lineage/batch"]
    signed = [call.headers["Authorization"].partition(" Credential=AKIDEXAMPLE/") for call in service.calls]
    assert {algorithm for algorithm, _, _ in signed} == {"AWS4-HMAC-SHA256"}
    assert all("/eu-west-1/execute-api/aws4_request" in rest for _, _, rest in signed)
    assert len({rest.rpartition("Signature=")[2] for _, _, rest in signed}) == 2


def test_events_are_appended_to_a_file_as_json_lines(watch: Watch, tmp_path: Path) -> None:
    file = tmp_path / "lineage.jsonl"
    with LineageClient(file=file, clock=watch.clock) as lineage:
        assert lineage.emit(EVENT)
        assert lineage.emit_many(events(2)) == DeliveryCounts(2, 0)

    assert [json.loads(line) for line in file.read_text().splitlines()] == [EVENT, *events(2)]


def test_events_travel_as_the_payload_of_an_invocation(service: Service, function: LineageClient) -> None:
    service.faults = [failing(200, {}), failing(200, {"status": "success", "summary": {}, "failed_events": []})]

    with function as lineage:
        assert lineage.emit(EVENT)
        assert lineage.emit_many(events(2)) == DeliveryCounts(2, 0)
    assert service.requests == [EVENT, {"events": events(2)}]


def test_the_functions_refusals_are_raised_as_the_apis(service: Service, function: LineageClient) -> None:
    refusal = {"errorType": "Invalid", "errorMessage": "job.name: is required"}
    service.faults = [
        failing(200, refusal, X_Amz_Function_Error="Unhandled"),
        not_all((1, "job.name: is required", False)),
    ]  # type: ignore[list-item]

    for emit in (lambda: function.emit(EVENT), lambda: function.emit_many(events(2))):
        with pytest.raises(Refused, match=r"^Invalid: job.name: is required$"):
            emit()
    assert (function.sent, function.failed) == (1, 2)


def test_a_batch_that_the_function_could_not_take_is_sent_again(
    service: Service, function: LineageClient, watch: Watch
) -> None:
    error = {"errorType": "Unavailable", "errorMessage": "1 of 2 events were not accepted"}
    service.faults = [failing(200, error, X_Amz_Function_Error="Unhandled"), failing(200, {"failed_events": []})]

    assert function.emit_many(events(2)) == DeliveryCounts(2, 0)
    assert watch.pauses == [1]
