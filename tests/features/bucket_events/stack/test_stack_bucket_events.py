"""Events from buckets in the stack: nothing without a bucket, and with buckets no more rights than they need."""

from headwater.features.bucket_events.function import RESERVED_MS


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
    statements = turned.of_type("AWS::SQS::QueuePolicy")["BucketEventsQueuePolicy"]["PolicyDocument"]["Statement"]
    allowed = [each for each in statements if each["Effect"] == "Allow"]
    assert {each["Principal"]["Service"] for each in allowed} == {"events.amazonaws.com"}
    assert {each["Condition"]["ArnEquals"]["aws:SourceArn"] for each in allowed} == {
        f"Objects{number}.Arn" for number in (0, 1)
    }
    [receiver] = [each for each in statements if each.get("Sid") == "ReceiverIsKnown"]
    assert receiver["Condition"] == {"ArnNotEquals": {"aws:PrincipalArn": "BucketEventsFunctionRole.Arn"}}


def test_the_function_has_time_for_an_object_after_another(turned):
    """A function that dies begins with the same objects again."""
    assert turned.of_type("AWS::Lambda::Function")["BucketEventsFunction"]["Timeout"] * 1000 >= 2 * RESERVED_MS
