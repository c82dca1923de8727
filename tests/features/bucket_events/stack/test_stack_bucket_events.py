"""Events from buckets in the stack: nothing without a bucket, and with buckets no more rights than they need."""

import json

import pytest

from headwater.features.bucket_events.function import RESERVED_MS
from tests.templates import readable

QUEUE = {
    "SqsManagedSseEnabled": True,
    "MaximumMessageSize": 1_048_576,
    "MessageRetentionPeriod": 14 * 86_400,
}
S3 = "arn:AWS::Partition:s3:::"


def test_a_stack_without_buckets_has_nothing_of_it(template):
    assert "BucketEvents" not in json.dumps(template.content)


def test_each_bucket_has_a_rule_of_its_new_objects_under_the_prefix(turned):
    rules = {name: rule for name, rule in turned.of_type("AWS::Events::Rule").items() if name.startswith("Objects")}
    assert [rule["EventPattern"] for rule in rules.values()] == [
        {"source": ["aws.s3"], "detail-type": ["Object Created"], "detail": detail}
        for detail in (
            {"bucket": {"name": ["lineage"]}, "object": {"key": [{"prefix": "openlineage/"}]}},
            {"bucket": {"name": ["glue-events"]}},
        )
    ]
    for rule in rules.values():
        [target] = rule["Targets"]
        assert target["Arn"] == "BucketEventsQueue.Arn"
        assert target["DeadLetterConfig"] == {"Arn": "BucketEventsDeadLetters.Arn"}


def test_the_rules_alone_may_send_and_the_function_alone_receives(turned):
    queues = turned.of_type("AWS::SQS::Queue")
    redrive = {"deadLetterTargetArn": "BucketEventsDeadLetters.Arn", "maxReceiveCount": 100}
    assert queues["BucketEventsQueue"] == {**QUEUE, "RedrivePolicy": redrive, "VisibilityTimeout": 1800}
    assert queues["BucketEventsDeadLetters"] == QUEUE
    statements = turned.of_type("AWS::SQS::QueuePolicy")["BucketEventsQueuePolicy"]["PolicyDocument"]["Statement"]
    allowed = [each for each in statements if each["Effect"] == "Allow"]
    assert {each["Principal"]["Service"] for each in allowed} == {"events.amazonaws.com"}
    assert {each["Condition"]["ArnEquals"]["aws:SourceArn"] for each in allowed} == {
        f"Objects{number}.Arn" for number in (0, 1)
    }
    [receiver] = [each for each in statements if each.get("Sid") == "ReceiverIsKnown"]
    assert receiver["Condition"] == {"ArnNotEquals": {"aws:PrincipalArn": "BucketEventsFunctionRole.Arn"}}


def test_the_function_reads_the_chosen_objects_and_sends_events_and_dead_letters_alone(turned):
    reads = {"s3:GetObject", "s3:GetObjectVersion"}
    assert turned.allowed("BucketEventsFunction") == {
        "BucketEventsQueue.Arn": {
            "sqs:ReceiveMessage",
            "sqs:DeleteMessage",
            "sqs:ChangeMessageVisibility",
            "sqs:GetQueueAttributes",
        },
        "BucketEventsDeadLetters.Arn": {"sqs:SendMessage"},
        "EventsQueue.Arn": {"sqs:SendMessage"},
        "IntakeBucket.Arn/requests/*": {"s3:PutObject"},
        f"{S3}lineage/openlineage/*": reads,
        f"{S3}lineage": {"s3:ListBucket"},
        f"{S3}glue-events/*": reads,
        f"{S3}glue-events": {"s3:ListBucket"},
        "BucketEventsFunctionLogs.Arn": {"logs:CreateLogStream", "logs:PutLogEvents"},
    }
    outputs = {name: readable(output["Value"]) for name, output in turned.content["Outputs"].items()}
    assert {name: value for name, value in outputs.items() if name.startswith("BucketEvents")} == {
        "BucketEventsQueueUrl": "BucketEventsQueue",
        "BucketEventsDeadLettersUrl": "BucketEventsDeadLetters",
        "BucketEventsRoleArn": "BucketEventsFunctionRole.Arn",
    }


def test_the_function_has_time_for_an_object_after_another(turned):
    """A function that dies begins with the same objects again."""
    assert turned.of_type("AWS::Lambda::Function")["BucketEventsFunction"]["Timeout"] * 1000 >= 2 * RESERVED_MS


@pytest.mark.parametrize(
    "name", ["BucketEventsDeadLettersWaiting", "BucketEventsQueueLate", "BucketEventsFunctionErrors"]
)
def test_dead_letters_delay_and_errors_alarm(turned, name):
    assert name in turned.of_type("AWS::CloudWatch::Alarm")
