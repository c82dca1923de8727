"""Nothing goes wrong in silence: what is watched, who is notified, and where it says what to do."""

from __future__ import annotations

import json
import re

import pytest

from tests.stack.assemblies import PROJECT

GUIDE = PROJECT / "docs" / "operations.md"
AT_LEAST, BELOW = "GreaterThanOrEqualToThreshold", "LessThanThreshold"
MINUTES, HOURS, DAYS = 60, 3600, 86400


def watched(template, **dimensions) -> dict[str, tuple]:
    """Metric -> (comparison, threshold, periods, seconds a period) of the alarms on one dimension."""
    [(dimension, value)] = dimensions.items()
    return {
        alarm["MetricName"]: (
            alarm["ComparisonOperator"],
            alarm["Threshold"],
            alarm["EvaluationPeriods"],
            alarm["Period"],
        )
        for alarm in template.of_type("AWS::CloudWatch::Alarm").values()
        if {"Name": dimension, "Value": value} in alarm.get("Dimensions", [])
    }


def test_every_dead_letter_alarms_at_once_and_again_before_sqs_drops_it(template):
    for queue in ("RecordsDeadLetters", "EventsDeadLetters", "ChangesDeadLetters", "TraceDeadLetters"):
        assert watched(template, QueueName=f"{queue}.QueueName") == {
            "ApproximateNumberOfMessagesVisible": (AT_LEAST, 1, 1, 5 * MINUTES),
            "ApproximateAgeOfOldestMessage": (AT_LEAST, 7 * DAYS, 1, 5 * MINUTES),
        }


@pytest.mark.parametrize(
    ("queue", "age_max_s"),
    [
        ("RecordsQueue", 30 * MINUTES),
        ("PackedQueue", 30 * MINUTES),
        ("EventsQueue", 15 * MINUTES),
        ("ChangesQueue", 15 * MINUTES),
        ("TraceQueue", 2 * HOURS),
    ],
)
def test_a_queue_that_no_function_keeps_up_with_alarms(template, queue, age_max_s):
    assert watched(template, QueueName=f"{queue}.QueueName") == {
        "ApproximateAgeOfOldestMessage": (AT_LEAST, age_max_s, 1, 5 * MINUTES)
    }


def test_every_queue_is_watched(template):
    for queue in template.of_type("AWS::SQS::Queue"):
        assert "ApproximateAgeOfOldestMessage" in watched(template, QueueName=f"{queue}.QueueName")


def test_every_functions_lasting_errors_and_throttles_alarm(template):
    for function in template.of_type("AWS::Lambda::Function"):
        expected = {"Errors": (AT_LEAST, 1, 3, 5 * MINUTES), "Throttles": (AT_LEAST, 1, 3, 5 * MINUTES)}
        if function == "ExpiredFunction":
            expected["IteratorAge"] = (AT_LEAST, 1000 * HOURS, 1, 5 * MINUTES)
        assert watched(template, FunctionName=function) == expected


def test_every_way_a_compaction_can_fail_alarms(template):
    alarm = template.of_type("AWS::CloudWatch::Alarm")["CompactionFailed"]
    expression, *parts = sorted(alarm["Metrics"], key=lambda metric: "Expression" not in metric)
    assert expression["Expression"] == "failed + timed_out + aborted"
    assert {part["Id"]: part["MetricStat"]["Metric"]["MetricName"] for part in parts} == {
        "failed": "ExecutionsFailed",
        "timed_out": "ExecutionsTimedOut",
        "aborted": "ExecutionsAborted",
    }
    assert (alarm["ComparisonOperator"], alarm["Threshold"]) == (AT_LEAST, 1)


def test_a_compaction_that_never_began_alarms(template):
    alarm = template.of_type("AWS::CloudWatch::Alarm")["CompactionMissing"]
    assert watched(template, StateMachineArn="StateMachine") == {"ExecutionsSucceeded": (BELOW, 1, 1, 1 * DAYS)}
    assert alarm["TreatMissingData"] == "breaching"


@pytest.mark.parametrize(
    ("metric", "service", "least"),
    [
        ("RecordsDisplaced", "load", 1),
        ("RootsTooLarge", "trace", 1),
        ("RootsRefused", "trace", 1),
        ("RootsMissed", "compact", 1),
        ("DaysUnpublished", "compact", 3),
    ],
)
def test_what_our_own_metrics_should_never_count_alarms(template, metric, service, least):
    alarm = template.of_type("AWS::CloudWatch::Alarm")[metric]
    assert (alarm["Namespace"], alarm["MetricName"]) == ("Headwater/prod", metric)
    assert alarm["Dimensions"] == [{"Name": "service", "Value": service}]
    assert (alarm["ComparisonOperator"], alarm["Threshold"], alarm["Statistic"]) == (AT_LEAST, least, "Sum")


def test_the_apis_own_failures_alarm(template):
    alarm = template.of_type("AWS::CloudWatch::Alarm")["ApiServerErrors"]
    assert (alarm["MetricName"], alarm["Statistic"], alarm["Threshold"]) == ("5XXError", "Sum", 1)


def test_the_failures_of_both_apis_alarm_where_there_are_two(turned):
    alarms = turned.of_type("AWS::CloudWatch::Alarm")
    assert alarms["TokenApiServerErrors"]["MetricName"] == "5XXError"
    assert alarms["TokenApiServerErrors"]["AlarmDescription"].endswith("#apiservererrors")


def refusals(template):
    """Return what the access logs are counted into: (log, pattern) -> metric."""
    return {
        (each["LogGroupName"], each["FilterPattern"]): tuple(
            (to["MetricNamespace"], to["MetricName"], to["MetricValue"]) for to in each["MetricTransformations"]
        )
        for each in template.of_type("AWS::Logs::MetricFilter").values()
    }


@pytest.mark.parametrize(
    ("fixture", "stage", "access_logs"),
    [
        ("template", "prod", ["AccessLog"]),
        ("turned", "dev", ["AccessLog", "TokenAccessLog"]),
    ],
)
def test_refused_requests_are_counted_and_many_of_them_are_an_alarm(fixture, stage, access_logs, request):
    stack, metrics = request.getfixturevalue(fixture), {"401": "RequestsUnauthorized", "403": "RequestsForbidden"}
    assert refusals(stack) == {
        (access_log, f'{{ $.status = "{status}" }}'): ((f"Headwater/{stage}", metric, "1"),)
        for access_log in access_logs
        for status, metric in metrics.items()
    }
    for metric in metrics.values():
        alarm = stack.of_type("AWS::CloudWatch::Alarm")[metric]
        assert (alarm["Namespace"], alarm["MetricName"]) == (f"Headwater/{stage}", metric)
        assert (alarm["ComparisonOperator"], alarm["Threshold"], alarm["Statistic"]) == (AT_LEAST, 20, "Sum")
        assert (alarm["Period"], alarm["TreatMissingData"]) == (5 * MINUTES, "notBreaching")


def test_every_access_log_is_counted(turned):
    stages = turned.of_type("AWS::ApiGateway::Stage").values()
    logs = {stage["AccessLogSetting"]["DestinationArn"].removesuffix(".Arn") for stage in stages}
    assert {log for log, _ in refusals(turned)} == logs


def test_every_alarm_notifies_the_topic_and_again_when_all_is_well(template):
    for alarm in template.of_type("AWS::CloudWatch::Alarm").values():
        assert (alarm["AlarmActions"], alarm["OKActions"]) == (["Topic"], ["Topic"])


def headings_named_in(template) -> set[str]:
    alarms = template.of_type("AWS::CloudWatch::Alarm").values()
    return {alarm["AlarmDescription"].rpartition("What to do: docs/operations.md#")[2] for alarm in alarms}


def headings_of_the_guide() -> list[str]:
    return sorted(heading.lower() for heading in re.findall(r"^### (\w+)$", GUIDE.read_text("utf-8"), re.MULTILINE))


def test_every_alarm_names_a_heading_of_the_operations_guide(template):
    assert headings_named_in(template) - set(headings_of_the_guide()) == set()


def test_every_such_heading_has_an_alarm_of_some_stack(template, turned, named):
    stacks = (template, turned, *named.values())
    assert sorted(set().union(*map(headings_named_in, stacks))) == headings_of_the_guide()


def test_alarms_may_publish_to_the_encrypted_topic_and_nobody_else_may_without_tls(template):
    """CloudWatch publishes as a service: without these statements its alarms fail, and nothing says so."""
    ours = {"StringEquals": {"aws:SourceAccount": "AWS::AccountId"}}
    cloudwatch = {"Service": "cloudwatch.amazonaws.com"}
    assert template.of_type("AWS::SNS::Topic")["Topic"] == {"KmsMasterKeyId": "TopicKey.Arn"}
    policy = template.of_type("AWS::SNS::TopicPolicy")["TopicPolicy"]["PolicyDocument"]["Statement"]
    assert [(each["Effect"], each["Principal"], each["Action"], each["Condition"]) for each in policy] == [
        ("Deny", "*", "sns:Publish", {"Bool": {"aws:SecureTransport": "false"}}),
        ("Allow", cloudwatch, "sns:Publish", ours),
    ]
    key = template.of_type("AWS::KMS::Key")["TopicKey"]
    assert key["EnableKeyRotation"] is True
    assert {
        "Effect": "Allow",
        "Principal": cloudwatch,
        "Action": ["kms:Decrypt", "kms:GenerateDataKey*"],
        "Resource": "*",
        "Condition": ours,
    } in key["KeyPolicy"]["Statement"]


def test_alarms_are_mailed_only_where_the_context_value_gives_an_address(template, turned):
    assert template.of_type("AWS::SNS::Subscription") == {}
    [subscription] = turned.of_type("AWS::SNS::Subscription").values()
    assert subscription == {"Protocol": "email", "TopicArn": "Topic", "Endpoint": "ops@example.org"}


def test_the_dashboard_shows_every_alarm_and_fits_the_grid(template):
    [dashboard] = template.of_type("AWS::CloudWatch::Dashboard").values()
    body = json.loads(dashboard["DashboardBody"])
    [status] = [widget for widget in body["widgets"] if widget["type"] == "alarm"]
    alarms = template.of_type("AWS::CloudWatch::Alarm")
    assert sorted(status["properties"]["alarms"]) == sorted(f"{name}.Arn" for name in alarms)
    assert max(widget["x"] + widget["width"] for widget in body["widgets"]) == 24
