"""Our changes of moto's Glue and state machines, beside the stock behaviour."""

from __future__ import annotations

import json
import threading
import time
import uuid

import boto3
import pytest
from moto import mock_aws
from moto.core.config import default_user_config
from moto.glue import models
from moto.glue.models import FakeJob
from moto.stepfunctions.parser.asl.component.state.exec.state_map.iteration import iteration_worker
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service.state_task_service_glue import (
    StateTaskServiceGlue,
)

from local_stack.aws import moto_glue, moto_patches
from local_stack.web.server import Reply, Server

REGION = "us-east-1"
SYNC = {
    "StartAt": "Run",
    "States": {
        "Run": {
            "Type": "Task",
            "Resource": "arn:aws:states:::glue:startJobRun.sync",
            "Parameters": {"JobName": "job", "Arguments": {"--day": "2026-11-20"}},
            "End": True,
        },
    },
}
A_MAP_THAT_FAILS = {
    "StartAt": "Each",
    "States": {
        "Each": {
            "Type": "Map",
            "ItemProcessor": {
                "ProcessorConfig": {"Mode": "INLINE"},
                "StartAt": "Fails",
                "States": {"Fails": {"Type": "Pass", "Parameters": {"a.$": "$.missing"}, "End": True}},
            },
            "End": True,
        }
    },
}


@pytest.fixture(autouse=True)
def stock(monkeypatch):
    """Every test begins and ends with moto as it was."""
    monkeypatch.setattr(FakeJob, "start_job_run", moto_glue._stock_start)
    monkeypatch.setattr(models, "FakeJobRun", moto_glue.FakeJobRun)
    monkeypatch.setattr(
        StateTaskServiceGlue,
        "_eval_integration_pattern",
        super(StateTaskServiceGlue, StateTaskServiceGlue)._eval_integration_pattern,
    )
    monkeypatch.setattr(iteration_worker, "CustomErrorName", moto_patches.CustomErrorName)
    monkeypatch.setitem(default_user_config, "stepfunctions", {"execute_state_machine": True})
    for name, value in (("ACCESS_KEY_ID", "k"), ("SECRET_ACCESS_KEY", "s"), ("DEFAULT_REGION", REGION)):
        monkeypatch.setenv(f"AWS_{name}", value)
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    with mock_aws(config={"stepfunctions": {"execute_state_machine": True}}):
        yield


@pytest.fixture
def glue():
    client = boto3.client("glue")
    client.create_job(Name="job", Role="r", Command={"Name": "glueetl"}, DefaultArguments={"--job": "compact_archive"})
    return client


class Runner:
    """Runs what moto sends to it, when it is let."""

    def __init__(self, ended):
        self.requested = []
        self.let = threading.Event()
        self._ended = ended
        self._server = Server(0, self._reply_to).open()
        self.url = self._server.url

    def _reply_to(self, request):
        self.requested.append((request.target, json.loads(request.body)))
        self.let.wait()
        return Reply(200, [], json.dumps(self._ended).encode())

    def stop(self):
        self.let.set()
        self._server.stop()


@pytest.fixture
def runner(request):
    runner = Runner(request.param)
    moto_glue.run_jobs_at(runner.url)
    yield runner
    runner.stop()


def ended(glue, run):
    while (result := glue.get_job_run(JobName="job", RunId=run)["JobRun"])["JobRunState"] == "RUNNING":
        time.sleep(0.02)
    return result


def execution_of(definition, machine_input="{}"):
    states = boto3.client("stepfunctions")
    role = "arn:aws:iam::123456789012:role/r"
    created = states.create_state_machine(name=f"m-{uuid.uuid4()}", definition=json.dumps(definition), roleArn=role)
    started = states.start_execution(stateMachineArn=created["stateMachineArn"], name="e", input=machine_input)
    while (result := states.describe_execution(executionArn=started["executionArn"]))["status"] == "RUNNING":
        time.sleep(0.02)
    return result


def test_stock_moto_runs_nothing_and_calls_it_a_success(glue):
    run = glue.start_job_run(JobName="job")["JobRunId"]
    assert glue.get_job_run(JobName="job", RunId=run)["JobRun"]["JobRunState"] == "SUCCEEDED"


def test_the_state_machines_of_stock_moto_break_on_a_job(glue):
    assert "'NoneType' object has no attribute 'interrupt_all'" in execution_of(SYNC)["cause"]


@pytest.mark.parametrize("runner", [{"state": "FAILED", "error": "told to"}], indirect=True)
def test_a_run_is_run_and_ends_as_it_ended(glue, runner):
    run = glue.start_job_run(JobName="job", Arguments={"--day": "2026-11-20"})["JobRunId"]
    result = glue.get_job_run(JobName="job", RunId=run)["JobRun"]
    assert result["JobRunState"] == "RUNNING"
    assert not {"CompletedOn", "ErrorMessage"} & result.keys()
    runner.let.set()
    result = ended(glue, run)
    assert (result["JobRunState"], result["ErrorMessage"]) == ("FAILED", "told to")
    arguments = {"--job": "compact_archive", "--day": "2026-11-20"}
    requested = {"job": "job", "run": run, "arguments": arguments, "timeout_s": 28_800}
    assert runner.requested == [(moto_glue.RUNS_PATH, requested)]


def test_a_run_that_nobody_runs_is_stopped(glue):
    moto_glue.run_jobs_at("http://127.0.0.1:9")
    result = ended(glue, glue.start_job_run(JobName="job")["JobRunId"])
    assert result["JobRunState"] == "STOPPED"
    assert "no server runs jobs" in result["ErrorMessage"]


@pytest.mark.parametrize("runner", [{"state": "SUCCEEDED", "error": ""}], indirect=True)
def test_a_state_machine_goes_on_when_a_run_has_ended(glue, runner):
    runner.let.set()
    result = execution_of(SYNC)
    assert (result["status"], json.loads(result["output"])["JobRunState"]) == ("SUCCEEDED", "SUCCEEDED")


def test_a_map_fails_with_the_error_of_its_state():
    stock = execution_of(A_MAP_THAT_FAILS, "[1]")
    assert "Custom Error Names MUST NOT begin with the prefix 'States.'" in stock["cause"]
    moto_patches.pass_errors_on_out_of_a_map()
    result = execution_of(A_MAP_THAT_FAILS, "[1]")
    assert (result["status"], result["error"][:7]) == ("FAILED", "States.")
    assert "$.missing" in result["cause"]
