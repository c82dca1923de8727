"""Nothing goes wrong in silence: what is watched, who is notified, and where it says what to do."""

from __future__ import annotations

import json
import re

import pytest

from tests.stack.assemblies import PROJECT

GUIDE = PROJECT / "docs" / "operations.md"
AT_LEAST = "GreaterThanOrEqualToThreshold"


def watched(template, dimension, value):
    """The metrics of the alarms on a dimension."""
    return {
        alarm["MetricName"]
        for alarm in template.of_type("AWS::CloudWatch::Alarm").values()
        if {"Name": dimension, "Value": value} in alarm.get("Dimensions", [])
    }


def test_every_queue_and_function_is_watched(template):
    age = "ApproximateAgeOfOldestMessage"
    for queue in template.of_type("AWS::SQS::Queue"):
        expected = {age, "ApproximateNumberOfMessagesVisible"} if queue.endswith("DeadLetters") else {age}
        assert watched(template, "QueueName", f"{queue}.QueueName") == expected
    for function in template.of_type("AWS::Lambda::Function"):
        expected = {"Errors", "IteratorAge"} if function == "ExpiredFunction" else {"Errors"}
        assert watched(template, "FunctionName", function) == expected
    assert "Dimensions" not in template.of_type("AWS::CloudWatch::Alarm")["FunctionThrottles"], "of the account"


def test_a_compaction_that_never_began_alarms(template):
    alarm = template.of_type("AWS::CloudWatch::Alarm")["CompactionMissing"]
    assert (alarm["MetricName"], alarm["Period"], alarm["TreatMissingData"]) == (
        "ExecutionsSucceeded",
        24 * 3600,
        "breaching",
    )


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


def test_the_failures_of_both_apis_alarm_where_there_are_two(turned):
    alarms = turned.of_type("AWS::CloudWatch::Alarm")
    assert alarms["TokenApiServerErrors"]["MetricName"] == "5XXError"
    assert alarms["TokenApiServerErrors"]["AlarmDescription"].endswith("#apiservererrors")


def test_the_metrics_of_an_api_are_those_of_its_stack(turned):
    """API Gateway counts by name and stage: two stacks of an account would share a name."""
    names = {api["Name"] for api in turned.of_type("AWS::ApiGateway::RestApi").values()}
    assert names == {"headwater-dev", "headwater-dev-tokens"}
    alarms = turned.of_type("AWS::CloudWatch::Alarm")
    [dashboard] = turned.of_type("AWS::CloudWatch::Dashboard").values()
    for api, name, stage in (
        ("Api", "headwater-dev", "QueryApiRestApiDeploymentStage"),
        ("TokenApi", "headwater-dev-tokens", "QueryApiTokenApiDeploymentStage"),
    ):
        dimensions = {each["Name"]: each["Value"] for each in alarms[f"{api}ServerErrors"]["Dimensions"]}
        assert dimensions.keys() == {"ApiName", "Stage"}
        assert dimensions["ApiName"] == name
        assert dimensions["Stage"].startswith(stage.removeprefix("QueryApi"))
        assert f'"ApiName","{name}","Stage"' in dashboard["DashboardBody"]


SIGNED = ("AccessLog", '{ $.status = "403" && $.caller != "-" }')
OF_TOKENS = ("ApiFunctionLogs", '{ $.message = "request" && $.status = 403 }')


@pytest.mark.parametrize(
    ("fixture", "stage", "expected"),
    [
        ("template", "prod", {SIGNED}),
        ("turned", "dev", {SIGNED, OF_TOKENS}),
    ],
)
def test_refusals_of_callers_with_a_credential_are_counted_and_many_are_an_alarm(fixture, stage, expected, request):
    stack = request.getfixturevalue(fixture)
    filters = stack.of_type("AWS::Logs::MetricFilter").values()
    assert {(each["LogGroupName"], each["FilterPattern"]) for each in filters} == expected
    counted = [(to["MetricNamespace"], to["MetricName"]) for each in filters for to in each["MetricTransformations"]]
    assert counted == [(f"Headwater/{stage}", "RequestsForbidden")] * len(expected)
    for metric, dimensions in (
        ("RequestsUnauthorized", [{"Name": "service", "Value": "api"}]),
        ("RequestsForbidden", []),
    ):
        alarm = stack.of_type("AWS::CloudWatch::Alarm")[metric]
        assert (alarm["Namespace"], alarm["MetricName"]) == (f"Headwater/{stage}", metric)
        assert alarm.get("Dimensions", []) == dimensions
        assert (alarm["ComparisonOperator"], alarm["Threshold"], alarm["Statistic"]) == (AT_LEAST, 20, "Sum")
        assert (alarm["Period"], alarm["TreatMissingData"]) == (300, "notBreaching")


PAGES = re.compile(r"\w+(DeadLettersWaiting|DeadLettersOld|QueueLate)|ExpiryLate|CompactionFailed|CompactionMissing")


def test_an_alarm_of_lost_time_pages_and_any_other_is_mailed_and_none_mails_its_end(template):
    alarms = template.of_type("AWS::CloudWatch::Alarm")
    assert {name: (alarm["AlarmActions"], alarm.get("OKActions")) for name, alarm in alarms.items()} == {
        name: (["Topic"] if PAGES.fullmatch(name) else ["MailTopic"], None) for name in alarms
    }


def test_an_alarm_also_ends_with_a_message_by_a_context_value(turned):
    alarms = turned.of_type("AWS::CloudWatch::Alarm").values()
    assert [alarm["OKActions"] for alarm in alarms] == [alarm["AlarmActions"] for alarm in alarms]


def headings_named_in(template):
    alarms = template.of_type("AWS::CloudWatch::Alarm").values()
    return {alarm["AlarmDescription"].rpartition("What to do: docs/operations.md#")[2] for alarm in alarms}


def headings_of_the_guide():
    return sorted(heading.lower() for heading in re.findall(r"^### (\w+)$", GUIDE.read_text("utf-8"), re.MULTILINE))


def test_every_alarm_names_a_heading_of_the_operations_guide(template):
    assert headings_named_in(template) - set(headings_of_the_guide()) == set()


def test_every_such_heading_has_an_alarm_of_some_stack(template, turned, named):
    stacks = (template, turned, *named.values())
    assert sorted(set().union(*map(headings_named_in, stacks))) == headings_of_the_guide()


def test_alarms_may_publish_to_the_topics_and_nobody_else_may_without_tls(template):
    """CloudWatch publishes as a service: without these statements its alarms fail, and nothing says so."""
    ours = {"StringEquals": {"aws:SourceAccount": "AWS::AccountId"}}
    cloudwatch = {"Service": "cloudwatch.amazonaws.com"}
    for topic in ("Topic", "MailTopic"):
        assert template.of_type("AWS::SNS::Topic")[topic] == {}
        policy = template.of_type("AWS::SNS::TopicPolicy")[f"{topic}Policy"]["PolicyDocument"]["Statement"]
        assert [(each["Effect"], each["Principal"], each["Action"], each["Condition"]) for each in policy] == [
            ("Deny", "*", "sns:Publish", {"Bool": {"aws:SecureTransport": "false"}}),
            ("Allow", cloudwatch, "sns:Publish", ours),
        ]
    assert template.of_type("AWS::KMS::Key") == {}


def test_alarms_are_mailed_only_where_the_context_value_gives_an_address(template, turned):
    assert template.of_type("AWS::SNS::Subscription") == {}
    subscriptions = sorted(turned.of_type("AWS::SNS::Subscription").values(), key=lambda each: each["TopicArn"])
    assert subscriptions == [
        {"Protocol": "email", "TopicArn": topic, "Endpoint": "ops@example.org"} for topic in ("MailTopic", "Topic")
    ]


def test_the_dashboard_shows_every_alarm_and_fits_the_grid(template, turned):
    assert not template.of_type("AWS::CloudWatch::Dashboard")
    [dashboard] = turned.of_type("AWS::CloudWatch::Dashboard").values()
    body = json.loads(dashboard["DashboardBody"])
    [status] = [widget for widget in body["widgets"] if widget["type"] == "alarm"]
    alarms = turned.of_type("AWS::CloudWatch::Alarm")
    assert sorted(status["properties"]["alarms"]) == sorted(f"{name}.Arn" for name in alarms)
    assert max(widget["x"] + widget["width"] for widget in body["widgets"]) == 24
