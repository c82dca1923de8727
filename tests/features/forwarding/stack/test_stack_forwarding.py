"""The forwarding of events: nothing of it without an endpoint, and with one no more rights than it needs."""

import json

import pytest

from headwater.features.forwarding.announcements import EVENTS_MAX
from headwater.features.forwarding.endpoint import TIMEOUT_S
from headwater.features.forwarding.forwarder import WAIT_MAX_S
from headwater.features.forwarding.function import RESERVED_MS, longest_wait_s
from tests.features.forwarding.stacks import DOMAIN, SHARED
from tests.policies import decide
from tests.templates import readable

URL = "https://marquez.example/api/v1/lineage"
NAMESPACES = '["flights*", "payments"]'
QUEUE = {
    "FifoQueue": True,
    "SqsManagedSseEnabled": True,
    "MaximumMessageSize": 1_048_576,
    "MessageRetentionPeriod": 14 * 86_400,
}
MINUTE, DAY = 60, 86_400


def test_a_stack_that_forwards_nothing_has_nothing_of_it(template):
    parts = {name: part for name, part in template.content["Resources"].items() if "Dashboard" not in name}
    assert [name for name in parts if "Forward" in name] == []
    assert "FORWARD" not in json.dumps(template.content)
    assert [name for name in template.content["Outputs"] if "Forward" in name] == []


def test_announcements_have_a_fifo_queue_with_dead_letters_of_its_own(turned):
    queues = turned.of_type("AWS::SQS::Queue")
    assert queues["ForwardDeadLetters"] == QUEUE
    redrive = {"deadLetterTargetArn": "ForwardDeadLetters.Arn", "maxReceiveCount": 1000}
    assert queues["ForwardQueue"] == {**QUEUE, "RedrivePolicy": redrive, "VisibilityTimeout": 1800}
    assert readable(turned.content["Outputs"]["ForwardQueueUrl"]["Value"]) == "ForwardQueue"
    assert readable(turned.content["Outputs"]["ForwardDeadLettersUrl"]["Value"]) == "ForwardDeadLetters"


def test_the_events_function_alone_may_announce_and_people_who_redrive(turned):
    policy = turned.of_type("AWS::SQS::QueuePolicy")["ForwardQueuePolicy"]["PolicyDocument"]["Statement"]
    assert [(each["Effect"], each["Action"], each["Condition"]) for each in policy] == [
        ("Deny", "sqs:*", {"Bool": {"aws:SecureTransport": "false"}}),
        (
            "Deny",
            "sqs:SendMessage",
            {
                "ArnNotEquals": {"aws:PrincipalArn": ["EventsFunctionRole.Arn"]},
                "StringNotEquals": {"aws:PrincipalTag/headwater": ["operator"]},
            },
        ),
    ]


def test_the_functions_get_what_they_need_and_no_more(turned):
    functions = turned.of_type("AWS::Lambda::Function")
    own = {
        name: value
        for name, value in functions["ForwardFunction"]["Environment"]["Variables"].items()
        if not name.startswith("POWERTOOLS") and name not in ("LOG_LEVEL", "PYDANTIC_DISABLE_PLUGINS")
    }
    assert own == {
        "DYNAMODB_CLIENT": "boto3",
        "ARCHIVE_BUCKET": "ArchiveBucket",
        "FORWARD_URL": URL,
        "FORWARD_NAMESPACES": NAMESPACES,
        "FORWARD_SECRET": "marquez/token",
        "FORWARD_QUEUE_URL": "ForwardQueue",
        "FORWARD_DLQ_URL": "ForwardDeadLetters",
    }
    with_queue = {name for name, each in functions.items() if "FORWARD_QUEUE_URL" in each["Environment"]["Variables"]}
    assert with_queue == {"EventsFunction", "ForwardFunction"}
    assert functions["EventsFunction"]["Environment"]["Variables"]["FORWARD_NAMESPACES"] == NAMESPACES
    assert turned.allowed("EventsFunction")["ForwardQueue.Arn"] == {"sqs:SendMessage"}


@pytest.mark.parametrize(
    ("stack", "variable", "arn"),
    [
        ("datazone", DOMAIN, f"arn:AWS::Partition:datazone:AWS::Region:AWS::AccountId:domain/{DOMAIN}"),
        ("shared datazone", SHARED, SHARED),
    ],
)
def test_a_domain_of_datazone_gets_events_by_a_right_on_this_domain_alone(named, turned, stack, variable, arn):
    allowed = named[stack].allowed("ForwardFunction")
    assert {each: actions for each, actions in allowed.items() if "datazone" in str(actions)} == {
        arn: {"datazone:PostLineageEvent"}
    }
    assert allowed.keys() - {arn} == {each for each in turned.allowed("ForwardFunction") if "secret" not in each}
    variables = named[stack].of_type("AWS::Lambda::Function")["ForwardFunction"]["Environment"]["Variables"]
    assert variables["FORWARD_DOMAIN"] == variable
    assert variables.keys().isdisjoint({"FORWARD_URL", "FORWARD_SECRET"})
    assert "datazone" not in json.dumps(turned.content)


@pytest.mark.parametrize("action", ["BatchGetItem", "BatchWriteItem"])
def test_the_events_function_marks_what_it_announced_where_events_are_forwarded(template, turned, action):
    decisions = [
        decide(each.statements("EventsFunction"), f"dynamodb:{action}", "GraphTable.Arn", dynamodb_LeadingKeys=[pk])
        for each, pk in ((template, "ANNOUNCED#0"), (turned, "ANNOUNCED#0"), (turned, "STAGED#0"))
    ]
    assert decisions == ["neither", "allowed", "neither"]


def test_the_forward_function_reads_events_and_one_secret_and_writes_dead_letters_alone(turned):
    secret = "arn:AWS::Partition:secretsmanager:AWS::Region:AWS::AccountId:secret:marquez/token-??????"
    assert turned.allowed("ForwardFunction") == {
        "ForwardQueue.Arn": {
            "sqs:ReceiveMessage",
            "sqs:DeleteMessage",
            "sqs:ChangeMessageVisibility",
            "sqs:GetQueueAttributes",
        },
        "ForwardDeadLetters.Arn": {"sqs:SendMessage"},
        "ArchiveBucket.Arn": {"s3:ListBucket"},
        "ArchiveBucket.Arn/events/*": {"s3:GetObject"},
        secret: {"secretsmanager:GetSecretValue"},
        "ForwardFunctionLogs.Arn": {"logs:CreateLogStream", "logs:PutLogEvents"},
    }


def test_a_batch_is_as_large_as_a_fifo_queue_allows_and_few_run_at_a_time(turned):
    assert turned.of_type("AWS::Lambda::EventSourceMapping")["ForwardFunctionAnnouncements"] == {
        "EventSourceArn": "ForwardQueue.Arn",
        "BatchSize": 10,
        "FunctionName": "ForwardFunction",
        "FunctionResponseTypes": ["ReportBatchItemFailures"],
        "ScalingConfig": {"MaximumConcurrency": 10},
    }


def test_the_function_ends_the_slowest_announcement_before_its_own_time_does(turned):
    """Else a slow endpoint would get the first events of an announcement again and again, and never the last."""
    timeout_s = turned.of_type("AWS::Lambda::Function")["ForwardFunction"]["Timeout"]
    assert timeout_s - RESERVED_MS / 1000 >= EVENTS_MAX * TIMEOUT_S
    assert RESERVED_MS / 1000 > TIMEOUT_S
    assert turned.of_type("AWS::SQS::Queue")["ForwardQueue"]["VisibilityTimeout"] >= 6 * timeout_s


def test_what_waits_is_a_dead_letter_before_sqs_drops_it_and_not_for_its_receives(turned):
    queue = turned.of_type("AWS::SQS::Queue")["ForwardQueue"]
    assert queue["MessageRetentionPeriod"] - WAIT_MAX_S == DAY
    receives = queue["RedrivePolicy"]["maxReceiveCount"]
    # Waits are shorter by a quarter at most, as `lambdas.sqs_batch` has it.
    assert sum(0.75 * longest_wait_s(number) for number in range(1, receives)) > WAIT_MAX_S


def test_a_lane_tries_again_within_a_minute_of_the_end_of_an_outage_of_three_hours():
    short = [0.75 * longest_wait_s(number) for number in range(1, 401)]
    assert sum(short) > 3 * 60 * MINUTE
    assert longest_wait_s(400) + TIMEOUT_S < MINUTE


def test_the_lag_and_the_dead_letters_alarm(turned):
    alarms = turned.of_type("AWS::CloudWatch::Alarm")
    assert (alarms["ForwardQueueLate"]["MetricName"], alarms["ForwardQueueLate"]["Threshold"]) == (
        "ApproximateAgeOfOldestMessage",
        60 * MINUTE,
    )
    assert alarms["ForwardDeadLettersWaiting"]["Threshold"] == 1
    assert alarms["ForwardDeadLettersOld"]["Threshold"] == 7 * DAY
    assert alarms["ForwardFunctionErrors"]["EvaluationPeriods"] == 3


def test_the_dashboard_has_a_row_of_it_where_it_is_on(template, turned):
    [off], [on] = (
        [board["DashboardBody"] for board in stack.of_type("AWS::CloudWatch::Dashboard").values()]
        for stack in (template, turned)
    )
    assert "Forward" not in off
    for name in ("ForwardedEvents", "ForwardRefused", "ForwardBuried", "ForwardUnsendable", "ForwardLagSeconds"):
        assert name in on
