from __future__ import annotations

import pytest

from headwater_model.ids import derive_node_id
from spark_client import LineageClient, Misconfigured, RecordResult, Refused
from tests.unit.spark_client.lineage_service import SHORT, TTL_S, Service, Watch, failing, hanging_up

NOW = 1_357_016_400
ARN = "arn:aws:lambda:eu-west-1:123456789012:function:input"


@pytest.fixture
def lineage(service: Service, watch: Watch, monkeypatch: pytest.MonkeyPatch) -> LineageClient:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_ENDPOINT_URL_LAMBDA", service.url)
    monkeypatch.setenv("HEADWATER_FUNCTION", ARN)
    return LineageClient(strict=True, retry=SHORT, clock=watch.clock)


def function_error(name: str, message: str) -> object:
    return failing(200, {"errorType": name, "errorMessage": message}, X_Amz_Function_Error="Unhandled")


def test_a_record_travels_as_the_payload_of_an_invocation(service: Service, lineage: LineageClient) -> None:
    with lineage:
        result = lineage.record("flights", "flights", "READ", "s3://raw", request_id="r-1")

    node_id = derive_node_id("flights", "flights", "READ", "r-1", 0)
    assert [call.path for call in service.calls] == [f"/2015-03-31/functions/{ARN.replace(':', '%3A')}/invocations"]
    assert service.requests[0]["record"] == {"node_id": node_id, "storage_location": "s3://raw"}
    assert result == RecordResult("flights", "READ", NOW, NOW + TTL_S, node_id, "s3://raw", delivered=True)


@pytest.mark.parametrize("name", ["Invalid", "TooLarge", "Conflict"])
def test_the_function_s_refusal_is_named_and_not_tried_again(
    service: Service, lineage: LineageClient, name: str
) -> None:
    service.faults = [function_error(name, "root_id: must not be empty, got ''")]  # type: ignore[list-item]

    with pytest.raises(Refused, match=f"^{name}: root_id: must not be empty, got ''$"):
        lineage.record("flights", "flights", "READ", "s3://raw")

    assert len(service.requests) == 1


PASSING = [
    pytest.param(function_error("Unavailable", "the queue kept refusing"), id="unavailable"),
    pytest.param(function_error("Sandbox.Timedout", "Task timed out after 30.00 seconds"), id="timed out"),
    pytest.param(failing(429, {"Type": "User"}, X_Amzn_ErrorType="TooManyRequestsException"), id="throttled"),
    pytest.param(failing(500, {}, X_Amzn_ErrorType="ServiceException"), id="service exception"),
    pytest.param(hanging_up, id="hung up"),
]


@pytest.mark.parametrize("fault", PASSING)
def test_what_may_pass_is_tried_again(service: Service, lineage: LineageClient, watch: Watch, fault: object) -> None:
    service.faults = [fault, fault]  # type: ignore[list-item]

    assert lineage.record("flights", "flights", "READ", "s3://raw").delivered
    assert len(service.requests) == 3
    assert watch.pauses == [1, 2]


def test_a_function_that_does_not_exist_is_a_refusal(service: Service, lineage: LineageClient) -> None:
    service.faults = [failing(404, {"Message": "Function not found"}, X_Amzn_ErrorType="ResourceNotFoundException")]

    with pytest.raises(Refused, match=r"^ResourceNotFoundException: Function not found$"):
        lineage.record("flights", "flights", "READ", "s3://raw")


def test_missing_credentials_are_named(lineage: LineageClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")

    with pytest.raises(Misconfigured, match="credentials"):
        lineage.record("flights", "flights", "READ", "s3://raw")
