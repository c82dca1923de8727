"""Transports for openlineage-python, chosen and configured as that package does it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import Job, JobEvent, Run, RunEvent, RunState

from spark_client import Misconfigured, Refused, Undelivered
from spark_client.openlineage import LambdaConfig, LambdaTransport, SqsConfig, SqsTransport
from tests.unit.spark_client.lineage_service import Service, failing

QUEUE = "https://sqs.eu-west-1.amazonaws.com/123456789012/events"
FUNCTION = "arn:aws:lambda:eu-west-1:123456789012:function:input"
SQS, LAMBDA = "spark_client.openlineage.SqsTransport", "spark_client.openlineage.LambdaTransport"
TAKEN = failing(200, {"Successful": [{"Id": "0", "MessageId": "m-0"}]})
INVOKED = failing(200, {})


@pytest.fixture(autouse=True)
def _aws_at_the_service(service: Service, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)  # no openlineage.yml of the developer's
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.delenv("AWS_DEFAULT_REGION", raising=False)
    monkeypatch.setenv("AWS_ENDPOINT_URL_SQS", service.url)
    monkeypatch.setenv("AWS_ENDPOINT_URL_LAMBDA", service.url)


def an_event(job: str = "emissions.check") -> RunEvent:
    return RunEvent(
        eventTime="2025-11-20T12:00:00Z",
        eventType=RunState.COMPLETE,
        run=Run("01941f29-7c00-7ea7-b5a3-4d2d5f0a1b2c"),
        job=Job("emissions", job),
        producer="https://github.com/flights/emissions",
    )


def bodies(service: Service) -> list[str]:
    return [entry["MessageBody"] for request in service.requests for entry in request["Entries"]]


def jobs(service: Service) -> list[str]:
    return [json.loads(body)["job"]["name"] for body in bodies(service)]


@pytest.mark.parametrize("spelling", ["queueUrl", "queue_url", "queueurl", "QUEUEURL"])
def test_the_queue_may_be_spelled_in_any_way(service: Service, spelling: str) -> None:
    service.faults = [TAKEN]

    OpenLineageClient(config={"transport": {"type": SQS, spelling: QUEUE}}).emit(an_event())

    assert (jobs(service), service.requests[0]["QueueUrl"]) == (["emissions.check"], QUEUE)
    assert "/eu-west-1/sqs/aws4_request" in service.calls[0].headers["Authorization"]


def test_a_file_configures_it(service: Service, tmp_path: Path) -> None:
    service.faults = [TAKEN]
    (tmp_path / "openlineage.yml").write_text(
        f"transport:\n  type: {SQS}\n  queueUrl: {QUEUE}\n  timeout: 5\n", "utf-8"
    )

    client = OpenLineageClient()
    client.emit(an_event())

    assert jobs(service) == ["emissions.check"]
    assert client.close()


def test_the_environment_configures_it_with_its_small_letters(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.faults = [TAKEN]
    for name, value in {"TYPE": SQS, "QUEUEURL": QUEUE, "TIMEOUT": "5", "REGION": "eu-central-1"}.items():
        monkeypatch.setenv(f"OPENLINEAGE__TRANSPORT__{name}", value)

    OpenLineageClient().emit(an_event())

    assert jobs(service) == ["emissions.check"]
    assert "/eu-central-1/sqs/aws4_request" in service.calls[0].headers["Authorization"]


def test_both_work_under_composite(service: Service) -> None:
    service.faults = [TAKEN, INVOKED]
    transports = {"queue": {"type": SQS, "queueUrl": QUEUE}, "function": {"type": LAMBDA, "function": FUNCTION}}

    client = OpenLineageClient(config={"transport": {"type": "composite", "transports": transports}})
    client.emit(an_event())

    assert [call.path.partition("?")[0] for call in service.calls] == [
        "/",
        f"/2015-03-31/functions/{FUNCTION.replace(':', '%3A')}/invocations",
    ]
    assert json.loads(bodies_of(service.requests[0])[0]) == service.requests[1]
    assert client.close()


def bodies_of(request: dict[str, Any]) -> list[str]:
    return [entry["MessageBody"] for entry in request["Entries"]]


def test_a_function_by_name_takes_the_region_that_is_given(service: Service) -> None:
    service.faults = [INVOKED]
    options = {"type": LAMBDA, "function": "input", "region": "eu-north-1"}

    OpenLineageClient(config={"transport": options}).emit(JobEvent(eventTime="2025-11-20T12:00:00Z", job=Job("a", "b")))

    assert service.requests[0]["job"]["name"] == "b"
    assert "/eu-north-1/lambda/aws4_request" in service.calls[0].headers["Authorization"]


@pytest.mark.parametrize(
    ("transport", "options", "message"),
    [
        (SQS, {}, "^transport.queueUrl: is required$"),
        (SQS, {"queueUrl": ""}, "^transport.queueUrl: must be a text, got ''$"),
        (SQS, {"queueUrl": 7}, "^transport.queueUrl: must be a text, got 7$"),
        (SQS, {"queueUrl": QUEUE, "timeout": "soon"}, "timeout: must be a number of seconds above 0, got 'soon'$"),
        (SQS, {"queueUrl": QUEUE, "timeout": 0}, "timeout: must be a number of seconds above 0, got 0$"),
        (LAMBDA, {"region": "eu-west-1"}, "^transport.function: is required$"),
        (LAMBDA, {"function": FUNCTION, "region": 1}, "^transport.region: must be a text, got 1$"),
    ],
)
def test_an_option_that_makes_no_sense_is_named(transport: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(Misconfigured, match=message):
        OpenLineageClient(config={"transport": {"type": transport, **options}})


def test_what_may_pass_is_tried_again_and_what_may_not_is_raised(service: Service) -> None:
    throttled = failing(400, {"__type": "com.amazonaws.sqs#RequestThrottled", "message": "later"})
    failed = {"Id": "0", "Code": "InternalError", "SenderFault": False}
    service.faults = [throttled, failing(200, {"Failed": [failed]}), TAKEN]
    transport = SqsTransport(SqsConfig(QUEUE, timeout=20))

    transport.emit(an_event())
    assert len(service.calls) == 3

    service.faults = [failing(200, {"Failed": [{**failed, "Code": "InvalidMessageContents", "SenderFault": True}]})]
    with pytest.raises(Refused, match="InvalidMessageContents"):
        transport.emit(an_event())


def test_the_functions_own_errors_are_raised_or_tried_again(service: Service) -> None:
    def error(name: str) -> Any:
        return failing(
            200, {"errorType": name, "errorMessage": "run.runId: is required"}, X_Amz_Function_Error="Unhandled"
        )

    service.faults = [error("Unavailable"), INVOKED, error("Invalid")]
    transport = LambdaTransport(LambdaConfig(FUNCTION, timeout=20))

    transport.emit(an_event())
    with pytest.raises(Refused, match=r"run\.runId: is required"):
        transport.emit(an_event())


def test_when_the_time_is_up_it_is_given_up(service: Service) -> None:
    service.faults = [failing(503, {})] * 50
    with pytest.raises(Undelivered, match="gave up after"):
        SqsTransport(SqsConfig(QUEUE, timeout=0.5)).emit(an_event())


def test_an_event_above_a_message_is_refused_by_name_before_it_is_sent(service: Service) -> None:
    with pytest.raises(Refused, match=r"^TooLarge: event: must be at most 1048576 bytes for SQS, got 1048759$"):
        SqsTransport(SqsConfig(QUEUE)).emit(an_event("é" * 524_200))

    assert service.calls == []


def test_characters_that_sqs_refuses_travel_escaped(service: Service) -> None:
    service.faults = [TAKEN]
    name = "a\x00\x1f\ufffe\uffffé\U0001f6eb"

    SqsTransport(SqsConfig(QUEUE)).emit(an_event(name))

    (body,) = bodies(service)
    assert json.loads(body)["job"]["name"] == name
    assert not {"\x00", "\x1f", "\ufffe", "\uffff"} & set(body)


def test_a_dict_is_sent_as_it_is(service: Service) -> None:
    service.faults = [TAKEN]

    SqsTransport(SqsConfig(QUEUE)).emit({"job": {"name": "x"}})  # type: ignore[arg-type]

    assert json.loads(bodies(service)[0]) == {"job": {"name": "x"}}
