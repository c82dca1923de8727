"""The forwarding of events: nothing of it without an endpoint, and with one no more rights than it needs."""

import json

import pytest

from headwater.features.forwarding.announcements import EVENTS_MAX
from headwater.features.forwarding.endpoint import TIMEOUT_S
from headwater.features.forwarding.forwarder import WAIT_MAX_S
from headwater.features.forwarding.function import RESERVED_MS, longest_wait_s
from tests.features.forwarding.stacks import DOMAIN, SHARED
from tests.policies import decide

MINUTE, DAY = 60, 86_400


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
