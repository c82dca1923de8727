"""Functions: invoked by name, by boto3, by a state machine; their limits and their errors."""

import json
import os
from concurrent.futures import ThreadPoolExecutor

import boto3
import pytest


def a_payload(response):
    return {name: response.payload[name] for name in ("errorType", "errorMessage")}


def test_a_function_sees_its_variables_its_context_and_the_aws_endpoint(probe):
    response = probe.stack.invoke("AnswerName", {"a": 1})
    assert not response.failed
    assert response.payload["event"] == {"a": 1}
    assert response.payload["bucket"] == probe.stack.outputs["BucketName"]
    assert response.payload["name"] == probe.stack.outputs["AnswerName"]
    assert response.payload["memory"] == "256"
    assert 0 < response.payload["remaining_ms"] <= 60_000
    assert probe.stack.invoke("Names", {}).payload == [probe.stack.outputs["BucketName"]]


def test_a_function_keeps_its_process_from_one_invocation_to_the_next(probe):
    first, second = (probe.stack.invoke("Answer", {}).payload["pid"] for _ in range(2))
    assert first == second != os.getpid()


def test_an_exception_is_returned_as_lambda_returns_it(probe):
    response = probe.stack.invoke("Answer", {"do": "raise"})
    assert response.failed
    assert a_payload(response) == {"errorType": "Refused", "errorMessage": "told to"}
    assert sorted(response.payload) == ["errorMessage", "errorType", "requestId", "stackTrace"]


@pytest.mark.parametrize(
    ("name", "task", "error_type"),
    [
        ("Brief", "sleep", "Sandbox.Timedout"),
        ("Answer", "exit", "Runtime.ExitError"),
        ("Answer", "big", "Function.ResponseSizeTooLarge"),
        ("Answer", "unprintable", "Runtime.MarshalError"),
    ],
)
def test_a_function_that_breaks_a_limit_fails_and_the_next_invocation_works(probe, name, task, error_type):
    response = probe.stack.invoke(name, {"do": task})
    assert (response.failed, response.error_type) == (True, error_type)
    assert not probe.stack.invoke(name, {}).failed


def test_two_invocations_at_once_have_a_process_each(probe, tmp_path):
    with ThreadPoolExecutor() as executor:
        responses = list(executor.map(lambda _: probe.stack.invoke("Meet", {"folder": str(tmp_path)}), range(2)))
    assert [response.failed for response in responses] == [False, False]


def test_boto3_and_state_machines_run_the_same_function(probe):
    client = boto3.client("lambda", **probe.stack.client_settings)
    result = client.invoke(FunctionName=probe.stack.outputs["AnswerName"], Payload=b'{"a": 2}')
    assert json.load(result["Payload"])["event"] == {"a": 2}
    assert "FunctionError" not in result
    result = client.invoke(FunctionName=probe.stack.outputs["AnswerName"], Payload=b'{"do": "raise"}')
    assert (result["FunctionError"], json.load(result["Payload"])["errorType"]) == ("Unhandled", "Refused")
    assert probe.stack.run_state_machine({"a": 3})["event"] == {"a": 3}


def test_a_state_machine_catches_a_function_s_error_by_its_type(probe):
    entered = []
    output = probe.stack.run_state_machine({"do": "raise"}, progress=entered.append)
    assert (output["do"], output["caught"]["Error"]) == ("raise", "Refused")
    assert json.loads(output["caught"]["Cause"])["errorMessage"] == "told to"
    assert entered == ["Ask", "Caught"]
