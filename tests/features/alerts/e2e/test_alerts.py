"""Alerts on the local stack: what fails is shown at once, and what is late when the schedule comes to it."""

import json
from datetime import datetime, timedelta, timezone
from urllib.request import Request, urlopen

import boto3
import pytest

from headwater.features.alerts.serve import show
from local_stack.stack import LocalStack
from tests.builders_events import a_run_event
from tests.waiting import until

HOUR_S = 3_600


@pytest.mark.large
def test_alerts_are_shown_with_a_link_and_go_to_the_rules_of_others(synthesized, tmp_path):
    shown = []
    template = synthesized(alerts="eventbridge")
    with LocalStack(template, window_cap_s=0.2, schedules=True, logs=tmp_path, on_event=shown.append) as stack:
        sqs, bus = boto3.client("sqs", **stack.client_settings), stack.outputs["AlertsBusName"]
        queue_url = sqs.create_queue(QueueName="mine")["QueueUrl"]
        events = boto3.client("events", **stack.client_settings)
        events.put_rule(Name="mine", EventBusName=bus, EventPattern='{"source": ["headwater"]}')
        arn = "arn:aws:sqs:us-east-1:123456789012:mine"
        events.put_targets(Rule="mine", EventBusName=bus, Targets=[{"Id": "mine", "Arn": arn}])
        now = datetime.fromtimestamp(stack.now, timezone.utc)

        def send(number, time, **more):
            run = f"01941f29-7c00-7ea7-b5a3-4d2d5f0a1b{number:02}"
            body = json.dumps(a_run_event(run=run, eventTime=time.isoformat(), **more)).encode()
            urlopen(Request(f"{stack.api_url}/api/v1/lineage", body, {"Content-Type": "application/json"})).close()

        for day in range(8):
            send(day, now - timedelta(days=day, hours=20))
        send(90, now, job="check", outputs=[], eventType="FAIL")
        stack.drain()
        (failed,) = shown
        link = f"{stack.api_url}/explore/job?node=job%3Aemissions%3Acheck"
        assert show(failed) == (
            "alert RunFailed: emissions check: 1 run failed and no run of it completed. "
            f"0 jobs and datasets are downstream. Nobody owns it.\n  {link}"
        )
        (mine,) = sqs.receive_message(QueueUrl=queue_url)["Messages"]
        assert json.loads(mine["Body"])["detail"] == json.loads(failed["Detail"])

        stack.advance(7 * HOUR_S)
        until(lambda: len(shown) == 2)
        assert (shown[1]["DetailType"], list(stack.events)) == ("DatasetLate", shown)
        assert stack.errors == []
