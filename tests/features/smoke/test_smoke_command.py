"""`headwater smoke`: which steps run, how they end, and what only a stack on AWS has."""

from types import SimpleNamespace

import boto3
import pytest
from moto import mock_aws

from headwater.cli.deployment import Deployment
from headwater.cli.service import NoResponse
from headwater.features.smoke import steps
from headwater.features.smoke.trial import Lacking, Step, StepFailed, Trial, run_steps

KEYS = {"aws_access_key_id": "x", "aws_secret_access_key": "x", "region_name": "eu-central-1"}
ALARM = {
    "AlarmName": "DeadLetters",
    "ComparisonOperator": "GreaterThanThreshold",
    "EvaluationPeriods": 1,
    "MetricName": "m",
    "Namespace": "n",
    "Period": 60,
    "Statistic": "Sum",
    "Threshold": 0,
}


class Clock:
    now_s = 0.0

    def __call__(self):
        return self.now_s

    def sleep(self, pause_s):
        self.now_s += pause_s


def a_trial(outputs=None, **fields):
    clock = Clock()
    given = {"is_local": False, "wait_s": 10, "sleep": clock.sleep, "clock": clock, **fields}
    return Trial(Deployment(outputs or {}, KEYS, "Headwater-test"), **given)


def raising(error):
    def run(_):
        raise error

    return run


def results(trial, *chosen, skipped=()):
    return {outcome.step: (outcome.result, outcome.detail) for outcome in run_steps(chosen, trial, skipped, str)}


def test_a_step_runs_only_after_those_that_it_needs_and_others_run_all_the_same():
    ran = results(
        a_trial(),
        Step("refused", raising(NoResponse("HTTP 403: no"))),
        Step("after it", str, ("refused",)),
        Step("lacking", raising(Lacking("no such thing"))),
        Step("wrong", raising(StepFailed("2 records,\n not 3"))),
        Step("left out", str),
        Step("good", lambda _: "seen"),
        Step("after good", lambda _: "seen", ("good",)),
        skipped={"left out"},
    )

    assert ran == {
        "refused": ("failed", "HTTP 403: no"),
        "after it": ("skipped", "it needs refused"),
        "lacking": ("skipped", "no such thing"),
        "wrong": ("failed", "2 records, not 3"),
        "left out": ("skipped", "--skip"),
        "good": ("passed", "seen"),
        "after good": ("passed", "seen"),
    }


def test_what_does_not_come_is_waited_for_and_named_with_the_last_refusal():
    trial = a_trial()

    with pytest.raises(StepFailed, match=r"no node after 10 s \(HTTP 404: none\)"):
        trial.until(raising_each_time(NoResponse("HTTP 404: none")), "no node")

    assert trial.clock() == 10


def raising_each_time(error):
    return lambda: raising(error)(None)


class WithAnAlarm(Trial):
    """A trial of a stack with one alarm; moto makes no alarms of a template."""

    def client(self, service):
        if service != "cloudformation":
            return super().client(service)
        resource = {"ResourceType": "AWS::CloudWatch::Alarm", "PhysicalResourceId": "DeadLetters"}
        pages = [{"StackResourceSummaries": [{"ResourceType": "AWS::SQS::Queue", "PhysicalResourceId": "q"}, resource]}]
        return SimpleNamespace(get_paginator=lambda _: SimpleNamespace(paginate=lambda **_: pages))


@mock_aws
def test_an_alarm_that_fires_is_named():
    trial = WithAnAlarm(Deployment({}, KEYS, "Headwater-test"), is_local=False, wait_s=1)
    cloudwatch = boto3.client("cloudwatch", **KEYS)
    cloudwatch.put_metric_alarm(**ALARM)
    cloudwatch.put_metric_alarm(**{**ALARM, "AlarmName": "of others"})
    cloudwatch.set_alarm_state(AlarmName="of others", StateValue="ALARM", StateReason="one")

    assert steps.look_at_alarms(trial) == "none of 1 fires"

    cloudwatch.set_alarm_state(AlarmName="DeadLetters", StateValue="ALARM", StateReason="one")
    with pytest.raises(StepFailed, match=r"^in ALARM: DeadLetters$"):
        steps.look_at_alarms(trial)


@mock_aws
def test_dead_letters_are_counted_by_queue():
    sqs = boto3.client("sqs", **KEYS)
    urls = {name: sqs.create_queue(QueueName=name)["QueueUrl"] for name in ("records", "events")}
    trial = a_trial({"RecordsDeadLettersUrl": urls["records"], "EventsDeadLettersUrl": urls["events"], "ApiUrl": "x"})

    assert steps.look_at_dead_letters(trial) == "none in 2 queues"

    sqs.send_message(QueueUrl=urls["events"], MessageBody="one")
    with pytest.raises(StepFailed, match=r"^1 in EventsDeadLetters: "):
        steps.look_at_dead_letters(trial)
