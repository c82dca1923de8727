"""Alerts in the stack: nothing of them by default, the rights of their function, and each way to their readers."""

import pytest

from tests.features.alerts.stacks import TARGETS
from tests.policies import decide

pytestmark = pytest.mark.large


@pytest.fixture(params=TARGETS)
def stack(request, named):
    return named[request.param]


def resource(stack, kind):
    [definition] = stack.of_type(kind).values()
    return definition


@pytest.mark.parametrize("action", ["PutItem", "BatchWriteItem", "UpdateItem", "DeleteItem"])
def test_the_alerts_function_writes_its_own_rows_alone(stack, action):
    statements = stack.statements("AlertsAlertsFunction")
    decisions = {
        pk: decide(statements, f"dynamodb:{action}", "GraphTable.Arn", dynamodb_LeadingKeys=[pk])
        for pk in ("ALERT#a", "DUE#0", "RUN#r", "JOB#j", "DIRTY#d", "TOKENS")
    }
    writes = "allowed" if action in ("PutItem", "BatchWriteItem") else "neither"
    neither = dict.fromkeys(("RUN#r", "JOB#j", "DIRTY#d"), "neither")
    assert decisions == {"ALERT#a": writes, "DUE#0": writes, "TOKENS": "denied", **neither}


def test_the_alerts_function_reads_the_graph_and_no_record(stack):
    statements = stack.statements("AlertsAlertsFunction")
    for pk, decision in {"RUN#r": "allowed", "DATASET#d": "allowed", "DIRTY#d": "neither", "TOKENS": "neither"}.items():
        assert decide(statements, "dynamodb:Query", "GraphTable.Arn", dynamodb_LeadingKeys=[pk]) == decision
    assert decide(statements, "dynamodb:Query", "RecordsTable.Arn") == "neither"
    assert decide(statements, "events:PutEvents", "AlertsBus.Arn") == "allowed"
    assert decide(statements, "events:PutEvents", "OtherBus.Arn") == "neither"


def test_the_events_function_alone_queues_what_is_looked_at(stack):
    queue = "AlertsAlertsQueue.Arn"
    assert decide(stack.statements("EventsFunction"), "sqs:SendMessage", queue) == "allowed"
    for name in ("ApiFunction", "InputFunction", "LoadFunction", "AlertsAlertsFunction"):
        assert decide(stack.statements(name), "sqs:SendMessage", queue) == "neither"


def test_the_function_looks_at_what_is_due_four_times_an_hour(stack):
    rules = stack.of_type("AWS::Events::Rule").values()
    [due] = [rule for rule in rules if rule.get("ScheduleExpression") == "rate(15 minutes)"]
    assert [target["Arn"] for target in due["Targets"]] == ["AlertsAlertsFunction.Arn"]


def test_the_rules_and_the_address_of_the_explorer_are_the_functions(stack):
    function = stack.of_type("AWS::Lambda::Function")["AlertsAlertsFunction"]
    rules = str(function["Environment"]["Variables"]["ALERT_RULES"])
    assert '"pii": ["public*"]' in rules
    assert "explore/" in rules


def all_alerts(stack):
    [rule] = [rule for rule in stack.of_type("AWS::Events::Rule").values() if "EventPattern" in rule]
    [target] = rule["Targets"]
    assert rule["EventPattern"]["source"] == ["headwater"]
    assert {"RunFailed", "DatasetLate", "ColumnDropped"} <= set(rule["EventPattern"]["detail-type"])
    assert target["DeadLetterConfig"] == {"Arn": "AlertsAlertTargetsDeadLetters.Arn"}
    return target


def test_on_the_bus_alone_no_rule_takes_them(named):
    stack = named["bus"]
    assert [rule for rule in stack.of_type("AWS::Events::Rule").values() if "EventPattern" in rule] == []
    assert not [name for name in stack.of_type("AWS::SNS::Topic") if name.startswith("Alerts")]


def test_a_topic_gets_the_line_for_people(named):
    target = all_alerts(named["topic"])
    assert (target["Arn"], target["InputPath"]) == ("AlertsTopic", "$.detail.mail")
    assert "KmsMasterKeyId" in named["topic"].of_type("AWS::SNS::Topic")["AlertsTopic"]


def test_slack_gets_a_notification_by_chatbot_which_may_do_nothing_in_the_account(named):
    stack = named["slack"]
    transformer = all_alerts(stack)["InputTransformer"]
    assert '"source":"custom"' in transformer["InputTemplate"]
    assert set(transformer["InputPathsMap"].values()) == {"$.detail-type", "$.detail.mrkdwn"}
    channel = resource(stack, "AWS::Chatbot::SlackChannelConfiguration")
    assert (channel["SlackWorkspaceId"], channel["SlackChannelId"]) == ("T01AB", "C02CD")
    assert "AWSDenyAll" in str(channel["GuardrailPolicies"])
    # A name of Chatbot is of the whole account, and a stack is of a region.
    assert channel["ConfigurationName"] == "headwater-prod-alerts-AWS::Region"
    assert channel["SnsTopicArns"] == ["AlertsTopic"]


def test_a_webhook_gets_the_event_and_a_key(named):
    stack = named["webhook"]
    all_alerts(stack)
    destination = resource(stack, "AWS::Events::ApiDestination")
    assert (destination["InvocationEndpoint"], destination["HttpMethod"]) == (TARGETS["webhook"], "POST")
    key = resource(stack, "AWS::Events::Connection")["AuthParameters"]["ApiKeyAuthParameters"]
    assert key["ApiKeyName"] == "X-Headwater-Key"
    assert "resolve:secretsmanager" in str(key["ApiKeyValue"])
